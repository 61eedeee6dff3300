package sample

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestCutsOfALargeVocabulary: samplers that sort no more than they must keep what they would of candidates in order.
func TestCutsOfALargeVocabulary(t *testing.T) {
	for _, s := range []Sampler{topP{0.9, 1}, topP{0.5, 300}, topP{1e-9, 1}, minP{0.05, 1}, minP{0.9, 40}, topK(7), topK(4999)} {
		for _, spread := range []float64{0.01, 1, 20} {
			t.Run(fmt.Sprintf("%s %v of spread %v", s.Name(), s, spread), func(t *testing.T) {
				r := rand.New(rand.NewPCG(1, 2))
				logits := make([]float32, 5000)
				for i := range logits {
					logits[i] = float32(r.NormFloat64() * spread)
				}
				var got, want Candidates
				got.reset(logits)
				want.reset(logits)
				want.Sort()
				s.Apply(&got)
				s.Apply(&want)
				sameToken := func(a, b Candidate) bool { return a.ID == b.ID }
				if len(got.Items) == 0 || !slices.EqualFunc(got.Items, want.Items, sameToken) {
					t.Errorf("%d candidates are left, %d in order", len(got.Items), len(want.Items))
				}
			})
		}
	}
}
