package pushdown

import (
	"encoding/binary"
	"errors"
	"slices"

	"github.com/llamakit/llamakit/engine/grammar/rx"
)

// ErrTooComplex is of a step or mask that would take too much time or memory.
var ErrTooComplex = errors.New("grammar: too many possibilities at once")

// Limits of a single step, and of what is remembered of earlier ones.
const (
	maxWork      = 200_000   // expressions looked at in a step
	maxThreads   = 5_000     // of a state
	maxStates    = 200_000   // remembered; then all are forgotten
	maxTerminals = 1_000_000 // expressions of rx.Arena in all
)

// State is what may follow after a text. Equal states of a builder are the same pointer, as long as they are remembered.
type State struct {
	threads []thread
	final   bool
	free    int
	next    []*State // by class of bytes; nil is unknown
	Masks   any      // for the user of the state
}

// thread is a terminal that is being read, with what follows it.
type thread struct {
	term rx.ID
	then *stacks
}

// dead is the state after a text that cannot be completed. It is never handed out.
var dead = &State{}

// Final reports whether the text may end here.
func (s *State) Final() bool { return s.final }

// Free returns how many plain characters, in the sense of rx.Arena.Free, may surely come next.
func (s *State) Free() int { return s.free }

// Ended reports whether nothing may follow.
func (s *State) Ended() bool { return len(s.threads) == 0 }

type machine struct {
	states  map[string]*State
	stacks  map[string]*stacks
	unions  map[[2]int32]*stacks
	seen    map[visit]bool // of the closure that is being computed
	out     map[rx.ID]*stacks
	final   bool
	work    int
	steps   int // that were computed so far
	lastID  int32
	key     []byte
	classOf [256]uint8
	classes int
}

// visit is an expression that was looked at with what follows it.
type visit struct {
	e    Expr
	then *stacks
}

func (m *machine) init() {
	m.seen = make(map[visit]bool)
	m.out = make(map[rx.ID]*stacks)
	m.Forget()
}

// Forget drops what is remembered of states, also in those that are in use; they stay valid.
func (m *machine) Forget() {
	for _, s := range m.states {
		s.next, s.Masks = nil, nil
	}
	m.states = make(map[string]*State)
	m.stacks = make(map[string]*stacks)
	m.unions = make(map[[2]int32]*stacks)
}

// Steps is the number of steps that were not known and had to be computed.
func (m *machine) Steps() int { return m.steps }

// Start returns the state before any text of e. All expressions that can be met must have been made before.
func (b *Builder) Start(e Expr) (*State, error) {
	b.classOf, b.classes = b.RX.Classes()
	b.begin()
	b.expand(e, b.internStacks(true, nil))
	s, err := b.finish()
	if err == nil && s == dead {
		return nil, errors.New("grammar: no text matches")
	}
	return s, err
}

// Step returns the state after s and the byte c, or nil when no text goes on so.
func (b *Builder) Step(s *State, c byte) (*State, error) {
	if len(b.states) > maxStates {
		b.Forget()
	}
	if s.next == nil {
		s.next = make([]*State, b.classes)
	}
	n := s.next[b.classOf[c]]
	if n == nil {
		var err error
		if n, err = b.step(s, c); err != nil {
			return nil, err
		}
		s.next[b.classOf[c]] = n
	}
	if n == dead {
		return nil, nil
	}
	return n, nil
}

func (b *Builder) step(s *State, c byte) (*State, error) {
	b.steps++
	b.RX.Refill()
	b.begin()
	for _, t := range s.threads {
		if d := b.RX.Step(t.term, c); d != rx.Nothing {
			b.add(d, t.then)
		}
	}
	return b.finish()
}

func (m *machine) begin() {
	if len(m.seen) > 1000 || len(m.out) > 1000 { // clear takes the time of the largest size
		m.seen, m.out = make(map[visit]bool), make(map[rx.ID]*stacks)
	}
	clear(m.seen)
	clear(m.out)
	m.final, m.work = false, 0
}

// add makes a thread, and those that follow where its terminal may end.
func (b *Builder) add(term rx.ID, then *stacks) {
	if old := b.out[term]; old != nil {
		b.out[term] = b.union(old, then)
	} else {
		b.out[term] = then
	}
	if b.RX.Nullable(term) {
		b.expand(Empty, then)
	}
}

// finish makes the state of the threads that were added.
func (b *Builder) finish() (*State, error) {
	if b.work > maxWork || len(b.out) > maxThreads || b.RX.TooLarge() || b.RX.Len() > maxTerminals {
		return nil, ErrTooComplex
	}
	delete(b.out, rx.Empty)
	if len(b.out) == 0 && !b.final {
		return dead, nil
	}
	threads := make([]thread, 0, len(b.out))
	for term, then := range b.out {
		threads = append(threads, thread{term, then})
	}
	slices.SortFunc(threads, func(x, y thread) int { return int(x.term - y.term) })
	k := b.machine.key[:0]
	if b.final {
		k = append(k, 1)
	}
	for _, t := range threads {
		k = binary.LittleEndian.AppendUint32(k, uint32(t.term))
		k = binary.LittleEndian.AppendUint32(k, uint32(t.then.id))
	}
	b.machine.key = k
	s, ok := b.states[string(k)]
	if !ok {
		s = &State{threads: threads, final: b.final}
		for _, t := range threads {
			s.free = max(s.free, b.RX.Free(t.term))
		}
		b.states[string(k)] = s
	}
	return s, nil
}

// Only returns the one byte that can follow s, and the state after it; nil when the text may end or there is a choice.
func (b *Builder) Only(s *State) (c byte, next *State) {
	if s.final {
		return 0, nil
	}
	for i := range 256 {
		n, err := b.Step(s, byte(i))
		switch {
		case err != nil, n != nil && next != nil:
			return 0, nil
		case n != nil:
			c, next = byte(i), n
		}
	}
	return c, next
}
