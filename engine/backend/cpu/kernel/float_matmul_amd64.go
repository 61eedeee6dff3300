//go:build amd64 && !purego

package kernel

import "unsafe"

// tileFunc computes the products of one height of tile (a number of activation rows) with groups of 4 weight rows or
// of 1; tile_avx2_amd64.go describes it.
type tileFunc func(y *float32, ldy int, w *byte, ldw int, x *float32, ldx int, steps, groups, tiles, add, ahead int)

// tileSet has the tiles for one type of weights: quad[h-1] and single[h-1] take h activation rows. pipe, where there is one, takes as many as the
// highest quad.
type tileSet struct {
	lanes        int
	quad, single []tileFunc
	pipe         pipeFunc
}

// pipeFunc computes short products; pipe_amd64.go describes it.
type pipeFunc func(y *float32, ldy int, w *byte, ldw int, x *float32, ldx int, steps, pairs, tiles, ahead int)

// Vectors a row for which a pipe wins.
const (
	pipeLeast = 4
	pipeMost  = 32
)

var tilesAVX2 = [directCount]tileSet{
	directF32: {8,
		[]tileFunc{tileF32AVX2x1x4, tileF32AVX2x2x4, tileF32AVX2x3x4},
		[]tileFunc{tileF32AVX2x1x1, tileF32AVX2x2x1, tileF32AVX2x3x1}, nil},
	directF16: {8,
		[]tileFunc{tileF16AVX2x1x4, tileF16AVX2x2x4, tileF16AVX2x3x4},
		[]tileFunc{tileF16AVX2x1x1, tileF16AVX2x2x1, tileF16AVX2x3x1}, nil},
	directBF16: {8,
		[]tileFunc{tileBF16AVX2x1x4, tileBF16AVX2x2x4, tileBF16AVX2x3x4},
		[]tileFunc{tileBF16AVX2x1x1, tileBF16AVX2x2x1, tileBF16AVX2x3x1}, nil},
}

var tilesAVX512 = [directCount]tileSet{
	directF32: {16,
		[]tileFunc{tileF32AVX512x1x4, tileF32AVX512x2x4, tileF32AVX512x3x4, tileF32AVX512x4x4, tileF32AVX512x5x4, tileF32AVX512x6x4},
		[]tileFunc{tileF32AVX512x1x1, tileF32AVX512x2x1, tileF32AVX512x3x1, tileF32AVX512x4x1, tileF32AVX512x5x1, tileF32AVX512x6x1}, pipeF32AVX512},
	directF16: {16,
		[]tileFunc{tileF16AVX512x1x4, tileF16AVX512x2x4, tileF16AVX512x3x4, tileF16AVX512x4x4, tileF16AVX512x5x4, tileF16AVX512x6x4},
		[]tileFunc{tileF16AVX512x1x1, tileF16AVX512x2x1, tileF16AVX512x3x1, tileF16AVX512x4x1, tileF16AVX512x5x1, tileF16AVX512x6x1}, pipeF16AVX512},
	directBF16: {16,
		[]tileFunc{tileBF16AVX512x1x4, tileBF16AVX512x2x4, tileBF16AVX512x3x4, tileBF16AVX512x4x4, tileBF16AVX512x5x4, tileBF16AVX512x6x4},
		[]tileFunc{tileBF16AVX512x1x1, tileBF16AVX512x2x1, tileBF16AVX512x3x1, tileBF16AVX512x4x1, tileBF16AVX512x5x1, tileBF16AVX512x6x1}, nil},
}

// block is the tier's blockFunc.
func (s *tileSet) block(y []float32, ldy int, w []float32, ldw int, x []float32, ldx, m, n, k int, add bool) {
	r := tileRun{s, unsafe.Pointer(&y[0]), 4 * ldy, unsafe.Pointer(&w[0]), 4 * ldw, unsafe.Pointer(&x[0]), 4 * ldx, k / s.lanes, 0, 0}
	if add {
		r.add = 1
	}
	r.product(m, n)
}

