package sample

import (
	"math"
	"slices"
	"testing"
)

func logitsOf(p ...float64) []float32 {
	out := make([]float32, len(p))
	for i := range p {
		out[i] = float32(math.Log(p[i]) + 3) // any constant: probabilities do not change
	}
	return out
}

func TestMeasure(t *testing.T) {
	var m Measure
	got := m.Logits(logitsOf(0.1, 0.4, 0.2, 0.3), 2, 2)
	near(t, "chosen", got.Logprob, math.Log(0.2))
	if got.Token != 2 || len(got.Top) != 2 || got.Top[0].Token != 1 || got.Top[1].Token != 3 {
		t.Errorf("%+v, want the top 1 and 3", got)
	}
	near(t, "first", got.Top[0].Logprob, math.Log(0.4))
	if got := m.Logits(logitsOf(0.5, 0.5), 1, 9); len(got.Top) != 2 || got.Top[0].Token != 0 {
		t.Errorf("%+v, want all two, the lower number first", got)
	}
	if got := m.Logits(make([]float32, 100), 1, 0); len(got.Top) != 0 {
		t.Errorf("%+v, want no others", got)
	}
	if got := m.Logits(logitsOf(0.5, 0.5), 1, 0); len(got.Top) != 0 {
		t.Errorf("%+v, want no others", got)
	}
}

// TestMeasureGreedy: at temperature 0 the model's probabilities are told as they are, and what was drawn was certain.
func TestMeasureGreedy(t *testing.T) {
	var m Measure
	chain, err := New(Params{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	logits := logitsOf(0.1, 0.4, 0.2, 0.3)
	id := chain.Sample(logits).ID
	near(t, "before the samplers", m.Logits(logits, id, 4).Logprob, math.Log(0.4))
	after := m.Drawn(chain.Candidates(), id, 4)
	near(t, "after them", after.Logprob, 0)
	if len(after.Top) != 1 || m.Drawn(chain.Candidates(), 3, 1).Logprob != negInf {
		t.Errorf("%+v: want one candidate, and others impossible", after)
	}
}

func TestTrace(t *testing.T) {
	p := DefaultParams()
	p.Samplers, p.TopK, p.MinP, p.Temperature = []string{"top_k", "min_p", "temperature"}, 3, 0.6, 0.5
	p.LogitBias = map[Token]float32{0: negInf}
	chain, err := New(p, nil)
	if err != nil {
		t.Fatal(err)
	}
	plain := chain.Clone()
	chain.Trace(2)
	logits := logitsOf(0.3, 0.4, 0.1, 0.05, 0.15)
	if got, want := chain.Sample(logits).ID, plain.Sample(logits).ID; got != want {
		t.Errorf("traced %d, untraced %d", got, want)
	}
	var names []string
	var removed [][]Token
	var left []int
	for _, s := range chain.Steps() {
		var ids []Token
		for _, it := range s.Removed {
			ids = append(ids, it.ID)
		}
		names, removed, left = append(names, s.Sampler), append(removed, ids), append(left, s.Left)
	}
	if !slices.Equal(names, []string{"", "top_k", "min_p", "temperature"}) || !slices.Equal(left, []int{5, 3, 1, 1}) {
		t.Errorf("steps %v left %v", names, left)
	}
	if !slices.Equal(removed[1], []Token{3, 0}) || !slices.Equal(removed[2], []Token{4, 2}) {
		t.Errorf("removed %v", removed)
	}
	if plain.Steps() != nil {
		t.Error("a chain that is not traced has steps")
	}
	near(t, "first candidate of the model", chain.Steps()[0].Top[0].P, 0.4/0.7)
}
