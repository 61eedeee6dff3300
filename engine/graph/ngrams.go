package graph

// NGramSpec says how n-grams of tokens are hashed to rows of a table.
type NGramSpec struct {
	Longest     int     // n-grams of 2 to Longest tokens
	Heads       int     // hashes of each n-gram
	Multipliers []int64 // Longest factors, the token's own first
	Rows        []int64 // by n-gram and head: how many rows it has
	Offsets     []int64 // and where they begin
	Separator   int32   // stands for tokens before the sequence's first, and before one that is it
}

// NGrams looks up rows of W by the hashes of the last tokens (Engram: Cheng et al. 2026, arXiv:2601.07372, section 2.2): for each n
// and each head
//
//	W[Offset + (⊕_j Multipliers_j·token_-j) mod Rows],  j below n
//
// one after another, the product with 64 bits and ⊕ the exclusive or.
type NGrams struct {
	Dst *Tensor
	W   *Weight
	NGramSpec
	State int // index into Graph.States: the last Longest-1 tokens
}

// Its tokens come with the batch.
func (*NGrams) inputs() []**Tensor { return nil }

// Writes returns Dst.
func (n *NGrams) Writes() *Tensor { return n.Dst }

// NGrams looks up embeddings of the n-grams that end with each token.
func (b *Builder) NGrams(w *Weight, s NGramSpec) *Tensor {
	lookups := (s.Longest - 1) * s.Heads
	check(s.Longest > 1 && len(s.Multipliers) == s.Longest && len(s.Rows) == lookups && len(s.Offsets) == lookups, "n-grams", w.Name, s)
	return b.add(&NGrams{Dst: b.tensor(lookups*w.In, nil), W: w, NGramSpec: s, State: b.state(s.Longest - 1)})
}
