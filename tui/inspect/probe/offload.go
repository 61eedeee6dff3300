package probe

import (
	"strings"

	"github.com/llamakit/llamakit/engine"
	"github.com/llamakit/llamakit/formats/gguf"
	"github.com/llamakit/llamakit/formats/mixture"
)

// Offload is the part of a model that -ngl would put on a GPU, in bytes. The rest stays in main memory.
type Offload struct {
	Layers  int   `json:"layers"` // of Of, the output counted as one
	Of      int   `json:"of"`
	Weights int64 `json:"weights"`
	Cache   int64 `json:"cache"` // keys, values and states, in even shares of the layers
}

// PlanOffload divides a plan as llama.cpp does with -ngl n: the output goes first, then layers from the last one down; the
// embeddings stay, unless they are the output, too: then there is a second copy of them. A negative n is all layers.
func PlanOffload(f *gguf.File, p *engine.Plan, n int) Offload {
	o := Offload{Of: p.Layers + 1, Layers: n}
	if n < 0 || n > o.Of {
		o.Layers = o.Of
	}
	if o.Layers == 0 {
		return o
	}
	first := p.Layers - (o.Layers - 1)
	_, apart := f.Tensor("output.weight")
	for i := range f.Tensors {
		t := &f.Tensors[i]
		layer := mixture.LayerOf(t.Name)
		tied := !apart && t.Name == "token_embd.weight"
		if layer >= first || layer < 0 && strings.HasPrefix(t.Name, "output") || tied {
			o.Weights += t.Size
		}
	}
	if p.Layers > 0 {
		o.Cache = (p.Memory.Cache + p.Memory.State) * int64(o.Layers-1) / int64(p.Layers)
	}
	return o
}