// tilesBF16 are for processors with AVX512_BF16.
var tilesBF16 = tileSet{16,
	[]tileFunc{tileBF16PairsAVX512x1x4, tileBF16PairsAVX512x2x4, tileBF16PairsAVX512x3x4, tileBF16PairsAVX512x4x4, tileBF16PairsAVX512x5x4, tileBF16PairsAVX512x6x4},
	[]tileFunc{tileBF16PairsAVX512x1x1, tileBF16PairsAVX512x2x1, tileBF16PairsAVX512x3x1, tileBF16PairsAVX512x4x1, tileBF16PairsAVX512x5x1, tileBF16PairsAVX512x6x1}, nil}

// directSetOf makes the tier's products with weights in place.
func directSetOf(sets *[directCount]tileSet) directSet {
	d := directSet{rows: bandRows}
	for i := range sets {
		t := directTiles{&sets[i], 2, 4, kBlock}
		if i == directF32 {
			t.wSize = 4
		}
		d.f[i] = t.product
	}
	return d
}

// directTiles are tiles for weights where they lie.
type directTiles struct {
	*tileSet
	wSize, xSize int // bytes of an element of weights and of activations
	block        int // elements of a partial sum
}

// product is a directFunc. It finishes a few rows before it goes on, so that each weight comes from memory once and in order. More than a
// band of activations pass panelRows weight rows a block of k at a time, which stay in the second-level cache.
func (t directTiles) product(y []float32, ldy int, w, next []byte, ldw int, x []byte, ldx, m, n, k int) {
	ahead := aheadTo(w, next)
	if next == nil {
		ahead = max(4*ldw, ahead) // at least the next group of rows
	}
	step := panelRows
	if k > t.block && m <= bandRows {
		step = 4
	}
	for j := 0; j < n; j += step {
		jn := min(step, n-j)
		for k0 := 0; k0 < k; k0 += t.block {
			steps := min(t.block, k-k0) * t.xSize / (4 * t.lanes) // vectors of activations
			for i := 0; i < m; i += bandRows {
				r := tileRun{t.tileSet, unsafe.Pointer(&y[i*ldy+j]), 4 * ldy, unsafe.Pointer(&w[j*ldw+k0*t.wSize]), ldw,
					unsafe.Pointer(&x[i*ldx+k0*t.xSize]), ldx, steps, min(k0, 1), ahead}
				r.product(min(bandRows, m-i), jn)
			}
		}
	}
}

// tileRun has the operands of a product over one block of k; strides in bytes.
type tileRun struct {
	*tileSet
	y          unsafe.Pointer
	ldy        int
	w          unsafe.Pointer
	ldw        int
	x          unsafe.Pointer
	ldx        int
	steps      int
	add, ahead int
}

// product covers m by n outputs: all that whole groups of four weight rows give, then the rest row by row.
func (r *tileRun) product(m, n int) {
	q := n / 4
	if q > 0 {
		r.strip(r.quad, r.pipe, m, q)
	}
	if n%4 > 0 {
		r.y, r.w = unsafe.Add(r.y, 16*q), unsafe.Add(r.w, 4*q*r.ldw)
		r.strip(r.single, nil, m, n%4)
	}
}

// strip covers all activation rows for some groups of weight rows.
func (r *tileRun) strip(set []tileFunc, pipe pipeFunc, m, groups int) {
	h := len(set)
	switch t := m / h; {
	case t == 0:
	case pipe != nil && r.add == 0 && r.steps >= pipeLeast && r.steps <= pipeMost:
		pipe((*float32)(r.y), r.ldy, (*byte)(r.w), r.ldw, (*float32)(r.x), r.ldx, r.steps, 2*groups, t, r.ahead)
	default:
		r.call(set[h-1], 0, groups, t)
	}
	if m%h > 0 {
		r.call(set[m%h-1], m-m%h, groups, 1)
	}
}

func (r *tileRun) call(f tileFunc, row, groups, tiles int) {
	f((*float32)(unsafe.Add(r.y, row*r.ldy)), r.ldy, (*byte)(r.w), r.ldw, (*float32)(unsafe.Add(r.x, row*r.ldx)), r.ldx,
		r.steps, groups, tiles, r.add, r.ahead)
}
