package graph

// Compress turns each block of Ratio tokens of a sequence into one row, channel by channel a weighted mean of theirs:
//
//	Dst = Σ_t softmax_t(Gate_t + Ape_t mod Ratio) ⊙ X_t
//
// (Native Sparse Attention: Yuan et al. 2025, arXiv:2502.11089, section 3.3.1, compresses tokens so that attention sees few; the
// softmax is DeepSeek-V4's). Without a Gate it is the mean. A block's row is that of its last token; the rows of others hold what
// the block would be if it ended there.
//
// Rows of X that are twice as wide as Dst overlap: a block is the mean of its own tokens' second halves together with the first
// halves of the tokens of the block before.
type Compress struct {
	Dst, X *Tensor
	Gate   *Tensor   // as wide as X; nil: the mean
	Ape    []float32 // Ratio rows as wide as X; nil: zeros
	Ratio  int
	State  int // index into Graph.States
}

// CompressState is the number of values that a Compress keeps of each channel of X: the greatest gate so far, the sum of
// exponentials, and the weighted sum.
const CompressState = 3

func (c *Compress) inputs() []**Tensor { return given(&c.X, &c.Gate) }

// Writes returns Dst.
func (c *Compress) Writes() *Tensor { return c.Dst }

// Overlaps says whether a block has a part in the next one.
func (c *Compress) Overlaps() bool { return c.X.Width > c.Dst.Width }

// Compress makes one row of width columns of each ratio tokens; gate and ape may be nil. x has width columns, or twice as many.
func (b *Builder) Compress(x, gate *Tensor, ape []float32, ratio, width int) *Tensor {
	check((x.Width == width || x.Width == 2*width) && ratio > 0 && (gate == nil || gate.Width == x.Width) &&
		(ape == nil || gate != nil && len(ape) == ratio*x.Width), "compress", x, gate, len(ape), ratio, width)
	return b.add(&Compress{Dst: b.tensor(width, nil), X: x, Gate: gate, Ape: ape, Ratio: ratio, State: b.state(CompressState * x.Width)})
}
