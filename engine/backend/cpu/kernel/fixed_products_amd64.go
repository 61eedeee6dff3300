//go:build amd64 && !purego

package kernel

var fixedAVX512 = fixedOps{
	row: func(dst []int16, x []float32) (scale float32) {
		fixRowAVX512(&dst[0], &x[0], len(x)/FixedWidth, &scale)
		return scale
	},
	weights: func(dst []int16, x, by []float32, top float32) (sum, scale float32) {
		sum = fixWeightsAVX512(&dst[0], &x[0], &by[0], len(x)/FixedWidth, top, &scale)
		return sum, scale
	},
	scores: scaleScoresAVX512,
	element: func(panels []int16, i int, row []int16) {
		putElementAVX512(&panels[i/2*2*FixedWidth], &row[0], len(row)/FixedWidth, i%2)
	},
	mul: mulFixedAVX512,
}

// fixedTiles are the products for 6, 2 and 1 rows at a time; fixed_amd64.go describes them.
var fixedTiles = [...]struct {
	rows int
	f    func(y *float32, ldy int, a *int16, lda int, panels, next *[]int16, offset, count, groups, tiles int, by *float32)
}{{6, fixedAVX512x6}, {2, fixedAVX512x2}, {1, fixedAVX512x1}}

func mulFixedAVX512(y []float32, ldy int, a []int16, lda int, panels, next [][]int16, m, k, columns int, by []float32) {
	for c := 0; c < columns; c += FixedWidth {
		row := 0
		for _, t := range fixedTiles {
			tiles := (m - row) / t.rows
			if tiles == 0 {
				continue
			}
			var scales *float32
			if by != nil {
				scales = &by[row]
			}
			t.f(&y[row*ldy+c], 4*ldy, &a[row*lda], 2*lda, &panels[0], &next[0], 2*k*c, len(panels), k/fixedGroup, tiles, scales)
			row += tiles * t.rows
		}
	}
}
