package kv

import (
	"math/rand/v2"
	"testing"
)

func text(n, from int) []Token {
	out := make([]Token, n)
	for i := range out {
		out[i] = Token(from + i)
	}
	return out
}

// run computes all of tokens in one go and returns how many were cached.
func run(t *testing.T, p *Pool, tokens []Token) (*Seq, int, *Copy) {
	t.Helper()
	s, c, _ := p.Open(tokens)
	cached := s.Len()
	if !s.Grow(len(tokens) - cached) {
		t.Fatalf("no room for %d tokens", len(tokens))
	}
	s.Commit(tokens[cached:]...)
	return s, cached, c
}

func TestPrefixIsReused(t *testing.T) {
	p := NewPool(16, 0)
	base := text(100, 0)
	a, cached, _ := run(t, p, base)
	if cached != 0 {
		t.Fatalf("an empty pool had %d tokens", cached)
	}
	b, cached, c := run(t, p, append(base[:70:70], text(20, 500)...))
	if cached != 70 || c == nil || c.Tokens != 6 {
		t.Fatalf("running sequence: cached %d (want 70), copy %+v (want 6 tokens)", cached, c)
	}
	if a.Pages()[0] != b.Pages()[0] || a.Pages()[2] == b.Pages()[2] {
		t.Fatalf("pages %v and %v: want the first two shared, the third not", a.Pages(), b.Pages())
	}
	a.Close()
	b.Close()
	c2, cached, _ := run(t, p, base)
	if cached != 99 {
		t.Fatalf("the same prompt again: %d cached, want all but the last", cached)
	}
	if err := p.Check(c2); err != nil {
		t.Fatal(err)
	}
}

// TestRunningPageIsCopied: the last page of a sequence that goes on is no page of the tree, and yet its tokens are found.
func TestRunningPageIsCopied(t *testing.T) {
	p := NewPool(16, 0)
	base := text(75, 0)
	a, _, _ := run(t, p, base)
	b, cached, c := run(t, p, base)
	if cached != 74 || c == nil || c.From != a.Pages()[2] || c.Tokens != 10 {
		t.Fatalf("%d tokens cached, copy %+v; want 74, the last 10 of them copied", cached, c)
	}
	if s := p.Stats(); s.Shared != 2 || s.Used() != 4 || s.Cached != 0 {
		t.Errorf("%+v, want 2 shared pages, 4 used ones, none cached", s)
	}
	if err := p.Check(a, b); err != nil {
		t.Fatal(err)
	}
}

// TestLastPageIsTakenOver: in a pool without a page to spare the partly filled page is not copied, and not lost.
func TestLastPageIsTakenOver(t *testing.T) {
	p := NewPool(3, 0)
	first, _, _ := run(t, p, text(90, 0))
	page := first.Pages()[2]
	first.Close()
	again, cached, c := run(t, p, text(90, 0))
	if cached != 89 || c != nil || again.Pages()[2] != page {
		t.Errorf("%d tokens cached, copy %+v, pages %v; want 89 without a copy, on page %d", cached, c, again.Pages(), page)
	}
	if err := p.Check(again); err != nil {
		t.Fatal(err)
	}
}

func TestEvictsOldestLeafFirst(t *testing.T) {
	p := NewPool(4, 0)
	for _, from := range []int{0, 1000} {
		s, _, _ := run(t, p, text(64, from))
		s.Close()
	}
	s, _, _ := run(t, p, text(32, 2000)) // takes the second page of the first sequence
	s.Close()
	oldest, _, _ := p.Open(text(64, 0))
	if oldest.Len() != 32 {
		t.Errorf("oldest prompt: %d cached, want its first page only", oldest.Len())
	}
	newer, _, _ := p.Open(text(64, 1000))
	if newer.Len() < 32 {
		t.Errorf("newer prompt: %d cached, want at least its first page", newer.Len())
	}
}

func TestGrowFailsWithoutLoss(t *testing.T) {
	p := NewPool(3, 0)
	a, _, _ := run(t, p, text(60, 0))
	b, _, _ := p.Open(text(70, 900))
	if b.Grow(70) {
		t.Fatal("3 pages gave room for 5")
	}
	if err := p.Check(a, b); err != nil {
		t.Fatal(err)
	}
	a.Close()
	if !b.Grow(70) {
		t.Fatal("no room after the other sequence closed")
	}
	if err := p.Check(b); err != nil {
		t.Fatal(err)
	}
}

// TestInvariants drives random sequences over a small alphabet, so that prefixes collide often, and checks the books
// after every step. What a page should hold is tracked beside it: a reused prefix must be the tokens asked for.
func TestInvariants(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	p := NewPool(24, 0)
	memory := map[Page][PageSize]Token{} // what a device would hold
	var open []*Seq
	fill := func(s *Seq, tokens []Token) {
		for i, tok := range tokens {
			pos := s.Len() + i
			m := memory[s.Pages()[pos/PageSize]]
			m[pos%PageSize] = tok
			memory[s.Pages()[pos/PageSize]] = m
		}
		s.Commit(tokens...)
	}
	for range 5000 {
		switch {
		case len(open) < 5 && r.IntN(3) > 0:
			tokens := make([]Token, 1+r.IntN(150))
			for i := range tokens {
				tokens[i] = Token(r.IntN(20) / 19) // nearly always 0
			}
			s, c, _ := p.Open(tokens)
			if c != nil {
				memory[c.To] = memory[c.From]
			}
			if n := len(tokens) - s.Len(); s.Grow(n) {
				fill(s, tokens[s.Len():])
			}
			open = append(open, s)
		case len(open) > 0:
			i := r.IntN(len(open))
			if n := 1 + r.IntN(40); r.IntN(2) == 0 && open[i].Grow(n) {
				fill(open[i], make([]Token, n))
				break
			}
			open[i].Close()
			open = append(open[:i], open[i+1:]...)
		}
		if err := p.Check(open...); err != nil {
			t.Fatal(err)
		}
		for _, s := range open {
			for pos, tok := range s.tokens {
				if got := memory[s.pages[pos/PageSize]][pos%PageSize]; got != tok {
					t.Fatalf("position %d holds token %d, want %d", pos, got, tok)
				}
			}
		}
	}
}
