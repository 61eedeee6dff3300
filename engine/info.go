package engine

import (
	"github.com/llamakit/llamakit/engine/backend"
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
	Context      int      // tokens that a sequence can hold
	TrainContext int      // tokens that the model was trained for; 0: unknown
	Threads      int      // compute threads
	Unused       []string // tensors of the file that the forward pass does not read
	Memory       backend.Memory
}

// Info describes the model.
func (m *Model) Info() Info {
	i := Info{Architecture: m.arch.Architecture, Layers: m.arch.NLayer, Width: m.arch.NEmbd, Vocabulary: m.arch.NVocab,
		Context: m.options.Context, TrainContext: m.arch.TrainContext, Threads: m.options.Threads,
		Unused: m.arch.Unused, Memory: m.program.Memory()}
	if v, ok := m.file.Metadata.Get("general.name"); ok {
		i.Name, _ = v.Str()
	}
	bytes := map[quant.Type]int64{}
	for _, t := range m.file.Tensors {
		i.Parameters += int64(t.Elements())
		i.Bytes += t.Size
		bytes[t.Type] += t.Size
		if bytes[t.Type] > bytes[i.Type] {
			i.Type = t.Type
		}
	}
	return i
}
