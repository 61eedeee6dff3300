package quantize

import (
	"cmp"
	"context"
	"math"
	"slices"
	"sync"

	"github.com/llamakit/llamakit/formats/quant"
)

// sampleRows is how many rows of a tensor are measured, spread over it, where not all are wanted.
const sampleRows = 256

// measure fills in the errors of the tensors that change, and sorts the report by them, worst first.
func (r *report) measure(ctx context.Context, p *plan, threads int, full bool, progress func(int)) error {
	next := make(chan int)
	var mu sync.Mutex
	var failed error
	var wg sync.WaitGroup
	for range threads {
		wg.Go(func() {
			for i := range next {
				plain, weighted, err := p.errorOf(&p.tensors[i], full)
				mu.Lock()
				if failed = cmp.Or(failed, err); err == nil {
					r.setError(i, plain, weighted, p.tensors[i].importance != nil)
				}
				progress(int(p.tensors[i].in.Size))
				mu.Unlock()
			}
		})
	}
	for i := range p.tensors {
		if p.tensors[i].changes() && !p.tensors[i].lacking && ctx.Err() == nil {
			next <- i
		}
	}
	close(next)
	wg.Wait()
	r.measured = true
	slices.SortStableFunc(r.Tensors, func(a, b line) int { return cmp.Compare(b.worst(), a.worst()) })
	return cmp.Or(failed, ctx.Err())
}

func (r *report) setError(i int, plain, weighted float64, hasWeights bool) {
	r.Tensors[i].Error = &plain
	if hasWeights {
		r.Tensors[i].WError = &weighted
	}
}

// worst is the error that counts: the weighted one where there is one.
func (l *line) worst() float64 {
	switch {
	case l.WError != nil:
		return *l.WError
	case l.Error != nil:
		return *l.Error
	}
	return -1
}

// errorOf encodes rows of a tensor and compares: relative RMS errors, plain and weighted by importance.
func (p *plan) errorOf(t *planned, full bool) (plain, weighted float64, err error) {
	var s errorSums
	for piece := range p.samples(t, full) {
		back := make([]float32, 0)
		values := piece.convert(nil)
		if piece.err != nil {
			return 0, 0, piece.err
		}
		back = append(back, values...)
		quant.Decode(t.to, back, piece.out)
		s.add(values, back, piece.importance)
	}
	return relative(s.e2, s.x2), relative(s.we2, s.wx2), nil
}

// samples yields some rows of each expert, or all.
func (p *plan) samples(t *planned, full bool) func(yield func(*piece) bool) {
	return func(yield func(*piece) bool) {
		data, columns := p.model.Bytes(t.in), t.in.Dim(0)
		if t.in.Size == 0 {
			return
		}
		rows, perExpert := t.in.Elements()/columns, t.in.Dim(1)
		rowBytes, step := len(data)/rows, 1
		if !full {
			step = max(1, rows/sampleRows)
		}
		for row := 0; row < rows; row += step {
			c := &piece{tensor: t, src: data[row*rowBytes : (row+1)*rowBytes], element: row * columns}
			if t.importance != nil {
				at := row / perExpert % t.in.Dim(2) * columns
				c.importance = t.importance[at : at+columns]
			}
			if !yield(c) {
				return
			}
		}
	}
}

// errorSums are sums of squares of differences and of values, plain and weighted.
type errorSums struct{ e2, x2, we2, wx2 float64 }

func (s *errorSums) add(x, y, importance []float32) {
	for i, v := range x {
		e, w := float64(y[i]-v), 1.0
		if importance != nil {
			w = float64(importance[i])
		}
		s.e2, s.x2 = s.e2+e*e, s.x2+float64(v)*float64(v)
		s.we2, s.wx2 = s.we2+w*e*e, s.wx2+w*float64(v)*float64(v)
	}
}

func relative(e2, x2 float64) float64 {
	if x2 == 0 {
		return 0
	}
	return math.Sqrt(e2 / x2)
}
