package engine

import (
	"github.com/llamakit/llamakit/engine/arch"
	"github.com/llamakit/llamakit/engine/backend"
	"github.com/llamakit/llamakit/formats/gguf"
	"github.com/llamakit/llamakit/formats/quant"
)

// Info describes an open model.
type Info struct {
	Name         string // general.name
	Architecture string
	Type         quant.Type // of most of the weights
	Parameters   int64
	Bytes        int64 // of the weights
	Layers       int
	Width        int // columns of the residual stream
	Vocabulary   int
	Context      int       // tokens that a sequence can hold
	TrainContext int       // tokens that the model was trained for; 0: unknown
	Threads      int       // compute threads
	CacheK       CacheType // of cached keys; "": f16
	CacheV       CacheType // of cached values, likewise
	Unused       []string  // tensors of the file that the forward pass does not read
	Memory       backend.Memory
}

// Info describes the model.
func (m *Model) Info() Info { return describe(m.file, m.arch, &m.options, m.program.Memory()) }

func describe(f *gguf.File, a *arch.Model, o *Options, memory backend.Memory) Info {
	i := Info{Architecture: a.Architecture, Layers: a.NLayer, Width: a.NEmbd, Vocabulary: a.NVocab, Context: o.Context,
		TrainContext: a.TrainContext, Threads: o.Threads, CacheK: o.CacheK, CacheV: o.CacheV, Unused: a.Unused, Memory: memory}
	if v, ok := f.Metadata.Get("general.name"); ok {
		i.Name, _ = v.Str()
	}
	bytes := map[quant.Type]int64{}
	for _, t := range f.Tensors {
		i.Parameters += int64(t.Elements())
		i.Bytes += t.Size
		bytes[t.Type] += t.Size
		if bytes[t.Type] > bytes[i.Type] {
			i.Type = t.Type
		}
	}
	return i
}
