package cpu

import (
	"math"

	"github.com/llamakit/llamakit/engine/backend/cpu/kernel"
	"github.com/llamakit/llamakit/engine/graph"
)

// ropeTable is a step that computes the cosines and sines of a batch's positions, once for all layers that share the
// rotary embedding. Angles are computed in float64: at position 100,000 float32 would be off by a hundredth.
type ropeTable struct {
	spec     *graph.RopeSpec
	freq     []float64
	scale    float64
	cos, sin []float32 // Dims/2 a row
}

func (p *program) newRopeTable(spec *graph.RopeSpec) *ropeTable {
	freq, scale := spec.Frequencies()
	if spec.Inverse {
		for i := range freq {
			freq[i] = -freq[i]
		}
	}
	n := p.options.Rows * len(freq)
	return &ropeTable{spec: spec, freq: freq, scale: scale, cos: p.floats(n), sin: p.floats(n)}
}

func (t *ropeTable) parts(r *run) int { return (r.n + rowsAPart - 1) / rowsAPart }

func (t *ropeTable) do(r *run, _, part int) {
	for i := part * rowsAPart; i < min((part+1)*rowsAPart, r.n); i++ {
		cos, sin := t.row(i)
		for j, f := range t.freq {
			s, c := math.Sincos(float64(int(r.pos[i])-t.spec.Shift) * f)
			cos[j], sin[j] = float32(c*t.scale), float32(s*t.scale)
		}
	}
}

func (t *ropeTable) row(i int) (cos, sin []float32) {
	n := len(t.freq)
	return t.cos[i*n : (i+1)*n], t.sin[i*n : (i+1)*n]
}

// rotate returns the row function of an op with this table.
func (t *ropeTable) rotate(op *graph.Rope) func(r *run, i int) {
	turn := kernel.RopeNorm
	if op.Spec.Kind == graph.RopeNeox {
		turn = kernel.RopeNeox
	}
	dims := op.Spec.Dims
	from := 0
	if op.Spec.Tail {
		from = op.HeadDim - dims
	}
	return func(r *run, i int) {
		dst, x := r.row(op.Dst, i), r.row(op.X, i)
		cos, sin := t.row(i)
		for at := 0; at < len(x); at += op.HeadDim {
			head, y := x[at:at+op.HeadDim], dst[at:at+op.HeadDim]
			copy(y[:from], head[:from])
			turn(y[from:from+dims], head[from:from+dims], cos, sin)
			copy(y[from+dims:], head[from+dims:])
		}
	}
}

// posScale is the factor of graph.PosScale at a position.
func posScale(op *graph.PosScale, pos int) float32 {
	steps := math.Floor((float64(pos) + float64(op.Offset)) / float64(op.Length))
	return float32(1 + float64(op.A)*math.Log(steps+1))
}
