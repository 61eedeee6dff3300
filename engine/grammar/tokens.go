package grammar

import (
	"fmt"
	"slices"

	"github.com/llamakit/llamakit/engine/grammar/pushdown"
)

// take is the state after a token: as its text, which may be nil, or as the token itself where the grammar names it.
func (g *Grammar) take(s *pushdown.State, t Token, text []byte) (*pushdown.State, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	var asText, itself *pushdown.State
	var n int
	var err error
	if text != nil {
		if asText, n, err = g.through(s, text); err != nil {
			return nil, err
		}
	}
	if itself, err = g.itself(s, t); err != nil {
		return nil, err
	}
	switch {
	case asText == nil && itself == nil && text == nil:
		return nil, fmt.Errorf("%w: token %d has no text", ErrRejected, t)
	case asText == nil && itself == nil:
		return nil, fmt.Errorf("%w: %q after %d bytes", ErrRejected, text[n], n)
	case itself == nil:
		return asText, nil
	case asText == nil:
		return itself, nil
	}
	return g.builder.Union(asText, itself)
}

// itself is the state after a token that the grammar names, or nil.
func (g *Grammar) itself(s *pushdown.State, t Token) (*pushdown.State, error) {
	if len(g.named) == 0 {
		return nil, nil
	}
	for _, c := range pushdown.AppendToken(nil, t) {
		next, err := g.builder.Step(s, c)
		if next == nil {
			return nil, err
		}
		s = next
	}
	return s, nil
}

// walkTokens adds the tokens that the grammar names or allows without their text.
func (g *Grammar) walkTokens(s *pushdown.State, t *tokens) error {
	if len(g.named) == 0 {
		return nil
	}
	first, err := g.builder.Step(s, pushdown.TokenByte)
	if first == nil {
		return err
	}
	return g.walkDigits(first, 0, pushdown.TokenDigits, t)
}

// walkDigits tries the last digits of a token's number.
func (g *Grammar) walkDigits(s *pushdown.State, number Token, digits int, t *tokens) error {
	if digits == 0 {
		if !slices.Contains(t.v.ends, number) {
			t.more = append(t.more, number)
		}
		return nil
	}
	for d := range Token(pushdown.TokenBase) {
		n := number*pushdown.TokenBase + d
		if int(n)<<(6*(digits-1)) >= t.v.size {
			return nil
		}
		next, err := g.builder.Step(s, byte(d))
		if err != nil {
			return err
		}
		if next == nil {
			continue
		}
		if err := g.walkDigits(next, n, digits-1, t); err != nil {
			return err
		}
	}
	return nil
}
