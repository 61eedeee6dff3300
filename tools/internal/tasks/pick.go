package tasks

// llama.cpp draws the tasks that it scores from a generator with a fixed seed. The same are drawn here, in the same order, so
// that scores can be compared.

// seed is the generator's.
const seed = 1

// Shuffle draws n tasks, each from those that remain in their order: HellaSwag's way, also when all are wanted.
func Shuffle(tasks []Task, n int) []Task {
	r := newTwister(seed)
	rest := append([]Task(nil), tasks...)
	var out []Task
	for range min(n, len(tasks)) {
		i := r.below(uint32(len(rest)))
		out = append(out, rest[i])
		rest = append(rest[:i], rest[i+1:]...)
	}
	return out
}

// Pick draws n tasks, the last one taking the place of each that is drawn; all in their order when n is 0 or no fewer.
func Pick(tasks []Task, n int) []Task {
	if n <= 0 || n >= len(tasks) {
		return tasks
	}
	r := newTwister(seed)
	rest := append([]Task(nil), tasks...)
	out := make([]Task, n)
	for k := range out {
		i := int(float32(r.next()) * (1.0 / (1 << 32)) * float32(len(rest))) // in float32, as there
		i = min(i, len(rest)-1)
		out[k] = rest[i]
		rest[i] = rest[len(rest)-1]
		rest = rest[:len(rest)-1]
	}
	return out
}

// twister is MT19937 (Matsumoto, Nishimura 1998, ACM TOMACS 8, 3), the generator of C++'s std::mt19937.
type twister struct {
	state [624]uint32
	at    int
}

func newTwister(seed uint32) *twister {
	t := &twister{at: len(twister{}.state)}
	t.state[0] = seed
	for i := 1; i < len(t.state); i++ {
		t.state[i] = 1812433253*(t.state[i-1]^t.state[i-1]>>30) + uint32(i)
	}
	return t
}

func (t *twister) next() uint32 {
	if t.at == len(t.state) {
		t.refill()
	}
	y := t.state[t.at]
	t.at++
	y ^= y >> 11
	y ^= y << 7 & 0x9d2c5680
	y ^= y << 15 & 0xefc60000
	return y ^ y>>18
}

func (t *twister) refill() {
	const n, m = len(twister{}.state), 397
	for i := range t.state {
		y := t.state[i]&(1<<31) | t.state[(i+1)%n]&(1<<31-1)
		t.state[i] = t.state[(i+m)%n] ^ y>>1 ^ y&1*0x9908b0df
	}
	t.at = 0
}

// below draws a number below n without bias (Lemire 2019, arXiv:1805.10941), as libstdc++ does.
func (t *twister) below(n uint32) uint32 {
	product := uint64(t.next()) * uint64(n)
	if low := uint32(product); low < n {
		for threshold := -n % n; low < threshold; low = uint32(product) {
			product = uint64(t.next()) * uint64(n)
		}
	}
	return uint32(product >> 32)
}
