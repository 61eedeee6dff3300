package cpu

import "unsafe"

// memory gives a program what it holds, and counts it. That of a plan counts alone and gives nil, so that the code that
// allocates is the code that predicts. What a graph makes large is taken from here and nowhere else.
type memory struct {
	plan  bool
	large bool // in large pages where the system has them: for what is used from end to end, since the first touch takes all of one
	bytes int64
}

func take[T any](m *memory, n int) []T {
	var one T
	m.bytes += int64(n) * int64(unsafe.Sizeof(one))
	if m.plan {
		return nil
	}
	data := make([]T, n)
	if m.large {
		askLargePages(unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(data))), n*int(unsafe.Sizeof(one))))
	}
	return data
}

// bytes and floats are scratch memory of a step. In a plan they are nil: a step may keep them, and not look inside.
func (p *program) bytes(n int) []byte     { return take[byte](&p.scratch, n) }
func (p *program) floats(n int) []float32 { return take[float32](&p.scratch, n) }
