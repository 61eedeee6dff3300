package quantize

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/llamakit/llamakit/formats/quant"
	"github.com/llamakit/llamakit/tools/internal/parallel"
)

// sampleRows is how many rows of a tensor are measured, spread over it, where not all are wanted.
const sampleRows = 256

// measure fills in the errors of the tensors that change, and sorts the report by them, worst first.
func (r *report) measure(ctx context.Context, p *plan, threads int, full bool, progress func(int)) error {
	err := parallel.Do(ctx, threads, len(p.tensors), func(_ context.Context, i int) error {
		t := &p.tensors[i]
		defer progress(int(t.in.Size))
		if !t.changes() || t.lacking {
			return nil
		}
		plain, weighted, err := p.errorOf(t, full)
		r.setError(i, plain, weighted, t.importance != nil)
		return err
	})
	r.measured = true
	slices.SortStableFunc(r.Tensors, func(a, b line) int { return cmp.Compare(b.worst(), a.worst()) })
	return err
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
	var values []float32
	back := make([]float32, t.in.Dim(0))
	for piece := range p.samples(t, full) {
		values = piece.convert(values)
		if piece.err != nil {
			return 0, 0, piece.err
		}
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
