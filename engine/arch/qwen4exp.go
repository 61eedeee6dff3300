package arch

import (
	"slices"

	"github.com/llamakit/llamakit/engine/arch/blocks"
	"github.com/llamakit/llamakit/engine/graph"
)

// Qwen4 Exp (llama.cpp's src/models/qwen4exp.cpp): the layers of Qwen3.5 on several residual streams, with a table of n-grams before some.
// Attention sees the best blocks of keys, found by an indexer over the mean key of each. The streams are joined to a layer by gates of
// low rank,
//
//	n = norm(x), by streams;  h = mean_s(n_s ⊙ σ(Up·silu(Down·n / streams))_s)
//	x_s += 2σ(Inject·n / streams)_s·f(h)
//
// and there are no other norms: the output reads the streams as a layer does.

type qwen4 struct {
	embd   *graph.Weight
	out    graph.Linear
	layers []qwen4Layer
	last   gatedStreams
	n      int // streams
}

type qwen4Layer struct {
	engram          *blocks.Engram // nil: none
	readMix, readFF gatedStreams
	mix             mixer
	ffn             blocks.FFN
}

// gatedStreams joins a layer to the streams.
type gatedStreams struct {
	norm             graph.NormWeights // (NEmbd, streams)
	down, up, inject graph.Linear      // of all streams; no inject.W: nothing is written
}

func newQwen4(s *source) architecture {
	m := &qwen4{n: s.IntIn("hyper_connection.count", 1, maxStreams), embd: s.matrix("token_embd.weight", s.NEmbd, s.NVocab)}
	m.out, m.last = s.plain("output", s.NEmbd, s.NOutput), s.gatedStreams("output_hc", m.n)
	rope, recurrent, ffn, sizes := s.rope(graph.RopeNeox, nil), s.recurrentLayers(4), s.gatedMixture(), s.sparse()
	ratios := s.IntsOrScalarOr("attention.compress_ratios", s.NBlock(), 0)
	var engrams []int
	if s.Has("ple.layers") {
		engrams = s.Ints("ple.layers")
	}
	shifted := shifts(rope)
	for i := range s.NLayer {
		l := qwen4Layer{readMix: s.gatedStreams(name(i, "hc_attn"), m.n), readFF: s.gatedStreams(name(i, "hc_ffn"), m.n), ffn: ffn(i)}
		if slices.Contains(engrams, i) {
			l.engram = s.engram(i, m.n)
		}
		if recurrent[i] {
			d := s.qwen35Delta(i).(*blocks.GatedDeltaNet)
			d.Gate = graph.Sigmoid
			l.mix = d
		} else if s.err() == nil {
			l.mix = s.indexedAttention(i, rope, shifted(ratios[i]), sizes, ratios[i])
		}
		m.layers = append(m.layers, l)
	}
	return m
}

func (s *source) gatedStreams(name string, n int) gatedStreams {
	rank := s.IntIn("hyper_connection.low_rank", 1, maxWidth)
	g := gatedStreams{norm: s.streamNorm(name+"_norm", n), down: s.plain(name+"_down", n*s.NEmbd, rank), up: s.plain(name+"_up", rank, n*s.NEmbd)}
	if s.has(name + "_inject.weight") {
		g.inject = s.plain(name+"_inject", n*s.NEmbd, n)
	}
	return g
}

// streamNorm binds a norm by streams.
func (s *source) streamNorm(name string, n int) graph.NormWeights {
	return graph.NormWeights{W: s.vector(name+".weight", s.NEmbd, n), Eps: s.NormEps}
}

// shifts returns rope as it is at the first position of a block that ends with a row's token, by the tokens of a block.
func shifts(rope *graph.RopeSpec) func(ratio int) *graph.RopeSpec {
	made := map[int]*graph.RopeSpec{}
	return func(ratio int) *graph.RopeSpec {
		if made[ratio] == nil {
			shifted := *rope
			shifted.Shift = ratio - 1
			made[ratio] = &shifted
		}
		return made[ratio]
	}
}

// indexedAttention binds gated attention in layer i, to the best blocks of ratio keys, whose keys have the rotary embedding first; 0: to
// all keys.
func (s *source) indexedAttention(i int, rope, first *graph.RopeSpec, p sparse, ratio int) mixer {
	a := s.gatedAttention(i, rope)
	for _, l := range []*graph.Linear{&a.Q, &a.K, &a.V} {
		l.Bias = nil // llama.cpp passes over a file's
	}
	if ratio < 1 {
		return a
	}
	q, k := s.rmsNorm(name(i, "indexer.q_norm"), p.Dim), s.rmsNorm(name(i, "indexer.k_norm"), p.Dim)
	a.Index = &blocks.Indexer{Q: s.plain(name(i, "indexer.q_proj"), s.NEmbd, p.Heads*p.Dim), QNorm: &q, Rope: rope,
		Keys: &blocks.Compressor{X: &blocks.IndexKeys{K: s.plain(name(i, "indexer.k_proj"), s.NEmbd, p.Dim)}, Ratio: ratio, Width: p.Dim,
			Norm: &k, Rope: first},
		Spec: graph.IndexSpec{Heads: p.Heads, Top: max(1, p.Top/ratio), Ratio: ratio}}
	return a
}

// read records what a layer reads of the streams x, and the weights of what it writes.
func (g *gatedStreams) read(b *graph.Builder, x *graph.Tensor, n int) (h, write *graph.Tensor) {
	each := 1 / float32(n)
	xn := b.NormHeads(x, g.norm, x.Width/n)
	gate := b.Linear(b.Activate(b.Scale(b.Linear(xn, g.down), each), graph.SiLU), g.up)
	h = b.Name(b.MixStreams(b.GLU(graph.Sigmoid, gate, xn), nil, n), "hc_pre")
	if g.inject.W == nil {
		return h, nil
	}
	return h, b.Scale(b.Activate(b.Scale(b.Linear(xn, g.inject), each), graph.Sigmoid), 2)
}

func (m *qwen4) block(b *graph.Builder, x *graph.Tensor, i int) *graph.Tensor {
	l := &m.layers[i]
	if l.engram != nil {
		x = l.engram.Apply(b, x)
	}
	h, w := l.readMix.read(b, x, m.n)
	x = b.SpreadStreams(x, l.mix.Apply(b, h), w, m.n)
	h, w = l.readFF.read(b, x, m.n)
	return b.Name(b.SpreadStreams(x, l.ffn.Apply(b, h), w, m.n), "l_out")
}

func (m *qwen4) forward() *graph.Graph {
	b := &graph.Builder{}
	x := b.Repeat(b.Name(b.Embed(m.embd), "inp_embd"), m.n)
	for i := range m.layers {
		b.SetLayer(i)
		x = m.block(b, x, i)
	}
	b.SetLayer(-1)
	hidden, _ := m.last.read(b, b.Select(x), m.n)
	return b.Finish(b.Name(hidden, "result_norm"), b.Name(b.Linear(hidden, m.out), "result_output"))
}

func init() { register("qwen4exp", newQwen4) }
