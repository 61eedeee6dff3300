package engine

import (
	"github.com/llamakit/llamakit/engine/arch"
	"github.com/llamakit/llamakit/engine/backend"
	"github.com/llamakit/llamakit/engine/kv"
	"github.com/llamakit/llamakit/formats/gguf"
)

// Plan is what a model would take in memory. Open goes by the same sizes, and the device counts with the code that
// allocates.
type Plan struct {
	Info             // Memory is what would be allocated
	Device    string // where everything is
	Sequences int
	Weights   int64 // bytes of the file that are mapped and read
	Free      int64 // memory there is for all of it, as Options.Free

	options Options
	arch    *arch.Model
}

// NewPlan says what Open would take for f with these options. It needs the header alone: the data of f is not read, and
// need not be there.
func NewPlan(f *gguf.File, o Options) (*Plan, error) {
	p, err := newPlan(f, o)
	if err != nil {
		return nil, inFile(f.Paths()[0], err)
	}
	return p, nil
}

func newPlan(f *gguf.File, o Options) (*Plan, error) {
	header, err := f.WithoutData()
	if err != nil {
		return nil, err
	}
	if err := o.resolve(); err != nil {
		return nil, err
	}
	p := &Plan{Free: o.Free, options: o}
	if p.arch, err = p.options.build(header); err != nil {
		return nil, err
	}
	device, size, err := p.options.backend(p.arch)
	if err != nil {
		return nil, err
	}
	memory, err := device.Plan(p.arch.Graph, size)
	if err != nil {
		return nil, err
	}
	p.Sequences = p.options.Sequences
	p.Device, p.Info = device.Name(), describe(header, p.arch, &p.options, memory)
	p.Weights = p.Bytes - unusedBytes(header, p.Unused)
	return p, nil
}

func unusedBytes(f *gguf.File, names []string) (n int64) {
	for _, name := range names {
		if t, ok := f.Tensor(name); ok {
			n += t.Size
		}
	}
	return n
}

// Total is all the memory that the model would take.
func (p *Plan) Total() int64 { return p.Weights + p.Memory.Total() }

// LargestContext is the longest context with which the model takes at most that many bytes: whole pages, the longest that
// Open accepts at most; 0 when there is none.
func (p *Plan) LargestContext(bytes int64) (int, error) {
	few, many := 0, maxContext/kv.PageSize // pages: few fit, more than many do not
	for few < many {
		pages := (few + many + 1) / 2
		memory, err := p.with(pages * kv.PageSize)
		if err != nil {
			return 0, err
		}
		if p.Weights+memory.Total() <= bytes {
			few = pages
		} else {
			many = pages - 1
		}
	}
	return few * kv.PageSize, nil
}

// with is the memory with another context.
func (p *Plan) with(context int) (backend.Memory, error) {
	o := p.options
	o.Context = context
	device, size, err := o.backend(p.arch)
	if err != nil {
		return backend.Memory{}, err
	}
	return device.Plan(p.arch.Graph, size)
}
