package engine_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/llamakit/llamakit/engine"
	"github.com/llamakit/llamakit/engine/backend"
	"github.com/llamakit/llamakit/engine/graph"
)

// TestObserveSeesEveryRow: rows of the last layer whose logits nobody wants count too, and a prompt that was there before is
// computed again.
func TestObserveSeesEveryRow(t *testing.T) {
	moments := map[string]*backend.Moments{}
	m := open(t, engine.Options{Context: 128, Observe: func(w *graph.Weight) *backend.Moments {
		if strings.HasPrefix(w.Name, "blk.") && moments[w.Name] == nil {
			moments[w.Name] = backend.NewMoments(w)
		}
		return moments[w.Name]
	}})
	tokens := make([]engine.Token, 100)
	var first []float64
	for round := range 2 {
		if err := m.VisitLogits(context.Background(), tokens, 99, func(int, []float32) {}); err != nil {
			t.Fatal(err)
		}
		if len(moments) != 42 {
			t.Fatalf("%d matrices are observed, want 42", len(moments))
		}
		for name, got := range moments {
			if got.Counts[0] != 100 {
				t.Errorf("round %d: %s saw %d rows, want 100", round, name, got.Counts[0])
			}
		}
		last := moments["blk.5.ffn_down.weight"]
		if round == 0 {
			first = slices.Clone(last.Squares)
		} else if !slices.Equal(last.Squares, first) {
			t.Error("the second time the sums differ")
		}
		for _, got := range moments {
			got.Clear()
		}
	}
}
