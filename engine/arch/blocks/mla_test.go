package blocks_test

import (
	"math"
	"math/rand/v2"
	"testing"
	"unsafe"

	"github.com/llamakit/llamakit/engine/arch/blocks"
	"github.com/llamakit/llamakit/engine/graph"
	"github.com/llamakit/llamakit/formats/quant"
)

// latentModel is latent attention with 3 heads of 10+6 columns and values of 8, in a latent space of 20.
type latentModel struct {
	q, kva, b, o randomLinear
	plain        blocks.MLA
}

const (
	mlaHeads, mlaNope, mlaRope, mlaDimV, mlaRank = 3, 10, 6, 8, 20
	mlaDimK                                      = mlaNope + mlaRope
)

func newLatentModel(r *rand.Rand) *latentModel {
	m := &latentModel{q: newRandomLinear(r, embd, mlaHeads*mlaDimK), kva: newRandomLinear(r, embd, mlaRank+mlaRope),
		b: newRandomLinear(r, mlaRank, mlaHeads*(mlaNope+mlaDimV)), o: newRandomLinear(r, mlaHeads*mlaDimV, embd)}
	m.b.Bias = nil
	m.plain = blocks.MLA{QB: m.q.Linear, KVA: m.kva.Linear, Norm: graph.NormWeights{Eps: 1e-5}, KV: blocks.LatentKV{B: m.b.Linear}, Out: m.o.Linear,
		Rope:  &graph.RopeSpec{Dims: mlaRope, Base: 100, Tail: true},
		Heads: mlaHeads, DimK: mlaDimK, DimV: mlaDimV, Scale: 0.4}
	return m
}

// absorbed is the same with a matrix for each head on the queries' side and after the sum.
func (m *latentModel) absorbed() *blocks.MLA {
	kb, vb := make([]float32, mlaHeads*mlaRank*mlaNope), make([]float32, mlaHeads*mlaDimV*mlaRank)
	for h := range mlaHeads {
		rows := m.b.w[h*(mlaNope+mlaDimV)*mlaRank:]
		for n := range mlaNope {
			for c := range mlaRank {
				kb[(h*mlaRank+c)*mlaNope+n] = rows[n*mlaRank+c]
			}
		}
		copy(vb[h*mlaDimV*mlaRank:], rows[mlaNope*mlaRank:(mlaNope+mlaDimV)*mlaRank])
	}
	a := m.plain
	a.KV = blocks.LatentKV{KB: headStack(kb, mlaNope, mlaRank), VB: headStack(vb, mlaRank, mlaDimV)}
	return &a
}

func headStack(w []float32, in, out int) *graph.Weight {
	data := unsafe.Slice((*byte)(unsafe.Pointer(&w[0])), 4*len(w))
	return &graph.Weight{Name: "w", Type: quant.F32, In: in, Out: out, Experts: mlaHeads, Data: data}
}

// want is the plain form by its definition.
func (m *latentModel) want(x []float32, rows int) (out [][]float64) {
	type token struct{ q, kv, rope []float64 }
	var tokens []token
	for i := range rows {
		q, kva := m.q.times(row(x, i)), m.kva.times(row(x, i))
		c, square := kva[:mlaRank], 0.0
		for _, v := range c {
			square += v * v / mlaRank
		}
		for j := range c {
			c[j] /= math.Sqrt(square + 1e-5)
		}
		kv := make([]float64, m.b.W.Out)
		for n := range kv {
			for j, v := range c {
				kv[n] += v * float64(m.b.w[n*mlaRank+j])
			}
		}
		for h := range mlaHeads {
			turn(q[h*mlaDimK+mlaNope:(h+1)*mlaDimK], i)
		}
		turn(kva[mlaRank:], i)
		tokens = append(tokens, token{q, kv, kva[mlaRank:]})
		o := make([]float64, mlaHeads*mlaDimV)
		for h := range mlaHeads {
			total := 0.0
			for _, k := range tokens {
				head := k.kv[h*(mlaNope+mlaDimV):]
				score := 0.0
				for j := range mlaNope {
					score += q[h*mlaDimK+j] * head[j]
				}
				for j, v := range k.rope {
					score += q[h*mlaDimK+mlaNope+j] * v
				}
				p := math.Exp(0.4 * score)
				total += p
				for j := range mlaDimV {
					o[h*mlaDimV+j] += p * head[mlaNope+j]
				}
			}
			for j := range mlaDimV {
				o[h*mlaDimV+j] /= total
			}
		}
		out = append(out, m.o.times(o))
	}
	return out
}

// turn gives pairs (2i, 2i+1) their position.
func turn(x []float64, pos int) {
	for i := 0; i < len(x); i += 2 {
		sin, cos := math.Sincos(float64(pos) * math.Pow(100, -float64(i)/float64(len(x))))
		x[i], x[i+1] = x[i]*cos-x[i+1]*sin, x[i]*sin+x[i+1]*cos
	}
}

func TestMLA(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 7))
	m := newLatentModel(r)
	x := randomRows(r, 17)
	want := m.want(x, 17)
	for name, form := range map[string]*blocks.MLA{"plain": &m.plain, "absorbed": m.absorbed()} {
		t.Run(name, func(t *testing.T) {
			for i, got := range apply(t, x, form.Apply) {
				near(t, got, want[i])
			}
		})
	}
}
