package quantize

import (
	"github.com/llamakit/llamakit/formats/gguf"
	"github.com/llamakit/llamakit/formats/mixture"
	"github.com/llamakit/llamakit/tui/inspect/probe"
)

// Forecast is --dry-run for the inspector: what a file would be in another type, also where that would quantize it a second
// time.
func Forecast(f *gguf.File, to mixture.FileType) (*probe.Retyped, error) {
	p, err := makePlan(f, nil, &settings{file: to, requant: true})
	if err != nil {
		return nil, err
	}
	r := newReport(p, f.Paths()[0])
	out := &probe.Retyped{Type: r.Type, Before: r.Before, After: r.After, BPW: r.BPW, Lacking: r.Fallback, Imatrix: r.Imatrix}
	for i, l := range r.Tensors {
		out.Again = out.Again || p.tensors[i].changes() && !isFloat(p.tensors[i].from())
		out.Tensors = append(out.Tensors, probe.RetypedTensor{Name: l.Name, Role: l.Role, From: l.From, To: l.To, Before: l.Before, After: l.After, Note: l.note()})
	}
	return out, nil
}
