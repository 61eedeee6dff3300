// Package backend says what a device can do: compile a graph and run batches of it over pages of a key-value cache.
//
// A Device is chosen once, when a model is loaded. Its Program owns the memory of intermediates and of the cache; the
// weights stay where they are mapped. Package cpu is the first device.
package backend

import (
	"github.com/llamakit/llamakit/engine/graph"
	"github.com/llamakit/llamakit/engine/kv"
	"github.com/llamakit/llamakit/formats/quant"
)

// Device is a processor with memory.
type Device interface {
	// Name is a short label for people: "CPU".
	Name() string
	// Compile prepares g. The graph's weights must stay mapped while the program lives.
	Compile(g *graph.Graph, o Options) (Program, error)
	// Plan says what a program of g would hold, without allocating it or reading the weights: it is the Memory of the
	// program that Compile makes of the same arguments.
	Plan(g *graph.Graph, o Options) (Memory, error)
}

// Options size a program.
type Options struct {
	Rows         int        // rows of a batch at most
	Outputs      int        // rows of a batch whose logits are wanted at most; 0: as many as Rows
	Pages        int        // pages of the cache, of kv.PageSize tokens
	States       int        // slots for recurrent states; not used where the graph has none
	TypeK, TypeV quant.Type // of the cache: F32 or F16
	Keep         bool       // keep every named tensor of the last batch, for Program.Tensor

	// Observe is asked for each matrix that rows are multiplied with, when the program is compiled. What it returns gets
	// all these rows added in each batch; nil: nothing does. Parts of a fused matrix ask with the same name.
	Observe func(w *graph.Weight) *Moments
}

// Program is a compiled graph with its memory. It runs one batch at a time.
type Program interface {
	// Run computes a batch. Its results are valid until the next call of Run.
	Run(b *Batch)
	// Logits is the row of the batch's i-th output; nil where the graph has no logits.
	Logits(i int) []float32
	// Hidden is the last hidden state, normed, of the batch's i-th output.
	Hidden(i int) []float32
	// Tensor returns the rows of a tensor of the last batch, row-major; only with Options.Keep.
	Tensor(t *graph.Tensor) []float32
	// Copy copies cached tokens between pages.
	Copy(c kv.Copy)
	// CopyState copies what the recurrent layers keep of one sequence to another slot.
	CopyState(c kv.StateCopy)
	Snapshots
	// Memory says what the program holds, in bytes.
	Memory() Memory
	// Close ends the program's threads and frees its memory.
	Close()
}

// Snapshots give what the cache holds as bytes, in the order of the machine. A page, or a state, must not be computed with meanwhile.
type Snapshots interface {
	PageBytes() int                             // of a page, in all layers
	ReadPage(dst []byte, p kv.Page, tokens int) // len(dst) is PageBytes; what belongs to later tokens is left as it is
	WritePage(p kv.Page, tokens int, src []byte)
	StateBytes() int // of a recurrent state; 0: the graph has none
	ReadState(dst []byte, s kv.Slot)
	WriteState(s kv.Slot, src []byte)
}

// Memory is what a program holds beside the weights, in bytes.
type Memory struct {
	Cache   int64 // key-value pages
	State   int64 // recurrent states, of sequences and checkpoints
	Compute int64 // intermediates and scratch
}

// Total is the sum.
func (m Memory) Total() int64 { return m.Cache + m.State + m.Compute }

// Batch is the work of one step: rows of several sequences, each sequence's rows together and in order.
type Batch struct {
	Tokens  []int32
	Spans   []Span
	Outputs []int32 // rows whose logits are wanted, ascending
}

// Span is one sequence's part of a batch. Its i-th row stands at position Past+i of the sequence and sees all earlier
// positions. Pages has room for every position up to its last row. State is the slot of what recurrent layers keep of the sequence;
// at position 0 they begin anew, whatever is in it.
type Span struct {
	Row, N int
	Past   int
	Pages  []kv.Page
	State  kv.Slot
}
