package blocks

import "github.com/llamakit/llamakit/engine/graph"

// MLA is multi-head latent attention (DeepSeek-V2: arXiv:2405.04434, section 2.1). Queries, and keys and values together, pass
// through narrow latent rows; positions are in columns of their own, which keys have once for all heads:
//
//	q = QB·norm(QA·h), by heads [nope | rope]
//	[c | k_rope] = KVA·h;  c = norm(c)
//	head h:  softmax(q_nope·(KB_h c) + q_rope·k_rope) over the tokens, times VB_h c
//
// Absorbed, KB_h goes to the query's side and VB_h after the sum, so that all heads share one key [c | k_rope] whose first columns are
// the value, and nothing else is cached. The plain form makes keys and values of each head from c.
type MLA struct {
	QA    graph.Linear      // NEmbd to the latent query; no W: queries come straight from h
	QNorm graph.NormWeights // of the latent query
	QB    graph.Linear      // to Heads·DimK
	KVA   graph.Linear      // NEmbd to Rank + rope columns
	Norm  graph.NormWeights // of c, (Rank)
	KNorm *graph.NormWeights
	KV    LatentKV
	Rope  *graph.RopeSpec // of the last columns of a head; nil: they are not rotated
	Index *Indexer        // chooses keys; nil: none
	Gate  *OutputGate     // nil: none
	Out   graph.Linear

	Heads       int
	DimK, DimV  int // of a head, before the absorption
	Window      int
	Scale       float32
	Sinks       []float32    // by head; nil: none
	Temperature *Temperature // nil: none
}

// LatentKV is how keys and values of heads come from latent rows: absorbed, by a matrix a head each, or plain.
type LatentKV struct {
	KB *graph.Weight // Heads matrices of Rank rows of nope values; nil: plain
	VB *graph.Weight // Heads matrices of DimV rows of Rank values
	B  graph.Linear  // plain: to nope columns of keys and DimV of values, head after head
}

// Temperature grows with the position: queries are multiplied by 1 + A·ln(floor((pos + Offset)/Length) + 1).
type Temperature struct{ A, Length, Offset float32 }

// Apply records attention over the normed rows h.
func (m *MLA) Apply(b *graph.Builder, h *graph.Tensor) *graph.Tensor {
	latent := h
	if m.QA.W != nil {
		latent = b.Name(b.Norm(b.Linear(h, m.QA), m.QNorm), "q_lora")
	}
	q := b.Linear(latent, m.QB)
	kv := b.Linear(h, m.KVA)
	rank := m.rank()
	c, kRope := b.Norm(b.View(kv, 0, rank), m.Norm), b.View(kv, rank, kv.Width-rank)
	if m.KNorm != nil {
		kRope = b.Norm(kRope, *m.KNorm)
	}
	if m.Rope != nil {
		q, kRope = b.RoPE(q, m.DimK, m.Rope), b.RoPE(kRope, kRope.Width, m.Rope)
	}
	if t := m.Temperature; t != nil {
		q = b.PosScale(q, t.A, t.Length, t.Offset)
	}
	spec := graph.AttentionSpec{Heads: m.Heads, HeadsKV: 1, Window: m.Window, Scale: m.Scale, Sinks: m.Sinks}
	if m.Index != nil {
		spec.Keys = m.Index.Choose(b, h, latent)
	}
	return m.out(b, h, m.attend(b, b.Name(q, "q"), b.Name(c, "kv_cmpr"), kRope, spec))
}

// rank is the width of latent keys and values.
func (m *MLA) rank() int {
	if m.KV.KB == nil {
		return m.KV.B.W.In
	}
	return m.KV.KB.Out
}

// attend returns the heads' results.
func (m *MLA) attend(b *graph.Builder, q, c, kRope *graph.Tensor, s graph.AttentionSpec) *graph.Tensor {
	if m.KV.KB == nil {
		return m.attendPlain(b, q, c, kRope, s)
	}
	q, k := b.HeadLinear(q, m.KV.KB), c
	if kRope.Width > 0 {
		k = b.Join(c, kRope, 1, kRope.Width)
	}
	s.DimK, s.DimV = k.Width, c.Width
	o := b.Name(b.Attention(b.Name(q, "Qcur"), b.Name(k, "Kcur"), nil, s), "kqv_compressed")
	return b.HeadLinear(o, m.KV.VB)
}

func (m *MLA) attendPlain(b *graph.Builder, q, c, kRope *graph.Tensor, s graph.AttentionSpec) *graph.Tensor {
	kv := b.Linear(c, m.KV.B)
	width, nope := kv.Width/m.Heads, m.DimK-kRope.Width
	k := b.Join(b.Slice(kv, width, 0, nope), kRope, m.Heads, kRope.Width)
	v := b.Slice(kv, width, nope, m.DimV)
	s.HeadsKV, s.DimK, s.DimV = m.Heads, m.DimK, m.DimV
	return b.Attention(b.Name(q, "Qcur"), b.Name(k, "Kcur"), b.Name(v, "Vcur"), s)
}

// out projects the heads' results back to the residual stream.
func (m *MLA) out(b *graph.Builder, h, o *graph.Tensor) *graph.Tensor {
	b.Name(o, "kqv_out")
	if m.Gate != nil {
		o = m.Gate.Apply(b, h, o)
	}
	return b.Name(b.Linear(o, m.Out), "attn_out")
}
