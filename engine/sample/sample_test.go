package sample

import (
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// candidates makes an array from probabilities.
func candidates(p ...float64) *Candidates {
	c := &Candidates{}
	logits := make([]float32, len(p))
	for i := range p {
		logits[i] = float32(math.Log(p[i]))
	}
	c.reset(logits)
	return c
}

// left returns what is left, as tokens.
func left(c *Candidates) []Token {
	var ids []Token
	for _, it := range c.Items {
		ids = append(ids, it.ID)
	}
	return ids
}

// The tables follow from the definitions: each line is worked out by hand from the probabilities.
func TestCuts(t *testing.T) {
	for _, c := range []struct {
		name string
		s    Sampler
		p    []float64
		want []Token
	}{
		{"top_k", topK(2), []float64{0.1, 0.4, 0.2, 0.3}, []Token{1, 3}},
		{"top_k keeps ties of lower number", topK(2), []float64{0.25, 0.25, 0.25, 0.25}, []Token{0, 1}},
		{"top_k above n", topK(9), []float64{0.1, 0.9}, []Token{1, 0}},
		{"top_p", topP{0.7, 1}, []float64{0.1, 0.4, 0.2, 0.3}, []Token{1, 3}},
		{"top_p reaches over", topP{0.71, 1}, []float64{0.1, 0.4, 0.2, 0.3}, []Token{1, 3, 2}},
		{"top_p zero keeps one", topP{0, 1}, []float64{0.1, 0.4, 0.2, 0.3}, []Token{1}},
		{"top_p keeps at least", topP{0.1, 3}, []float64{0.1, 0.4, 0.2, 0.3}, []Token{1, 3, 2}},
		{"min_p", minP{0.6, 1}, []float64{0.1, 0.4, 0.2, 0.3}, []Token{1, 3}},
		{"min_p one", minP{1, 1}, []float64{0.1, 0.4, 0.2, 0.3}, []Token{1}},
		{"min_p keeps at least", minP{1, 2}, []float64{0.1, 0.4, 0.2, 0.3}, []Token{1, 3}},
		// Entropy of (0.7 0.2 0.1) is 0.80 nats; the surprises are 0.36, 1.61 and 2.30.
		{"typ_p", typicalP{0.6, 1}, []float64{0.7, 0.2, 0.1}, []Token{0}},
		{"typ_p second", typicalP{0.8, 1}, []float64{0.7, 0.2, 0.1}, []Token{0, 1}},
		// Entropy of (0.5 0.25 0.25) is 1.04: the surprises 0.69 and 1.39 are 0.35 and 0.35 away; ties keep their order.
		{"typ_p tie", typicalP{0.49, 1}, []float64{0.5, 0.125, 0.125, 0.25}, []Token{3, 0}},
		// Logits ln(8 4 2 1) have the mean 1.04 and the deviation 0.775: within one of the greatest are 8 and 4.
		{"top_n_sigma", topNSigma(1), []float64{1. / 15, 8. / 15, 2. / 15, 4. / 15}, []Token{1, 3}},
		{"temperature 0", temperature{0, 0, 1}, []float64{0.1, 0.4, 0.2, 0.3}, []Token{1}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := candidates(c.p...)
			c.s.Apply(got)
			if !slices.Equal(left(got), c.want) {
				t.Errorf("left %v, want %v", left(got), c.want)
			}
		})
	}
}

func TestXTC(t *testing.T) {
	p := DefaultParams()
	p.XTCProbability, p.XTCThreshold = 1, 0.2
	c := candidates(0.05, 0.4, 0.25, 0.3)
	newXTC(p, 1, 1).Apply(c)
	if want := []Token{2, 0}; !slices.Equal(left(c), want) {
		t.Errorf("left %v, want %v: all above the threshold but the last of them go", left(c), want)
	}
	p.XTCThreshold = 0.39
	c = candidates(0.05, 0.4, 0.25, 0.3)
	newXTC(p, 1, 1).Apply(c)
	if len(c.Items) != 4 {
		t.Errorf("left %v, want all: only one is above the threshold", left(c))
	}
}

func TestTemperatureScales(t *testing.T) {
	c := candidates(0.2, 0.8)
	temperature{0.5, 0, 1}.Apply(c)
	c.Softmax()
	if got, want := c.Items[1].P, 0.64/(0.64+0.04); math.Abs(float64(got)-want) > 1e-6 {
		t.Errorf("probability %g, want %g: squares at temperature a half", got, want)
	}
}

