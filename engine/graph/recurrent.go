package graph

// State is what one recurrent op keeps of a sequence between its tokens: Size float32 values, all zero before the first.
type State struct{ Size int }

func (b *Builder) state(size int) int {
	b.g.States = append(b.g.States, State{Size: size})
	return len(b.g.States) - 1
}

// Conv is a causal convolution along a sequence, each channel by itself: in row t
//
//	Dst_c = Σ_j W[c][j]·X_c(t - Taps + 1 + j) + Bias_c
//
// with zeros before the first token. It keeps the last Taps-1 rows of X.
type Conv struct {
	Unary
	W     []float32 // Taps values a channel
	Bias  []float32 // nil: none
	Taps  int
	State int // index into Graph.States
}

// Conv is a causal convolution of each column; w has taps values a column, the last for the newest row.
func (b *Builder) Conv(x *Tensor, w, bias []float32, taps int) *Tensor {
	check(taps > 0 && len(w) == taps*x.Width && (bias == nil || len(bias) == x.Width), "conv", x, len(w), len(bias), taps)
	return b.add(&Conv{Unary: Unary{b.tensor(x.Width, x), x}, W: w, Bias: bias, Taps: taps, State: b.state((taps - 1) * x.Width)})
}

// Scan is a selective state space (Gu and Dao 2023, arXiv:2312.00752, algorithm 2), in the form with heads that includes it
// (Dao and Gu 2024, arXiv:2405.21060, section 7.1). Head h has P = X.Width/Heads channels, and a state S of P·N values. In
// each row
//
//	S_pn = exp(Dt_h·A_h)·S_pn + Dt_h·X_p·B_n
//	Dst_p = Σ_n S_pn·C_n + D_h·X_p
//
// B and C have N columns for each of a number of groups; head h uses group h/(Heads/groups). With A of N values a head, entry n
// of the state decays by A_hn. Mamba is the case of one channel a head. Without Dt the step is 1, as in linear attention: B are
// keys, C queries, X values.
type Scan struct {
	Dst, X, Dt, B, C *Tensor // Dt may be nil: ones
	Heads, N         int
	A                []float32 // Heads, or Heads·N
	D                []float32 // Heads; nil: zeros
	State            int       // index into Graph.States
}

// Reads returns X, B, C and Dt.
func (s *Scan) Reads() []*Tensor {
	if s.Dt == nil {
		return []*Tensor{s.X, s.B, s.C}
	}
	return []*Tensor{s.X, s.B, s.C, s.Dt}
}

// Writes returns Dst.
func (s *Scan) Writes() *Tensor { return s.Dst }

// Scan is a selective state space with n values of state a column of x; dt has a column a head, or is nil.
func (b *Builder) Scan(x, dt, bb, c *Tensor, heads, n int, a, d []float32) *Tensor {
	groups := bb.Width / n
	check(x.Width%heads == 0 && (dt == nil || dt.Width == heads) && bb.Width == c.Width && bb.Width == groups*n && heads%groups == 0 &&
		(len(a) == heads || len(a) == heads*n) && (d == nil || len(d) == heads), "scan", x, dt, bb, c, heads, n, len(a), len(d))
	return b.add(&Scan{Dst: b.tensor(x.Width, x), X: x, Dt: dt, B: bb, C: c, Heads: heads, N: n, A: a, D: d,
		State: b.state(x.Width * n)})
}

// DeltaRule is linear attention that overwrites what a key held before (Schlag et al. 2021, arXiv:2102.11174), with a gate
// that lets the state decay (Gated DeltaNet: Yang et al. 2024, arXiv:2412.06464, equation 10). Head h has a state S of K·V values,
// K those of a key and V those of a value. In each row
//
//	S = exp(G_h)·S;  S += k ⊗ Beta_h·(v - Sᵀk);  Dst_h = Sᵀq
//
// G has a column a head, or a column for each of its K key channels (Kimi Delta Attention: arXiv:2510.26692). There are as
// many query as key heads; with fewer of them than value heads, head h uses number h/(Heads/keys), or h mod keys where Tiled.
type DeltaRule struct {
	Dst, Q, K, V, G, Beta *Tensor
	Heads, KeyHeads       int
	Tiled                 bool
	State                 int // index into Graph.States
}

// Reads returns Q, K, V, G and Beta.
func (d *DeltaRule) Reads() []*Tensor { return []*Tensor{d.Q, d.K, d.V, d.G, d.Beta} }

// Writes returns Dst.
func (d *DeltaRule) Writes() *Tensor { return d.Dst }

// DeltaSpec says how the heads of a DeltaRule are laid out.
type DeltaSpec struct {
	Heads    int // of values
	KeyHeads int // of queries and keys
	Tiled    bool
}

// DeltaRule is the gated delta rule; g are logarithms of the decay, a column a head or a column a key channel of a head.
func (b *Builder) DeltaRule(q, k, v, g, beta *Tensor, s DeltaSpec) *Tensor {
	dimK := k.Width / s.KeyHeads
	check(q.Width == k.Width && k.Width%s.KeyHeads == 0 && v.Width%s.Heads == 0 && s.Heads%s.KeyHeads == 0 && beta.Width == s.Heads &&
		(g.Width == s.Heads || g.Width == s.Heads*dimK), "delta rule", q, k, v, g, beta, s)
	return b.add(&DeltaRule{Dst: b.tensor(v.Width, v), Q: q, K: k, V: v, G: g, Beta: beta, Heads: s.Heads, KeyHeads: s.KeyHeads,
		Tiled: s.Tiled, State: b.state(v.Width * dimK)})
}
