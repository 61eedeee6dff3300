package graph

// Gating says how the logits of a router become the weights of experts.
type Gating int

// The gatings.
const (
	GateSoftmax      Gating = iota // softmax over all experts
	GateSigmoid                    // σ of each logit (DeepSeek-AI 2024, arXiv:2412.19437, section 2.1.2)
	GateChosen                     // softmax over the logits of the chosen experts
	GateSqrtSoftplus               // sqrt(ln(1 + exp)) of each logit (DeepSeek-V4)
)

// RouteSpec are the parameters of a router.
type RouteSpec struct {
	Used      int // experts chosen a row, those of the greatest gate; the lower number of equals
	Gating    Gating
	Bias      []float32 // by expert: added to the gate for choosing, not to the weight (Wang et al. 2024, arXiv:2408.15664)
	Normalise bool      // weights are divided by their sum
	Scale     float32   // and then multiplied by it; 0: 1

	// Experts are in Groups groups of neighbours, and only the GroupsUsed best groups are open, by the sum of their two
	// greatest values (arXiv:2412.19437, node-limited routing). 0 or 1: no groups.
	Groups, GroupsUsed int

	// Share divides the chosen numbers, and the gates of the results are the weights (Wu et al. 2025, arXiv:2508.07785, as llama.cpp
	// computes it). 0: 1.
	Share int

	// Table has Used experts for each token of the vocabulary, which are taken whatever their gates (Hash Layers: Roller et al. 2021,
	// arXiv:2106.04426); nil: the router chooses.
	Table []float32
}

// Route chooses experts: Dst has 2·Used columns a row, the chosen experts' numbers and then their weights, from one
// logit an expert in X. The numbers are small enough to be exact in float32.
type Route struct {
	Unary
	RouteSpec
}

// ExpertsSpec are the matrices of a mixture of feed-forward experts, each holding all experts. Without a Gate (no matrix) an
// expert is down·act(up·x), without a Down as well, act(up·x).
type ExpertsSpec struct {
	Gate, Up, Down Linear
	Act            Activation
	Limit, Beta    float32 // as in GLU
	WeightFirst    bool    // an expert's weight multiplies its input, not its output (Llama 4)
}

// Experts is a mixture of feed-forward experts: Dst = Σ_e w_e·down_e(act(gate_e·X) ⊙ up_e·X) over the experts that
// Routing names (Shazeer et al. 2017, arXiv:1701.06538). Rows are gathered by expert, summed in the order of Routing.
type Experts struct {
	Dst, X, Routing *Tensor
	ExpertsSpec
	Used int
}

func (e *Experts) inputs() []**Tensor { return []**Tensor{&e.X, &e.Routing} }

// Writes returns Dst.
func (e *Experts) Writes() *Tensor { return e.Dst }

// Route chooses experts by their logits.
func (b *Builder) Route(logits *Tensor, s RouteSpec) *Tensor {
	check(s.Used > 0 && s.Used <= logits.Width && (s.Bias == nil || len(s.Bias) == logits.Width), "route", logits, s)
	check(s.Groups < 2 || logits.Width%s.Groups == 0 && s.GroupsUsed > 0 && s.GroupsUsed*logits.Width/s.Groups >= s.Used,
		"expert groups", logits, s)
	return b.add(&Route{Unary{b.tensor(2*s.Used, logits), logits}, s})
}

// Experts is the mixture of the experts that routing names.
func (b *Builder) Experts(x, routing *Tensor, s ExpertsSpec) *Tensor {
	out := s.Up.W.Out
	check(x.Width == s.Up.W.In, "experts", x, s.Up.W.Name)
	check(s.Gate.W == nil || x.Width == s.Gate.W.In && s.Gate.W.Out == out, "gate of experts", x, s.Up.W.Name)
	if s.Down.W != nil {
		check(s.Down.W.In == out, "experts", x, s.Down.W.Name)
		out = s.Down.W.Out
	}
	check(!s.WeightFirst || s.Gate.Bias == nil && s.Up.Bias == nil, "experts with a bias under a weight", s.Up.W.Name)
	return b.add(&Experts{Dst: b.tensor(out, x), X: x, Routing: routing, ExpertsSpec: s, Used: routing.Width / 2})
}
