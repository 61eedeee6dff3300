package engine

import (
	"fmt"
	"runtime"
	"slices"

	"github.com/klauspost/cpuid/v2"

	"github.com/llamakit/llamakit/engine/arch"
	"github.com/llamakit/llamakit/engine/backend"
	"github.com/llamakit/llamakit/engine/backend/cpu"
	"github.com/llamakit/llamakit/engine/graph"
	"github.com/llamakit/llamakit/engine/kv"
	"github.com/llamakit/llamakit/formats/quant"
)

// Options say how a model is loaded; the zero value works.
type Options struct {
	Context   int       // tokens a sequence can hold; 0: what the model was trained for, bounded by memory
	Threads   int       // compute threads; 0: one a physical core
	Batch     int       // rows computed in one step at most; 0: 512. A model that is not causal takes no longer text; there 0: up to 2048
	Outputs   int       // rows of a step that can want logits at most; 0: 64, or all where the model is not causal or for embeddings
	Sequences int       // sequences that run at the same time; 0: 4, or 32 for embeddings
	Queue     int       // requests that may wait beside them, more get ErrBusy; 0: any number
	Cache     int       // tokens that the cache holds of all sequences together; 0: one context
	CacheK    CacheType // element type of cached keys
	CacheV    CacheType // element type of cached values
	Free      int64     // bytes of memory that a default may depend on; 0: what the system can give now

	// Embed opens the model for Pool alone: logits of tokens are not computed, but embeddings and ranks. Models that have no
	// logits are opened so in any case. Pooling is used instead of the file's; "": the file's.
	Embed   bool
	Pooling Pooling

	Template string                 // chat template instead of the model's own
	Progress func(fraction float64) // called while the model loads
	Keep     bool                   // keep intermediate tensors, for Model.Tensors

	// Observe sums up what matrices are multiplied with: see backend.Options. Every row is then computed, also those that
	// the cache knows, and goes through every layer, also where its logits are not wanted.
	Observe func(w *graph.Weight) *backend.Moments
}

// CacheType is the element type of cached keys or values, as quant.Type spells it: f32, f16, bf16, q8_0, q4_0, q4_1, q5_0, q5_1 or
// iq4_nl. The empty string is f16. Types of blocks need heads whose size 32 divides.
type CacheType string

// The cache types that are used most.
const (
	CacheF16 CacheType = "f16"
	CacheF32 CacheType = "f32"
	CacheQ8  CacheType = "q8_0"
)

// CacheTypes are all cache types, the usual one first.
func CacheTypes() []CacheType {
	return []CacheType{CacheF16, CacheF32, "bf16", CacheQ8, "q4_0", "q4_1", "q5_0", "q5_1", "iq4_nl"}
}

func (c CacheType) quant() (quant.Type, error) {
	if c == "" {
		return quant.F16, nil
	}
	t, err := quant.ParseType(string(c))
	if err != nil || !slices.Contains(CacheTypes(), c) {
		return 0, fmt.Errorf("cache type %q: unknown, use one of %v", string(c), CacheTypes())
	}
	return t, nil
}

const (
	defaultContext = 4096 // where a file does not say what it was trained for
	maxContext     = 1 << 24
	maxBatch       = 1 << 14
	maxSequences   = 1 << 10
	maxThreads     = 1 << 10
	maxQueue       = 1 << 24
)

// resolve fills in defaults and checks ranges.
func (o *Options) resolve() error {
	for _, f := range []struct {
		name          string
		value         *int
		standard, max int
	}{
		{"threads", &o.Threads, physicalCores(), maxThreads},
		{"batch", &o.Batch, 0, maxBatch},
		{"outputs", &o.Outputs, 0, maxBatch},
		{"sequences", &o.Sequences, 0, maxSequences},
		{"context", &o.Context, 0, maxContext},
		{"cache", &o.Cache, 0, maxContext},
		{"queue", &o.Queue, 0, maxQueue},
	} {
		if *f.value < 0 || *f.value > f.max {
			return fmt.Errorf("%s is %d, want 1 to %d, or 0 for the default", f.name, *f.value, f.max)
		}
		if *f.value == 0 {
			*f.value = f.standard
		}
	}
	if o.Free == 0 {
		o.Free = freeMemory()
	}
	if o.Pooling != "" {
		_, err := ParsePooling(string(o.Pooling))
		return err
	}
	return nil
}

// backend chooses the device and what its program is made for. A context that is left open is settled here.
func (o *Options) backend(m *arch.Model) (backend.Device, backend.Options, error) {
	size := backend.Options{Rows: o.Batch, Outputs: min(o.Batch, max(o.Outputs, o.Sequences)), Keep: o.Keep}
	var err error
	if size.TypeK, err = o.CacheK.quant(); err != nil {
		return nil, size, err
	}
	if size.TypeV, err = o.CacheV.quant(); err != nil {
		return nil, size, err
	}
	if err := backend.CheckCache(m.Graph, size.TypeK, size.TypeV); err != nil {
		return nil, size, err
	}
	if o.Context == 0 {
		o.Context = contextFor(m, size.TypeK, size.TypeV, o.Free)
	}
	size.Pages = pagesFor(max(o.Context, o.Cache))
	if !m.Graph.Causal() { // nothing is kept from one batch to the next, and each text may leave a page partly filled
		size.Pages = pagesFor(o.Batch) + o.Sequences
	}
	size.States = statesFor(m.Graph, o.Sequences, o.Free)
	size.Observe = o.Observe
	return &cpu.Device{Threads: o.Threads}, size, nil
}

// pagesFor is how many pages hold a number of tokens.
func pagesFor(tokens int) int { return (tokens + kv.PageSize - 1) / kv.PageSize }

// physicalCores is the number of cores without hyper-threads, as far as the processor tells.
func physicalCores() int {
	if n := cpuid.CPU.PhysicalCores; n > 0 {
		return min(n, runtime.NumCPU())
	}
	return runtime.NumCPU()
}

// contextFor chooses the context where none was asked for: the trained one, or what half of the free memory can hold.
func contextFor(m *arch.Model, k, v quant.Type, free int64) int {
	n := m.TrainContext
	if n <= 0 {
		n = defaultContext
	}
	n = min(n, maxContext)
	if free > 0 {
		n = min(n, max(kv.PageSize, int(free/2/max(tokenBytes(m.Graph, k, v), 1))))
	}
	return n
}

// tokenBytes is what the cache holds of one token.
func tokenBytes(g *graph.Graph, k, v quant.Type) int64 {
	n := 0
	for _, l := range g.Layers {
		n += l.HeadsKV * (k.RowBytes(l.DimK) + v.RowBytes(l.DimV)) / min(max(1, l.Ratio), kv.PageSize)
	}
	return int64(n)
}

// maxCheckpoints is how many recurrent states are kept beside those of the running sequences, if memory allows.
const maxCheckpoints = 32

// statesFor is how many slots for recurrent states a model needs: one a sequence, and checkpoints in an eighth of the free
// memory, one at least.
func statesFor(g *graph.Graph, sequences int, free int64) int {
	if len(g.States) == 0 {
		return 0
	}
	var size int64
	for _, s := range g.States {
		size += 4 * int64(s.Size)
	}
	checkpoints := int64(maxCheckpoints)
	if free > 0 {
		checkpoints = max(1, min(checkpoints, free/8/max(size, 1)))
	}
	return sequences + int(checkpoints)
}
