package kv

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// machine is what a device would hold: in a state, all tokens so far.
type machine struct {
	pool   *Pool
	states map[Slot][]Token
}

func newMachine(pages, states int) *machine {
	return &machine{NewPool(pages, states), map[Slot][]Token{}}
}

// open starts a sequence and copies the state that it goes on from.
func (m *machine) open(t *testing.T, tokens []Token) *Seq {
	t.Helper()
	s, _, c := m.pool.Open(tokens)
	m.states[s.state] = nil
	if c != nil {
		m.states[c.To] = slices.Clone(m.states[c.From])
	}
	if !slices.Equal(m.states[s.state], s.tokens) {
		t.Fatalf("a sequence begins after %d tokens with the state after %d", s.Len(), len(m.states[s.state]))
	}
	return s
}

// compute goes on until s has computed n tokens, and keeps a checkpoint where save says so.
func (m *machine) compute(s *Seq, tokens []Token, n int, save bool) bool {
	tokens = tokens[s.Len():n]
	if !s.Grow(len(tokens)) {
		return false
	}
	s.Commit(tokens...)
	m.states[s.state] = append(m.states[s.state], tokens...)
	if save {
		if c, ok := s.Save(); ok {
			m.states[c.To] = slices.Clone(m.states[c.From])
		}
	}
	return true
}

func TestStateIsReusedAtCheckpoints(t *testing.T) {
	m := newMachine(32, 6)
	base := text(100, 0)
	a := m.open(t, base)
	if a.Len() != 0 {
		t.Fatalf("an empty pool had %d tokens", a.Len())
	}
	m.compute(a, base, 64, true)
	m.compute(a, base, 100, false)

	b := m.open(t, append(base[:90:90], 500))
	if b.Len() != 64 {
		t.Errorf("beside a running sequence: %d tokens cached, want those up to its checkpoint, 64", b.Len())
	}
	a.Close()
	c := m.open(t, append(base[:100:100], text(20, 500)...))
	if c.Len() != 100 {
		t.Errorf("after the end: %d tokens cached, want all 100", c.Len())
	}
	d := m.open(t, base)
	if d.Len() != 64 {
		t.Errorf("the same prompt: %d tokens cached, want 64, since the state at 100 has its last token", d.Len())
	}
	if err := m.pool.Check(b, c, d); err != nil {
		t.Fatal(err)
	}
}

func TestOldestCheckpointGoes(t *testing.T) {
	m := newMachine(64, 3)
	for _, from := range []int{0, 1000, 2000, 3000} {
		tokens := text(40, from)
		s := m.open(t, tokens)
		m.compute(s, tokens, 40, false)
		s.Close()
	}
	for from, want := range map[int]int{0: 0, 3000: 40} {
		s := m.open(t, text(41, from))
		if s.Len() != want {
			t.Errorf("prompt of %d: %d tokens cached, want %d", from, s.Len(), want)
		}
		s.Close()
	}
}

// TestStateInvariants drives random sequences whose prefixes collide often: wherever one begins, its state must be that of
// the tokens before.
func TestStateInvariants(t *testing.T) {
	const sequences = 4
	for _, states := range []int{sequences + 1, 20} {
		r := rand.New(rand.NewPCG(3, uint64(states)))
		m := newMachine(24, states)
		var open []*Seq
		var texts [][]Token
		reused := 0
		for range 5000 {
			if i := r.IntN(sequences); i < len(open) {
				if n := min(len(texts[i]), open[i].Len()+1+r.IntN(50)); n > open[i].Len() && r.IntN(3) > 0 &&
					m.compute(open[i], texts[i], n, r.IntN(2) == 0) {
					continue
				}
				open[i].Close()
				open, texts = slices.Delete(open, i, i+1), slices.Delete(texts, i, i+1)
			} else {
				tokens := make([]Token, 1+r.IntN(150))
				for i := range tokens {
					tokens[i] = Token(r.IntN(40) / 39) // nearly always 0
				}
				s := m.open(t, tokens)
				open, texts = append(open, s), append(texts, tokens)
				reused += s.Len()
			}
			if err := m.pool.Check(open...); err != nil {
				t.Fatal(err)
			}
		}
		if reused == 0 {
			t.Errorf("%d states: nothing was reused", states)
		}
	}
}