func TestDynamicTemperature(t *testing.T) {
	c := candidates(0.25, 0.25, 0.25, 0.25) // the greatest entropy: temp + range
	if got := (temperature{1, 0.5, 1}).dynamic(c); math.Abs(float64(got)-1.5) > 1e-6 {
		t.Errorf("even candidates: temperature %g, want 1.5", got)
	}
	c = candidates(0.5, 0.5, 1e-30, 1e-30) // half of the greatest entropy
	if got := (temperature{1, 0.5, 2}).dynamic(c); math.Abs(float64(got)-(0.5+0.25)) > 1e-6 {
		t.Errorf("half the entropy, exponent 2: temperature %g, want 0.75", got)
	}
}

func TestPenalties(t *testing.T) {
	p := DefaultParams()
	p.RepeatLastN, p.RepeatPenalty, p.FrequencyPenalty, p.PresencePenalty = 3, 2, 0.1, 0.5
	s := newPenalties(p)
	for _, tok := range []Token{3, 0, 0, 1} { // 3 is out of the window of three
		s.Accept(tok)
	}
	c := &Candidates{}
	c.reset([]float32{4, -1, 1, 1})
	s.Apply(c)
	for i, want := range []float32{4./2 - 0.2 - 0.5, -1*2 - 0.1 - 0.5, 1, 1} {
		if got := c.Items[i].Logit; math.Abs(float64(got-want)) > 1e-6 {
			t.Errorf("token %d: logit %g, want %g", i, got, want)
		}
	}
}

// bruteRun is the length of the longest common end of a and b.
func bruteRun(a, b []Token) int {
	n := 0
	for n < len(a) && n < len(b) && a[len(a)-1-n] == b[len(b)-1-n] {
		n++
	}
	return n
}

func TestDry(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for range 500 {
		p := DefaultParams()
		p.DryMultiplier, p.DryPenaltyLastN, p.DryAllowedLength = 0.8, -1, 1+r.IntN(3)
		s := newDry(p, nil)
		s.breaks = []bool{false, false, false, true}
		text := make([]Token, r.IntN(40))
		for i := range text {
			text[i] = Token(r.IntN(8) % 4)
			s.Accept(text[i])
		}
		reach := 0
		for reach < len(text) && text[len(text)-1-reach] != 3 {
			reach++
		}
		want := make([]float32, 4)
		for end := 1; end < len(text); end++ { // text[:end] is followed by text[end]
			if n := min(bruteRun(text[:end], text), reach); n >= p.DryAllowedLength {
				want[text[end]] = min(want[text[end]], -0.8*float32(math.Pow(1.75, float64(n-p.DryAllowedLength))))
			}
		}
		c := &Candidates{}
		c.reset(make([]float32, 4))
		s.Apply(c)
		for i := range want {
			if got := c.Items[i].Logit; math.Abs(float64(got-want[i])) > 1e-4*math.Abs(float64(want[i])) {
				t.Fatalf("text %v, allowed %d: token %d gets %g, want %g", text, p.DryAllowedLength, i, got, want[i])
			}
		}
	}
}

type pieces []string

func (v pieces) Size() int                    { return len(v) }
func (v pieces) Piece(t Token, _ bool) []byte { return []byte(v[t]) }

// TestBreakers: a token breaks runs where it contains a breaker, and one that is long is not copied for every token.
func TestBreakers(t *testing.T) {
	p := DefaultParams()
	p.DryBreakers = []string{strings.Repeat("b", 1<<20), "", "\n", "xy"}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	s := newDry(p, pieces{"a", "\n", "a\nb", "x", "axyb", "bbb"})
	runtime.ReadMemStats(&after)
	if want := []bool{false, true, true, false, true, false}; !slices.Equal(s.breaks, want) {
		t.Errorf("breaks %v, want %v", s.breaks, want)
	}
	if got := after.TotalAlloc - before.TotalAlloc; got > 1<<20 {
		t.Errorf("%d bytes are taken for 6 tokens", got)
	}
}

