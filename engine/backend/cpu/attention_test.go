package cpu_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/llamakit/llamakit/engine/backend"
	"github.com/llamakit/llamakit/engine/graph"
	"github.com/llamakit/llamakit/engine/kv"
	"github.com/llamakit/llamakit/formats/quant"
)

// attentionModel is an embedding, three projections and one attention layer.
type attentionModel struct {
	embd, q, k, v *graph.Weight
	spec          graph.AttentionSpec
	g             *graph.Graph
}

func newAttentionModel(spec graph.AttentionSpec) *attentionModel {
	r := rand.New(rand.NewPCG(1, uint64(spec.Heads)))
	const embd = 24
	m := &attentionModel{spec: spec, embd: weights(r, embd, vocab, 1), q: weights(r, embd, spec.Heads*spec.DimK, 1),
		k: weights(r, embd, spec.HeadsKV*spec.DimK, 1), v: weights(r, embd, spec.HeadsKV*spec.DimV, 1)}
	b := &graph.Builder{}
	x := b.Scale(b.Embed(m.embd), 4)
	q, k, v := b.Linear(x, graph.Linear{W: m.q}), b.Linear(x, graph.Linear{W: m.k}), b.Linear(x, graph.Linear{W: m.v})
	out := b.Select(b.Attention(q, k, v, spec))
	m.g = b.Finish(out, out)
	return m
}

// want is attention by its definition, of the token at index last of a text, of which tokens is all that it may see.
func (m *attentionModel) want(tokens []int32, last int) []float64 {
	rows := func(w *graph.Weight) (out [][]float64) {
		for _, t := range tokens {
			x := values(m.embd, int(t))
			for i := range x {
				x[i] *= 4
			}
			out = append(out, times(w, 0, x))
		}
		return out
	}
	q, k, v := rows(m.q), rows(m.k), rows(m.v)
	s := m.spec
	out := make([]float64, s.Heads*s.DimV)
	for h := range s.Heads {
		kv, sum := h/(s.Heads/s.HeadsKV), 0.0
		if s.Sinks != nil {
			sum = math.Exp(float64(s.Sinks[h]))
		}
		for j := range tokens {
			distance := max(last-j, j-last)
			switch {
			case s.Full && s.Window > 0 && distance > s.Window/2, !s.Full && s.Window > 0 && distance >= s.Window,
				s.Chunk > 0 && j < last/s.Chunk*s.Chunk:
				continue
			}
			score := 0.0
			for d := range s.DimK {
				score += q[last][h*s.DimK+d] * k[j][kv*s.DimK+d]
			}
			score *= float64(s.Scale)
			if s.Cap > 0 {
				score = float64(s.Cap) * math.Tanh(score/float64(s.Cap))
			}
			if s.ALiBi > 0 {
				score -= float64(graph.ALiBiSlopes(s.Heads, s.ALiBi)[h]) * float64(distance)
			}
			p := math.Exp(score)
			sum += p
			for d := range s.DimV {
				out[h*s.DimV+d] += p * v[j][kv*s.DimV+d]
			}
		}
		for d := range s.DimV {
			out[h*s.DimV+d] /= sum
		}
	}
	return out
}

func text(n int) []int32 {
	tokens := make([]int32, n)
	for i := range tokens {
		tokens[i] = int32(i*i+i/3) % vocab
	}
	return tokens
}

func TestAttention(t *testing.T) {
	for name, spec := range map[string]graph.AttentionSpec{
		"mha":        {Heads: 3, HeadsKV: 3, DimK: 16, DimV: 16, Scale: 0.3},
		"gqa":        {Heads: 6, HeadsKV: 2, DimK: 8, DimV: 8, Scale: 0.3},
		"mqa":        {Heads: 5, HeadsKV: 1, DimK: 20, DimV: 20, Scale: 0.3},
		"own widths": {Heads: 4, HeadsKV: 2, DimK: 24, DimV: 10, Scale: 0.3},
		"window":     {Heads: 2, HeadsKV: 1, DimK: 16, DimV: 16, Scale: 0.3, Window: 20},
		"window 1":   {Heads: 2, HeadsKV: 1, DimK: 16, DimV: 16, Scale: 0.3, Window: 1},
		"page":       {Heads: 2, HeadsKV: 1, DimK: 16, DimV: 16, Scale: 0.3, Window: kv.PageSize},
		"cap":        {Heads: 2, HeadsKV: 2, DimK: 16, DimV: 16, Scale: 0.5, Cap: 1.5},
		"sinks":      {Heads: 4, HeadsKV: 2, DimK: 16, DimV: 16, Scale: 0.3, Sinks: []float32{-2, 0.5, 3, 40}},
		"chunks":     {Heads: 4, HeadsKV: 2, DimK: 16, DimV: 16, Scale: 0.3, Chunk: 24},
		"full":       {Heads: 4, HeadsKV: 2, DimK: 16, DimV: 16, Scale: 0.3, Full: true},
		"full swa":   {Heads: 4, HeadsKV: 2, DimK: 16, DimV: 16, Scale: 0.3, Full: true, Window: 13},
		"full page":  {Heads: 4, HeadsKV: 2, DimK: 16, DimV: 16, Scale: 0.3, Full: true, Window: 2 * kv.PageSize},
		"full alibi": {Heads: 6, HeadsKV: 2, DimK: 16, DimV: 16, Scale: 0.3, Full: true, ALiBi: 8},
		"alibi":      {Heads: 6, HeadsKV: 2, DimK: 16, DimV: 16, Scale: 0.3, ALiBi: 8},
		"alibi swa":  {Heads: 3, HeadsKV: 3, DimK: 16, DimV: 16, Scale: 0.3, ALiBi: 2, Window: 20},
		"many heads": {Heads: 70, HeadsKV: 1, DimK: 8, DimV: 8, Scale: 0.3},
	} {
		t.Run(name, func(t *testing.T) { testAttention(t, spec) })
		spec.DimK, spec.DimV = 64, 32 // which a tier may multiply in fixed point
		t.Run(name+", wide", func(t *testing.T) { testAttention(t, spec) })
	}
}

