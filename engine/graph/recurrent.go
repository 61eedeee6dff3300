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

// ScanSpec are the parameters of a Scan.
type ScanSpec struct {
	Heads int
	N     int       // values of state a channel
	A     []float32 // one a head; N a head where heads have one channel each
	D     []float32 // one a head; nil: zeros
}

// Scan is a selective state space (Gu and Dao 2023, arXiv:2312.00752, algorithm 2), in the form with heads that includes it
// (Dao and Gu 2024, arXiv:2405.21060, section 7.1). Head h has P = X.Width/Heads channels, and a state S of P·N values. In
// each row
//
//	S_pn = exp(Dt_h·A_h)·S_pn + Dt_h·X_p·B_n
//	Dst_p = Σ_n S_pn·C_n + D_h·X_p
//
// B and C have N columns for each of a number of groups; head h uses group h/(Heads/groups). Mamba is the case of one channel a
// head, with an A for every n. Without Dt the step is 1, as in linear attention: B are keys, C queries, X values.
type Scan struct {
	Dst, X, Dt, B, C *Tensor // Dt may be nil: ones
	ScanSpec
	State int // index into Graph.States
}

func (s *Scan) inputs() []**Tensor { return given(&s.X, &s.B, &s.C, &s.Dt) }

// Writes returns Dst.
func (s *Scan) Writes() *Tensor { return s.Dst }

// Scan is a selective state space; dt has a column a head, or is nil where heads have several channels.
func (b *Builder) Scan(x, dt, bb, c *Tensor, s ScanSpec) *Tensor {
	groups := bb.Width / s.N
	check(x.Width%s.Heads == 0 && bb.Width == c.Width && bb.Width == groups*s.N && s.Heads%groups == 0 &&
		(dt == nil || dt.Width == s.Heads) && (s.D == nil || len(s.D) == s.Heads), "scan", x, dt, bb, c, s.Heads, s.N, len(s.D))
	if s.Heads < x.Width {
		check(len(s.A) == s.Heads, "scan by heads", s.Heads, len(s.A))
	} else {
		check(len(s.A) == s.Heads*s.N && groups == 1 && dt != nil, "scan by channels", s.Heads, s.N, len(s.A), groups)
	}
	return b.add(&Scan{Dst: b.tensor(x.Width, x), X: x, Dt: dt, B: bb, C: c, ScanSpec: s, State: b.state(x.Width * s.N)})
}

// DeltaSpec says how the heads of a DeltaRule are laid out.
type DeltaSpec struct {
	Heads    int  // of values
	KeyHeads int  // of queries and keys
	Tiled    bool // value head h has key head h mod KeyHeads, instead of h/(Heads/KeyHeads)
}

// DeltaRule is linear attention that replaces what a key held before (Schlag et al. 2021, arXiv:2102.11174), with a gate
// that lets the state decay (Gated DeltaNet: Yang et al. 2024, arXiv:2412.06464, equation 10). A head has a state S with a row of
// values for each key channel. In each row of the batch
//
//	S = exp(G_h)·S;  S += k ⊗ Beta_h·(v - Sᵀk);  Dst_h = Sᵀq
//
// G has a column a head, or a column for each key channel of each head (Kimi Delta Attention: arXiv:2510.26692).
type DeltaRule struct {
	Dst, Q, K, V, G, Beta *Tensor
	DeltaSpec
	State int // index into Graph.States
}

func (d *DeltaRule) inputs() []**Tensor { return []**Tensor{&d.Q, &d.K, &d.V, &d.G, &d.Beta} }

// Writes returns Dst.
func (d *DeltaRule) Writes() *Tensor { return d.Dst }

// DeltaRule is the gated delta rule; g are logarithms of the decay, a column a head or a column a key channel of a head.
func (b *Builder) DeltaRule(q, k, v, g, beta *Tensor, s DeltaSpec) *Tensor {
	dimK := k.Width / s.KeyHeads
	check(q.Width == k.Width && k.Width%s.KeyHeads == 0 && v.Width%s.Heads == 0 && s.Heads%s.KeyHeads == 0 &&
		beta.Width == s.Heads && (g.Width == s.Heads || g.Width == s.Heads*dimK), "delta rule", q, k, v, g, beta, s)
	return b.add(&DeltaRule{Dst: b.tensor(v.Width, v), Q: q, K: k, V: v, G: g, Beta: beta, DeltaSpec: s,
		State: b.state(v.Width * dimK)})
}
