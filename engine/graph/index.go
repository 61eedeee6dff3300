package graph

// Choice is what the rows of a batch see of the keys before them. Dst has one list for all key heads of attention or one for each: how
// many are chosen, and then their numbers in ascending order, which are small enough to be exact in float32.
type Choice struct {
	Dst   *Tensor
	Lists int
	Each  int // tokens that a number stands for: 1, or those of a compressed key
	From  int // rows at positions before see all, and the numbers are left out
}

// All says whether a row at position pos sees all keys.
func (c *Choice) All(pos int) bool { return pos < c.From }

// Writes returns Dst.
func (c *Choice) Writes() *Tensor { return c.Dst }

// IndexSpec says how an Index scores keys and how many it chooses.
type IndexSpec struct {
	Heads int // of queries
	Top   int // blocks of keys chosen a row
	Ratio int // tokens a block; 1: every key by itself
	// Blocks chooses among compressed keys, one a block. Otherwise what is chosen are the tokens of the blocks, and those of the
	// row's own block that is not complete yet.
	Blocks bool
}

// Index is a lightning indexer, which chooses the keys that a row attends to (DeepSeek-V3.2-Exp: arXiv:2512.02556, section 2.1).
// Row i gives block s of keys the score
//
//	Σ_h W_h·max(0, q_h·k_s)
//
// with the heads of its Q and one key K a block, and the Top blocks of the greatest scores are chosen, the first of equals. A block
// can be chosen from the row of its last token on, whose K is its key.
//
// There is one list. Where a row may choose no more than Top blocks it has all.
type Index struct {
	Choice
	Q, K *Tensor
	W    *Tensor // a column a head; nil: ones
	IndexSpec
	Layer int // index into Graph.Layers, where the keys are kept
}

func (x *Index) inputs() []**Tensor { return given(&x.Q, &x.K, &x.W) }

// Complete is the number of blocks that are complete for a row at position pos.
func (x *Index) Complete(pos int) int { return (pos + 1) / x.Ratio }

// Index chooses keys for attention; k is one head, and w may be nil.
func (b *Builder) Index(q, k, w *Tensor, s IndexSpec) *Choice {
	check(s.Heads > 0 && q.Width == s.Heads*k.Width && (w == nil || w.Width == s.Heads) && s.Top > 0 && s.Ratio > 0, "index", q, k, w, s)
	b.g.Layers = append(b.g.Layers, Layer{HeadsKV: 1, DimK: k.Width, Ratio: s.Ratio})
	width, each := 1+s.Top, s.Ratio
	if !s.Blocks {
		width, each = 1+s.Top*s.Ratio+s.Ratio-1, 1
	}
	x := &Index{Choice: Choice{Dst: b.tensor(width, nil), Lists: 1, Each: each, From: (s.Top+1)*s.Ratio - 1},
		Q: q, K: k, W: w, IndexSpec: s, Layer: len(b.g.Layers) - 1}
	b.add(x)
	return &x.Choice
}