func testAttention(t *testing.T, spec graph.AttentionSpec) {
	m := newAttentionModel(spec)
	eachTier(t, func(t *testing.T) {
		for _, c := range []struct {
			typ   quant.Type
			bound float64
		}{{quant.F32, 1e-11}, {quant.F16, 1e-5}} {
			p := compile(t, m.g, 2, c.typ)
			tokens := text(100)
			pages := []kv.Page{7, 2, 9, 0}
			for from := 0; from < len(tokens); from += 50 {
				b := &backend.Batch{Tokens: tokens[from : from+50], Spans: []backend.Span{{N: 50, Past: from, Pages: pages}}}
				b.Outputs = []int32{0, 13, 31, 49}
				p.Run(b)
				for i, row := range b.Outputs {
					pos := from + int(row)
					seen, last := tokens[:pos+1], pos
					if spec.Full {
						seen, last = tokens[from:from+50], int(row)
					}
					close64(t, fmt.Sprintf("%v cache, position %d", c.typ, pos), p.Logits(i), m.want(seen, last), c.bound)
				}
			}
		}
	})
}

// TestCompany: a sequence's numbers are the same bits alone and among others, in any place of the batch.
func TestCompany(t *testing.T) {
	for name, spec := range map[string]graph.AttentionSpec{
		"plain": {Heads: 6, HeadsKV: 2, DimK: 16, DimV: 16, Scale: 0.3},
		"alibi": {Heads: 6, HeadsKV: 2, DimK: 16, DimV: 16, Scale: 0.3, ALiBi: 8},
		"full":  {Heads: 6, HeadsKV: 2, DimK: 16, DimV: 16, Scale: 0.3, Full: true, Window: 24, ALiBi: 8},
	} {
		t.Run(name, func(t *testing.T) { company(t, newAttentionModel(spec)) })
		spec.DimK, spec.DimV = 32, 64
		t.Run(name+", wide", func(t *testing.T) { company(t, newAttentionModel(spec)) })
	}
}

func company(t *testing.T, m *attentionModel) {
	eachTier(t, func(t *testing.T) {
		alone := compile(t, m.g, 1, quant.F16)
		tokens := text(40)
		alone.Run(&backend.Batch{Tokens: tokens, Spans: []backend.Span{{N: 40, Pages: []kv.Page{0, 1}}}, Outputs: []int32{39}})
		want := slices.Clone(alone.Logits(0))

		busy := compile(t, m.g, 3, quant.F16)
		busy.Run(&backend.Batch{Tokens: text(33), Spans: []backend.Span{{N: 33, Pages: []kv.Page{4, 5}}}})
		b := &backend.Batch{Outputs: []int32{0, 1, 41, 44}}
		b.Tokens = slices.Concat([]int32{3, 9}, tokens, []int32{1, 2, 3})
		b.Spans = []backend.Span{{Row: 0, N: 1, Past: 33, Pages: []kv.Page{4, 5}}, {Row: 1, N: 1, Pages: []kv.Page{6}},
			{Row: 2, N: 40, Pages: []kv.Page{9, 3}}, {Row: 42, N: 3, Pages: []kv.Page{8}}}
		busy.Run(b)
		if got := busy.Logits(2); !slices.Equal(got, want) {
			t.Errorf("logits differ in company")
		}
	})
}

func TestCopiedPage(t *testing.T) {
	m := newAttentionModel(graph.AttentionSpec{Heads: 2, HeadsKV: 2, DimK: 16, DimV: 8, Scale: 0.3})
	p := compile(t, m.g, 1, quant.F32)
	tokens := text(21)
	p.Run(&backend.Batch{Tokens: tokens[:20], Spans: []backend.Span{{N: 20, Pages: []kv.Page{3}}}})
	p.Copy(kv.Copy{From: 3, To: 11, Tokens: 20})
	p.Run(&backend.Batch{Tokens: tokens[20:], Spans: []backend.Span{{N: 1, Past: 20, Pages: []kv.Page{11}}}, Outputs: []int32{0}})
	close64(t, "after a copy", p.Logits(0), m.want(tokens, 20), 1e-11)
}
