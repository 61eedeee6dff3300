package engine

import (
	"github.com/llamakit/llamakit/engine/arch"
	"github.com/llamakit/llamakit/formats/gguf"
)

// build records the forward pass with the head that the options ask for, and settles what they leave to the model.
func (o *Options) build(f *gguf.File) (*arch.Model, error) {
	ao := arch.Options{Context: o.Context, AllRows: o.Observe != nil}
	m, err := arch.Build(f, ao)
	if err != nil {
		return nil, err
	}
	if o.Embed = o.Embed || m.Graph.Logits == nil; o.Embed {
		if ao.Head = arch.HeadNone; o.pooling(f, m) == PoolingRank {
			ao.Head = arch.HeadRank
		}
		if m, err = arch.Build(f, ao); err != nil {
			return nil, err
		}
	}
	o.settle(!m.Graph.Causal(), m.TrainContext)
	return m, nil
}

// pooling is what the options or else the file asks for; mean where neither does.
func (o *Options) pooling(f *gguf.File, m *arch.Model) Pooling {
	n := f.Metadata.Reader(m.Architecture).IntOr("pooling_type", 1)
	switch {
	case o.Pooling != "":
		return o.Pooling
	case n < 0 || n >= len(poolings):
		return PoolingMean
	}
	return poolings[n]
}

// Sizes of batches where none is asked for.
const (
	defaultBatch   = 512
	wholeBatch     = 2048 // where a text must be in one batch, and the model was trained for that much
	defaultOutputs = 64
)

// settle sets what is left open. whole says that a text must be in one batch, of train tokens at most: nothing of it is
// cached, so that keys and values need not be small.
func (o *Options) settle(whole bool, train int) {
	set := func(value *int, standard int) {
		if *value == 0 {
			*value = standard
		}
	}
	if whole {
		set(&o.Batch, max(defaultBatch, min(train, wholeBatch)))
		if o.CacheK == "" && o.CacheV == "" {
			o.CacheK, o.CacheV = CacheF32, CacheF32
		}
	}
	set(&o.Batch, defaultBatch)
	if o.Embed || whole {
		o.Outputs = o.Batch
		set(&o.Sequences, 32)
	}
	set(&o.Outputs, defaultOutputs)
	set(&o.Sequences, 4)
}
