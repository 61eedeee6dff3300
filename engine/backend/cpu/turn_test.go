package cpu

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/llamakit/llamakit/formats/quant"
)

// turned makes the turn of rows of dim columns, with the scratch memory that it needs.
func turned(dim int) (*turn, []byte) {
	p := &program{crew: &crew{n: 1}, turns: map[int]*turn{}}
	t := p.turnFor(&block{typ: quant.Q4_0, dim: dim})
	return t, make([]byte, t.actBytes(dim))
}

// TestTurnIsItsOwnInverse also in rows that are cut into several blocks of columns, and keeps the length of each.
func TestTurnIsItsOwnInverse(t *testing.T) {
	for dim, size := range map[int]int{32: 32, 64: 64, 96: 32, 128: 128, 192: 64, 256: 128, 576: 64} {
		turn, acts := turned(dim)
		if turn.size != size {
			t.Errorf("%d columns are turned %d at a time, want %d", dim, turn.size, size)
		}
		r := rand.New(rand.NewPCG(1, uint64(dim)))
		x, y, back := make([]float32, dim), make([]float32, dim), make([]float32, dim)
		for i := range x {
			x[i] = float32(r.NormFloat64())
		}
		turn.row(y, x, acts)
		turn.row(back, y, acts)
		var xx, yy float64
		for i := range x {
			xx, yy = xx+float64(x[i]*x[i]), yy+float64(y[i]*y[i])
			if math.Abs(float64(back[i]-x[i])) > 1e-5 {
				t.Fatalf("%d columns: [%d] is %g after two turns, was %g", dim, i, back[i], x[i])
			}
		}
		if math.Abs(xx-yy) > 1e-4*xx {
			t.Errorf("%d columns: the length changed from %g to %g", dim, xx, yy)
		}
	}
}

// TestTurnSpreadsOutliers: heads with a few large columns, as trained models have them, lose much less when they are turned.
func TestTurnSpreadsOutliers(t *testing.T) {
	const dim = 128
	turn, acts := turned(dim)
	r := rand.New(rand.NewPCG(2, 3))
	x, y := make([]float32, dim), make([]float32, dim)
	for i := range x {
		x[i] = float32(r.NormFloat64())
	}
	for i := 0; i < dim; i += 32 {
		x[i+5] = 40
	}
	turn.row(y, x, acts)
	if plain, turned := lost(t, x), lost(t, y); turned > plain/5 {
		t.Errorf("squared error %g when turned, %g when not", turned, plain)
	}
}

// lost is the squared error of x in Q4_0.
func lost(t *testing.T, x []float32) (sum float64) {
	t.Helper()
	b, back := make([]byte, quant.Q4_0.RowBytes(len(x))), make([]float32, len(x))
	if err := quant.Encode(quant.Q4_0, b, x); err != nil {
		t.Fatal(err)
	}
	quant.Decode(quant.Q4_0, back, b)
	for i := range x {
		sum += float64(back[i]-x[i]) * float64(back[i]-x[i])
	}
	return sum
}
