package cpu

import "unsafe"

// memory gives a program what it holds, and counts it. That of a plan counts alone and gives nil, so that the code that
// allocates is the code that predicts. What a graph makes large is taken from here and nowhere else.
type memory struct {
	plan  bool
	bytes int64
}

func take[T any](m *memory, n int) []T {
	var one T
	m.bytes += int64(n) * int64(unsafe.Sizeof(one))
	if m.plan {
		return nil
	}
	return make([]T, n)
}

// bytes and floats are scratch memory of a step. In a plan they are nil: a step may keep them, and not look inside.
func (p *program) bytes(n int) []byte     { return take[byte](&p.scratch, n) }
func (p *program) floats(n int) []float32 { return take[float32](&p.scratch, n) }
