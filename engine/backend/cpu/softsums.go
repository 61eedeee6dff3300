package cpu

import (
	"math"

	"github.com/llamakit/llamakit/engine/backend/cpu/kernel"
)

// softSums are those of the online softmax.
type softSums struct {
	acc []float32 // weighted sums of values, dim a query
	max []float32 // greatest score
	sum []float32 // of exponentials
}

func (p *program) newSums(queries, dim int) softSums {
	return softSums{acc: p.floats(queries * dim), max: p.floats(queries), sum: p.floats(queries)}
}

func (s *softSums) clear(queries, dim int) {
	clear(s.acc[:queries*dim])
	clear(s.sum[:queries])
	for q := range queries {
		s.max[q] = float32(math.Inf(-1))
	}
}

// raise makes m, which is greater, the greatest score of a query.
func (s *softSums) raise(q int, m float32, dim int) {
	if s.sum[q] > 0 { // else there is nothing yet
		old := float32(math.Exp(float64(s.max[q] - m)))
		acc := s.acc[q*dim : (q+1)*dim]
		kernel.Scale(acc, acc, old)
		s.sum[q] *= old
	}
	s.max[q] = m
}

// merge adds the sums of a segment to those of the segments before.
func (s *softSums) merge(part *softSums, queries, dim int) {
	for q := range queries {
		if part.sum[q] == 0 { // the query sees nothing there
			continue
		}
		if part.max[q] > s.max[q] {
			s.raise(q, part.max[q], dim)
		}
		by := float32(1)
		if part.max[q] < s.max[q] {
			by = float32(math.Exp(float64(part.max[q] - s.max[q])))
		}
		kernel.AddScaledRow(s.acc[q*dim:(q+1)*dim], part.acc[q*dim:(q+1)*dim], by)
		s.sum[q] += by * part.sum[q]
	}
}

// from are the sums from query first on.
func (s *softSums) from(first, dim int) softSums {
	return softSums{acc: s.acc[first*dim:], max: s.max[first:], sum: s.sum[first:]}
}
