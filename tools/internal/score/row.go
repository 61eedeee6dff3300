// Package score is the arithmetic of measuring language models: what a row of logits says of the token that came, how two
// models differ in it, and means with their uncertainty.
//
// Sums are in float64. The standard error of a mean over n values is sqrt((E[x²] - E[x]²) / (n-1)); those of functions of
// means follow by first-order propagation.
package score

import (
	"errors"
	"fmt"
	"math"
)

// ErrNotFinite is in the error of logits that are no distribution.
var ErrNotFinite = errors.New("the logits are not finite (are the weights damaged?)")

// Row is the logits of one position seen as a distribution over the next token.
type Row struct {
	Logits []float32
	Top    int     // the most likely token, the first of several
	LogSum float64 // log of the sum of exp(logit - largest logit)
}

// NewRow normalises logits. Minus infinity is a token that cannot follow.
func NewRow(logits []float32) (Row, error) {
	top := 0
	for i, l := range logits {
		if l > logits[top] {
			top = i
		}
	}
	largest, sum := float64(logits[top]), 0.0
	for _, l := range logits {
		sum += math.Exp(float64(l) - largest)
	}
	if sum-sum != 0 { // NaN, or plus infinity less itself
		return Row{}, ErrNotFinite
	}
	return Row{Logits: logits, Top: top, LogSum: math.Log(sum)}, nil
}

// LogProb is the log-probability of a token.
func (r *Row) LogProb(token int32) float64 {
	return float64(r.Logits[token]) - float64(r.Logits[r.Top]) - r.LogSum
}

// NLL is the negative log-likelihood of the token that came. It is an error for it to be infinite: no mean would remain.
func (r *Row) NLL(token int32) (float64, error) {
	nll := -r.LogProb(token)
	if math.IsInf(nll, 0) {
		return 0, fmt.Errorf("token %d, which comes next, has probability 0", token)
	}
	return nll, nil
}
