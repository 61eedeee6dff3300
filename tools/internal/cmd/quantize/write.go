package quantize

import (
	"context"
	"fmt"
	"io"
	"sync"

	"github.com/llamakit/llamakit/formats/gguf"
	"github.com/llamakit/llamakit/formats/quant"
	"github.com/llamakit/llamakit/tools/internal/outfile"
)

// How a file is made: the tensors are cut into pieces of whole rows, in the order of the file. Workers convert pieces,
// several at once and out of order; the writer waits for them in order. At most a few pieces exist at a time, whatever
// the size of a tensor.

// pieceElements is about how many elements a piece has.
const pieceElements = 128 << 10

// piece is some rows of a tensor.
type piece struct {
	tensor     *planned
	src        []byte
	importance []float32
	element    int // of the tensor, where the piece begins

	out  []byte
	err  error
	done chan struct{}
}

// job is one run of workers and writer.
type job struct {
	plan     *plan
	threads  int
	elements int       // in a piece
	progress func(int) // bytes of the input that are done
}

// write makes the file, or the shards, at path. It appears under its name when it is complete.
func (j *job) write(ctx context.Context, path string) error {
	groups := j.plan.shards()
	paths := outfile.Paths(path, len(groups))
	var set gguf.Set
	defer set.Abort()
	for i, tensors := range groups {
		err := set.Add(paths[i], j.metadata(i, len(groups)), infos(tensors), func(w io.Writer) error { return j.fill(ctx, w, tensors) })
		if err != nil {
			return err
		}
	}
	return set.Commit()
}

// shards are the tensors of each file to be written. One without tensors stays: the first may hold the metadata alone.
func (p *plan) shards() [][]planned {
	if !p.settings.split {
		return [][]planned{p.tensors}
	}
	groups := make([][]planned, len(p.model.Paths()))
	for _, t := range p.tensors {
		groups[t.in.Shard] = append(groups[t.in.Shard], t)
	}
	return groups
}

// metadata is that of shard i of n.
func (j *job) metadata(i, n int) *gguf.Metadata {
	md := j.plan.metadata
	if i > 0 {
		md = gguf.NewMetadata()
	}
	if n > 1 {
		md = md.Clone()
		md.Set("split.no", gguf.Uint16(uint16(i)))
		md.Set("split.count", gguf.Uint16(uint16(n)))
		md.Set("split.tensors.count", gguf.Int32(int32(len(j.plan.tensors))))
	}
	return md
}

// fill converts and writes the data of tensors.
func (j *job) fill(ctx context.Context, w io.Writer, tensors []planned) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	window := 2*j.threads + 2
	work, inOrder := make(chan *piece, window), make(chan *piece, window)
	var workers sync.WaitGroup
	for range j.threads {
		workers.Go(func() { convertAll(work) })
	}
	workers.Go(func() {
		defer close(inOrder)
		defer close(work)
		for i := range tensors {
			if !j.cut(ctx, &tensors[i], work, inOrder) {
				return
			}
		}
	})
	err := j.drain(ctx, w, inOrder)
	cancel(err)
	for range inOrder { // lets the cutter go
	}
	workers.Wait()
	return err
}

// drain writes the pieces as they become ready.
func (j *job) drain(ctx context.Context, w io.Writer, inOrder <-chan *piece) error {
	for p := range inOrder {
		<-p.done
		if p.err != nil {
			return p.err
		}
		if _, err := w.Write(p.out); err != nil {
			return err
		}
		j.progress(len(p.src))
		j.plan.model.Release(p.tensor.in, p.src)
		p.out = nil
		if ctx.Err() != nil {
			break
		}
	}
	return ctx.Err()
}

// cut sends a tensor's pieces to the workers and, in order, to the writer. False: stop.
func (j *job) cut(ctx context.Context, t *planned, work, inOrder chan<- *piece) bool {
	data, columns := j.plan.model.Bytes(t.in), t.in.Dim(0)
	if t.in.Size == 0 {
		return true
	}
	rows, perExpert := t.in.Elements()/columns, t.in.Dim(1)
	rowBytes := len(data) / rows
	step := max(1, j.elements/columns)
	for row := 0; row < rows; {
		expert := row / perExpert
		end := min(row+step, (expert+1)*perExpert)
		p := &piece{tensor: t, src: data[row*rowBytes : end*rowBytes], element: row * columns, done: make(chan struct{})}
		if t.importance != nil {
			at := expert % t.in.Dim(2) * columns
			p.importance = t.importance[at : at+columns]
		}
		select {
		case inOrder <- p: // first: the writer must see what the workers hold
		case <-ctx.Done():
			return false
		}
		select {
		case work <- p:
		case <-ctx.Done():
			p.err = context.Cause(ctx)
			close(p.done)
			return false
		}
		row = end
	}
	return true
}

// convertAll is a worker. Its buffer for float32 lives as long as it does.
func convertAll(work <-chan *piece) {
	var values []float32
	for p := range work {
		values = p.convert(values)
		close(p.done)
	}
}

// convert fills p.out; it returns the buffer for the next piece.
func (p *piece) convert(values []float32) []float32 {
	t := p.tensor
	if !t.changes() {
		p.out = p.src
		return values
	}
	n := len(p.src) / t.from().BlockBytes() * t.from().BlockSize()
	if cap(values) < n {
		values = make([]float32, n)
	}
	values = values[:n]
	quant.Decode(t.from(), values, p.src)
	p.out = make([]byte, t.to.RowBytes(n))
	err := quant.EncodeWeighted(t.to, p.out, values, p.importance)
	if err != nil || t.to.BlockSize() == 1 || t.to == quant.Q8_0 { // these take what is not finite
		p.err = p.checkFinite(values)
	}
	if err != nil && p.err == nil {
		p.err = fmt.Errorf("tensor %q, rows from %d: %w", t.name, p.element/t.in.Dim(0), err)
	}
	return values
}

// checkFinite names the row and column of a value that would spoil its block.
func (p *piece) checkFinite(values []float32) error {
	i, ok := quant.FirstNotFinite(values)
	if !ok {
		return nil
	}
	at, columns := p.element+i, p.tensor.in.Dim(0)
	return fmt.Errorf("tensor %q: row %d, column %d is %g; quantising it would spoil its neighbours (the model is damaged)",
		p.tensor.name, at/columns, at%columns, values[i])
}
