package quantize

import (
	"github.com/llamakit/llamakit/engine"
	"github.com/llamakit/llamakit/formats/gguf"
)

// setMemory adds what the new file would take in memory with a context, as the engine would load it.
func (r *report) setMemory(p *plan, context int) {
	fit, err := p.fit(context)
	if err != nil {
		p.note("the memory with a context of %d is not known: %v", context, err)
		r.Notes = p.notes
		return
	}
	r.Context, r.Weights, r.KV, r.Compute, r.Memory = context, fit.Weights, fit.Memory.Cache, fit.Memory.Compute, fit.Total()
}

func (p *plan) fit(context int) (*engine.Plan, error) {
	file, err := gguf.HeaderOnly(p.metadata, infos(p.tensors))
	if err != nil {
		return nil, err
	}
	return engine.NewPlan(file, engine.Options{Context: context})
}
