package probe

import (
	"context"
	"math"

	"github.com/llamakit/llamakit/formats/quant"
)

const (
	maxScaleRows    = 64  // of the map of a tensor
	maxScaleColumns = 128 // likewise
	plainBlock      = 32  // values of types without blocks that are looked at together
)

// Scales is a map of how large the scales of a tensor's blocks are, and where: a grid over rows and columns, of which each
// cell has the mean magnitude. Types without blocks have no scales; there it is the largest magnitude of 32 values. What is
// not finite is left out.
type Scales struct {
	Stored  bool // the type has scales
	Block   int  // values that a scale is for
	Rows    int  // of the grid
	Columns int
	Min     float64 // of all scales that are not 0
	Max     float64

	sum   []float64
	count []int
}

// Scales maps the scales of the rows.
func (r Rows) Scales(ctx context.Context) (*Scales, error) {
	typ := r.Tensor.Type
	s := &Scales{Block: typ.BlockSize(), Min: math.Inf(1)}
	_, s.Stored = quant.Scale(typ, make([]byte, typ.BlockBytes()))
	if !s.Stored {
		s.Block = plainBlock
	}
	width := r.Tensor.Dim(0)
	blocks := (width + s.Block - 1) / s.Block
	s.Rows, s.Columns = min(r.N, maxScaleRows), min(blocks, maxScaleColumns)
	s.sum, s.count = make([]float64, s.Rows*s.Columns), make([]int, s.Rows*s.Columns)
	put := func(row, column int, scale float32) {
		s.add(int(int64(row)*int64(s.Rows)/int64(r.Of)), column/s.Block*s.Columns/blocks, math.Abs(float64(scale)))
	}
	err := r.eachScale(ctx, s.Stored, put)
	if s.Max == 0 {
		s.Min = 0
	}
	return s, err
}

// eachScale hands out the scales of blocks, or the largest magnitudes.
func (r Rows) eachScale(ctx context.Context, stored bool, put func(row, column int, scale float32)) error {
	typ := r.Tensor.Type
	if !stored {
		return r.Values(ctx, func(row, column int, values []float32) {
			for i := 0; i < len(values); i += plainBlock {
				put(row, column+i, largest(values[i:min(len(values), i+plainBlock)]))
			}
		})
	}
	return r.Blocks(ctx, func(row, column int, blocks []byte) {
		for ; len(blocks) > 0; blocks, column = blocks[typ.BlockBytes():], column+typ.BlockSize() {
			scale, _ := quant.Scale(typ, blocks)
			put(row, column, scale)
		}
	})
}

func largest(values []float32) (most float32) {
	for _, v := range values {
		most = max(most, v, -v)
	}
	return most
}

func (s *Scales) add(row, column int, scale float64) {
	if math.IsNaN(scale) || math.IsInf(scale, 0) {
		return
	}
	i := row*s.Columns + column
	s.sum[i] += scale
	s.count[i]++
	s.Max = max(s.Max, scale)
	if scale > 0 {
		s.Min = min(s.Min, scale)
	}
}

// Grid is the map in fewer cells, or as many as there are: at most rows times columns. NaN is a cell without a scale.
func (s *Scales) Grid(rows, columns int) [][]float64 {
	rows, columns = min(rows, s.Rows), min(columns, s.Columns)
	grid := make([][]float64, max(rows, 0))
	for y := range grid {
		grid[y] = make([]float64, max(columns, 0))
		for x := range grid[y] {
			grid[y][x] = s.mean(y*s.Rows/rows, (y+1)*s.Rows/rows, x*s.Columns/columns, (x+1)*s.Columns/columns)
		}
	}
	return grid
}

func (s *Scales) mean(top, bottom, left, right int) float64 {
	sum, n := 0.0, 0
	for y := top; y < bottom; y++ {
		for x := left; x < right; x++ {
			sum, n = sum+s.sum[y*s.Columns+x], n+s.count[y*s.Columns+x]
		}
	}
	return sum / float64(n)
}
