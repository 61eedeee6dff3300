package graph

// Activation names a non-linear function.
type Activation int

// The activations.
const (
	SiLU         Activation = iota // x·σ(x)
	GELU                           // the tanh approximation (Hendrycks and Gimpel 2016, arXiv:1606.08415)
	ReLUSqr                        // max(x, 0)² (So et al. 2021, arXiv:2109.08668)
	Sigmoid                        // σ(x)
	Softplus                       // ln(1 + e^x)
	Log2OnePlus2                   // log2(1 + 2^x), softplus in base 2
	ReLU                           // max(x, 0)
	SignedSqrt                     // sign(x)·sqrt(max(|x|, 1e-6))
	Tanh                           // tanh(x)
	SwiGLUOAI                      // of a gated unit alone: gate·σ(1.702·gate)·(up+1), both bounded by 7 first (gpt-oss, arXiv:2508.10925)
	SiLUCut                        // of a gated unit alone: SiLU whose limit cuts its value, not the gate (Ling 3)
	SiTU                           // of a gated unit alone: Beta·tanh(gate/Beta)·σ(gate), times up, which a limit bounds smoothly (Kimi K3)
)

// Activate is Dst = act(X).
type Activate struct {
	Unary
	Act Activation
}

// Activate is act(x).
func (b *Builder) Activate(x *Tensor, act Activation) *Tensor {
	return b.add(&Activate{Unary{b.tensor(x.Width, x), x}, act})
}

// Clamp is Dst = min(max(X, -Limit), Limit).
type Clamp struct {
	Unary
	Limit float32
}

// Clamp bounds x to ±limit.
func (b *Builder) Clamp(x *Tensor, limit float32) *Tensor {
	return b.add(&Clamp{Unary{b.tensor(x.Width, x), x}, limit})
}

// ScaleColumns is Dst = X ⊙ By, the same Width factors for every row.
type ScaleColumns struct {
	Unary
	By []float32
}

// ScaleColumns multiplies each column of x by a factor of its own.
func (b *Builder) ScaleColumns(x *Tensor, by []float32) *Tensor {
	check(len(by) == x.Width, "scale columns", x, len(by))
	return b.add(&ScaleColumns{Unary{b.tensor(x.Width, x), x}, by})
}
