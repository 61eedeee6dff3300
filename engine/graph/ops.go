package graph

import "slices"

// Op is one step of the forward pass. The concrete types below are the whole vocabulary; a device switches on them.
type Op interface {
	// Writes is the tensor that the op fills.
	Writes() *Tensor
	// inputs are the fields with the tensors that the op reads.
	inputs() []**Tensor
}

// Reads lists the tensors that an op reads.
func Reads(op Op) (list []*Tensor) {
	for _, in := range op.inputs() {
		list = append(list, *in)
	}
	return list
}

// given leaves out the inputs that an op does without.
func given(inputs ...**Tensor) []**Tensor {
	return slices.DeleteFunc(inputs, func(in **Tensor) bool { return *in == nil })
}

// Unary is the shape of ops with one input; Dst may be X itself.
type Unary struct{ Dst, X *Tensor }

func (u *Unary) inputs() []**Tensor { return []**Tensor{&u.X} }

// Writes returns Dst.
func (u *Unary) Writes() *Tensor { return u.Dst }

// Binary is the shape of element-wise ops with two inputs; Dst may be A.
type Binary struct{ Dst, A, B *Tensor }

func (b *Binary) inputs() []**Tensor { return []**Tensor{&b.A, &b.B} }

// Writes returns Dst.
func (b *Binary) Writes() *Tensor { return b.Dst }

// Embed looks up one row of W a token: Dst = W[token].
type Embed struct {
	Dst *Tensor
	W   *Weight
}

// The tokens come with the batch.
func (*Embed) inputs() []**Tensor { return nil }

// Writes returns Dst.
func (e *Embed) Writes() *Tensor { return e.Dst }

// MatMul is Dst = L.W·X with L's scale and bias.
type MatMul struct {
	Unary
	L Linear
}

// Select keeps the rows whose logits are wanted; what follows is computed for those alone.
type Select struct{ Unary }

// Add is Dst = A + B.
type Add struct{ Binary }

// AddVector is Dst = X + V, the same V for every row.
type AddVector struct {
	Unary
	V []float32
}

// Pad puts columns of value Fill in front of X, as many as Dst has more.
type Pad struct {
	Unary
	Fill float32
}

// Mul is Dst = A ⊙ B.
type Mul struct{ Binary }

// Scale is Dst = X·By.
type Scale struct {
	Unary
	By float32
}

// SoftCap is Dst = Cap·tanh(X/Cap), Gemma 2's way to bound logits (arXiv:2408.00118, section 2).
type SoftCap struct {
	Unary
	Cap float32
}

// GLU is a gated linear unit: Dst = act(A) ⊙ B, A the gate (Shazeer 2020, arXiv:2002.05202). A gate of fewer columns has one
// value for each head of B.
type GLU struct {
	Binary
	Act   Activation
	Limit float32 // A is cut above it and B to ±Limit first; 0: neither
	Beta  float32 // of SiTU
}

// Rope rotates pairs of columns in each head of HeadDim columns by an angle that grows with the token's position
// (Su et al. 2021, arXiv:2104.09864).
type Rope struct {
	Unary
	HeadDim int
	Spec    *RopeSpec
}

// PosScale multiplies a row by 1 + A·ln(floor((pos + Offset)/Length) + 1): attention temperature that grows with the position.
type PosScale struct {
	Unary
	A, Length, Offset float32
}

// Attention stores K and V of the batch's tokens in the pages of layer Layer and attends:
// for query head h, Dst_h = Σ_j softmax_j(Scale·cap(q_h·k_j)) v_j over the visible positions j of the row's own
// sequence, with key head h/(Heads/HeadsKV) (Ainslie et al. 2023, arXiv:2305.13245).
type Attention struct {
	Dst, Q, K, V *Tensor // V may be nil: values are the first columns of keys, as in latent attention
	Layer        int     // index into Graph.Layers
	Heads        int
	Scale        float32
	Cap          float32   // 0: none; else scores s become Cap·tanh(s/Cap)
	Slopes       []float32 // ALiBi: Slopes[h]·|i-j| is taken off the score of query i and key j; nil: none
	// Full makes all rows of a span visible to each of them, or those of a window around it, and nothing before: what a text
	// means then depends on the whole of it, so that a sequence must be in one batch, begins at position 0 each time, and no prefix of it can be reused.
	Full  bool
	Chunk int // positions are cut into chunks of this size, and a row sees nothing before its own; 0: they are not
	// Sinks has one logit a head that joins the softmax without a value, a place for attention that should go nowhere (Xiao
	// et al. 2023, arXiv:2309.17453; learned as in the gpt-oss model card, arXiv:2508.10925); nil: none.
	Sinks []float32
	// Keys are those that a row sees, chosen here or for an earlier layer (DeepSeek Sparse Attention: arXiv:2512.02556); nil: all.
	Keys *Choice
	// Blocks are compressed keys that a row sees beside the others, in the same softmax; nil: none.
	Blocks *Blocks
}

// Blocks are compressed keys, which are the values, too: one for each Ratio tokens, of the block that ends with a row's token.
// A row sees those of complete blocks.
type Blocks struct {
	K     *Tensor
	Ratio int
	Layer int     // index into Graph.Layers
	Keys  *Choice // chooses the blocks that a row sees; nil: all
}

// inputs are also what the keys are chosen by.
func (a *Attention) inputs() []**Tensor {
	list := given(&a.Q, &a.K, &a.V)
	if a.Keys != nil {
		list = append(list, &a.Keys.Dst)
	}
	if a.Blocks != nil {
		list = append(list, &a.Blocks.K)
		if a.Blocks.Keys != nil {
			list = append(list, &a.Blocks.Keys.Dst)
		}
	}
	return list
}

// Writes returns Dst.
func (a *Attention) Writes() *Tensor { return a.Dst }
