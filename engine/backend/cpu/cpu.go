// Package cpu runs graphs on the processor.
//
// Compile turns a graph into steps, each a piece of work that can be cut into parts, and one arena for all intermediates.
// Run hands the steps to a crew of workers. Steps never allocate; a part's arithmetic does not depend on how the work was
// cut, so that results are the same bits for any number of threads and any company in the batch.
//
// The inner loops are in package kernel, which knows nothing of graphs and threads.
package cpu

import (
	"fmt"
	"runtime"

	"github.com/llamakit/llamakit/engine/backend"
	"github.com/llamakit/llamakit/engine/backend/cpu/kernel"
	"github.com/llamakit/llamakit/engine/graph"
	"github.com/llamakit/llamakit/engine/kv"
)

// Device is the processor with a number of worker threads.
type Device struct{ Threads int }

// Name returns "CPU".
func (d *Device) Name() string { return "CPU" }

// Compile prepares g; see backend.Device.
func (d *Device) Compile(g *graph.Graph, o backend.Options) (backend.Program, error) {
	if err := kernel.EnvError(); err != nil {
		return nil, err
	}
	p, err := d.program(g, o, false)
	if err != nil {
		return nil, err
	}
	p.crew = newCrew(d.Threads)
	raiseProcs(d.Threads + 2)
	return p, nil
}

// Plan goes through the motions of Compile with memory that only counts; see backend.Device.
func (d *Device) Plan(g *graph.Graph, o backend.Options) (backend.Memory, error) {
	p, err := d.program(g, o, true)
	if err != nil {
		return backend.Memory{}, err
	}
	return p.Memory(), nil
}

func (d *Device) program(g *graph.Graph, o backend.Options, plan bool) (*program, error) {
	if d.Threads < 1 {
		return nil, fmt.Errorf("cpu: %d threads, want at least 1", d.Threads)
	}
	if err := checkCache(g, o); err != nil {
		return nil, err
	}
	if len(g.States) > 0 && o.States < 1 {
		return nil, fmt.Errorf("cpu: the model has recurrent layers, and no room for their state was asked for")
	}
	if o.Outputs == 0 {
		o.Outputs = o.Rows
	}
	p := &program{graph: g, options: o, crew: &crew{n: d.Threads}, pages: memory{plan: plan}, slots: memory{plan: plan},
		scratch: memory{plan: plan, large: true}, turns: map[int]*turn{}}
	p.plan = g.Plan(o.Keep)
	p.cache = newCache(g, o, &p.pages)
	p.states = newStates(g.States, o.States, &p.slots)
	p.run.program = p
	p.run.tokens, p.run.outputs = p.floats(p.plan.Tokens*o.Rows), p.floats(p.plan.Outputs*o.Outputs)
	p.compile()
	p.few, p.steps = fuse(p.steps, p.plan), joinRows(p.steps, p.plan)
	p.partial.floats = p.floats(p.partial.size)
	p.scores = p.perWorker(p.scoreSize)
	return p, nil
}

// raiseProcs leaves the runtime a processor or two beside the workers: with none free, a collection of garbage or any
// other goroutine stops a worker while all others spin at the barrier.
func raiseProcs(n int) {
	if runtime.GOMAXPROCS(0) < n {
		runtime.GOMAXPROCS(n)
	}
}

// program implements backend.Program.
type program struct {
	graph     *graph.Graph
	options   backend.Options
	plan      *graph.Plan
	cache     *cache
	states    *states
	crew      *crew
	steps     []step
	few       []step // the same for a few rows
	run       run
	cutters   []cutter
	partial   partialSums   // of all attentions
	turns     map[int]*turn // by columns turned at a time
	acts      []byte        // rows prepared for a matrix product, shared by the steps
	actBytes  int           // of acts
	scores    [][]float32   // of keys, a row of all a sequence can have, by worker; shared by the indexers
	scoreSize int           // of such a row
	pages     memory        // of the cache
	slots     memory        // of recurrent states
	scratch   memory        // of the arenas and the steps
}

// cutter is a step whose parts depend on the batch's sequences: cut lists them, before the first step.
type cutter interface{ cut(r *run) }

// run is the state of one batch.
type run struct {
	*program
	*backend.Batch
	n, outs int       // rows, and rows with outputs
	pos     []int32   // position of each row
	span    []int32   // span of each row
	tokens  []float32 // arena of token rows
	outputs []float32 // arena of output rows
}

// Run computes a batch; see backend.Program.
func (p *program) Run(b *backend.Batch) {
	r := &p.run
	r.Batch, r.n, r.outs = b, len(b.Tokens), len(b.Outputs)
	if r.n > p.options.Rows || r.outs > p.options.Outputs {
		panic(fmt.Sprintf("cpu: batch of %d rows and %d outputs, program made for %d and %d", r.n, r.outs, p.options.Rows, p.options.Outputs))
	}
	r.pos, r.span = r.pos[:0], r.span[:0]
	for s := range b.Spans {
		for i := range b.Spans[s].N {
			r.pos = append(r.pos, int32(b.Spans[s].Past+i))
			r.span = append(r.span, int32(s))
		}
	}
	for _, c := range p.cutters {
		c.cut(r)
	}
	if r.n <= rowsAPart {
		p.crew.run(r, p.few)
	} else {
		p.crew.run(r, p.steps)
	}
}

// row returns row i of a tensor of the current batch.
func (r *run) row(t *graph.Tensor, i int) []float32 {
	mem, n := r.tokens, r.n
	if t.Outputs {
		mem, n = r.outputs, r.outs
	}
	at := r.plan.Offset[t.ID()]*n + i*t.Stride() + t.Offset
	return mem[at : at+t.Width : at+t.Width]
}

// rows is the number of rows that t has in the current batch.
func (r *run) rows(t *graph.Tensor) int {
	if t.Outputs {
		return r.outs
	}
	return r.n
}

func (p *program) Logits(i int) []float32 {
	if p.graph.Logits == nil {
		return nil
	}
	return p.run.row(p.graph.Logits, i)
}

func (p *program) Hidden(i int) []float32 { return p.run.row(p.graph.Hidden, i) }

func (p *program) Tensor(t *graph.Tensor) []float32 {
	var out []float32
	for i := range p.run.rows(t) {
		out = append(out, p.run.row(t, i)...)
	}
	return out
}

func (p *program) Copy(c kv.Copy) { p.cache.copy(c) }

func (p *program) CopyState(c kv.StateCopy) { p.states.copy(c) }

func (p *program) Memory() backend.Memory {
	return backend.Memory{Cache: p.pages.bytes, State: p.slots.bytes, Compute: p.scratch.bytes}
}

func (p *program) Close() { p.crew.close() }
