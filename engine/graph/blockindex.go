package graph

// BlockSpec says how a BlockIndex chooses.
type BlockSpec struct {
	Heads int // of queries: the key heads of the attention
	Top   int // blocks chosen
	Size  int // tokens a block
	Local int // newest blocks that are always chosen, the row's own the last; they count
}

// BlockIndex chooses blocks of keys for each key head of attention by itself (MiniMax-M3's sparse attention; blocks as in MoBA: Lu et al.
// 2025, arXiv:2502.13189). With one key K a token, head h of a row's Q gives block s the score
//
//	max over its tokens j: q_h·k_j
//
// and what is chosen are the tokens, up to the row's own, of the Local newest blocks and of those with the greatest scores.
type BlockIndex struct {
	Choice
	Q, K *Tensor
	BlockSpec
	Layer int // index into Graph.Layers, where the keys are kept
}

func (x *BlockIndex) inputs() []**Tensor { return []**Tensor{&x.Q, &x.K} }

// BlockIndex chooses blocks of keys; k is one head.
func (b *Builder) BlockIndex(q, k *Tensor, s BlockSpec) *Choice {
	check(s.Heads > 0 && q.Width == s.Heads*k.Width && s.Size > 0 && s.Top > 0 && s.Local >= 0, "block index", q, k, s)
	b.g.Layers = append(b.g.Layers, Layer{HeadsKV: 1, DimK: k.Width, Ratio: 1})
	x := &BlockIndex{Choice: Choice{Dst: b.tensor(s.Heads*(1+s.Top*s.Size), nil), Lists: s.Heads, Each: 1, From: s.Top * s.Size},
		Q: q, K: k, BlockSpec: s, Layer: len(b.g.Layers) - 1}
	b.add(x)
	return &x.Choice
}