func TestSelectTopEqualsSort(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for range 200 {
		logits := make([]float32, 1+r.IntN(1000))
		for i := range logits {
			logits[i] = float32(r.IntN(50))
		}
		logits[r.IntN(len(logits))] = float32(math.NaN())
		logits[r.IntN(len(logits))] = float32(math.Inf(1))
		k := 1 + r.IntN(60)
		a, b := &Candidates{}, &Candidates{}
		a.reset(logits)
		a.Top(k)
		b.reset(logits)
		b.Sort()
		b.cut(k)
		c := &Candidates{}
		c.resetTop(logits, min(k, len(logits)))
		if !slices.Equal(a.Items, b.Items) || !slices.Equal(c.Items, b.Items) {
			t.Fatalf("k=%d of %d: %v and %v, want %v", k, len(logits), a.Items, c.Items, b.Items)
		}
	}
}

func TestDrawFollowsProbabilities(t *testing.T) {
	p := Params{Seed: 7, Temperature: 1, TopP: 1, TypicalP: 1, RepeatPenalty: 1}
	c, err := New(p, nil)
	if err != nil {
		t.Fatal(err)
	}
	logits := []float32{float32(math.Log(0.1)), float32(math.Log(0.6)), float32(math.Log(0.3)), float32(math.Inf(-1))}
	counts := make([]int, 4)
	const n = 100000
	for range n {
		counts[c.Sample(logits).ID]++
	}
	for i, want := range []float64{0.1, 0.6, 0.3, 0} {
		if got := float64(counts[i]) / n; math.Abs(got-want) > 0.006 { // four standard deviations
			t.Errorf("token %d: drawn %.3f of the time, want %.3f", i, got, want)
		}
	}
}

func TestSameSeedSameTokens(t *testing.T) {
	p := DefaultParams()
	p.Seed, p.DryMultiplier, p.XTCProbability, p.RepeatPenalty = 99, 0.8, 0.5, 1.1
	run := func(c *Chain) (out []Token) {
		r := rand.New(rand.NewPCG(1, 2))
		for range 50 {
			logits := make([]float32, 300)
			for i := range logits {
				logits[i] = float32(r.NormFloat64())
			}
			id := c.Sample(logits).ID
			c.Accept(id)
			out = append(out, id)
		}
		return out
	}
	a, _ := New(p, nil)
	clone := a.Clone()
	first := run(a)
	if got := run(clone); !slices.Equal(got, first) {
		t.Error("a clone draws other tokens")
	}
	a.Reset()
	if got := run(a); !slices.Equal(got, first) {
		t.Error("after Reset other tokens are drawn")
	}
	p.Seed = 100
	b, _ := New(p, nil)
	if got := run(b); slices.Equal(got, first) {
		t.Error("another seed draws the same tokens")
	}
}

func TestOddLogits(t *testing.T) {
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	for _, logits := range [][]float32{{nan, nan}, {nan, 1}, {-inf, -inf}, {inf, 1}, {1}} {
		for _, temp := range []float32{0, 0.8} {
			p := DefaultParams()
			p.Temperature, p.TopNSigma, p.TypicalP = temp, 1, 0.9
			c, _ := New(p, nil)
			if id := c.Sample(logits).ID; id < 0 || int(id) >= len(logits) {
				t.Errorf("logits %v: token %d", logits, id)
			}
		}
	}
	p := DefaultParams()
	p.Temperature = 0
	c, _ := New(p, nil)
	if id := c.Sample([]float32{nan, 1, 2}).ID; id != 2 {
		t.Errorf("greedy beside NaN: token %d, want 2", id)
	}
}

func TestWrongParameters(t *testing.T) {
	for name, change := range map[string]func(*Params){
		"top_p":    func(p *Params) { p.TopP = 2 },
		"nan":      func(p *Params) { p.MinP = float32(math.NaN()) },
		"samplers": func(p *Params) { p.Samplers = []string{"bogus"} },
		"dry":      func(p *Params) { p.DryAllowedLength = -5 },
		"penalty":  func(p *Params) { p.RepeatPenalty = 0 },
	} {
		p := DefaultParams()
		change(&p)
		if _, err := New(p, nil); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
}

func ExampleParseSequence() {
	names, _ := ParseSequence("kpt")
	fmt.Println(names)
	// Output: [top_k top_p temperature]
}

func BenchmarkSample(b *testing.B) {
	logits := make([]float32, 151936)
	r := rand.New(rand.NewPCG(1, 2))
	for i := range logits {
		logits[i] = float32(3 * r.NormFloat64())
	}
	c, _ := New(DefaultParams(), nil)
	for b.Loop() {
		c.Sample(logits)
	}
}
