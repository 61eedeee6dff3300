package grammar

import (
	"errors"
	"fmt"
	"slices"

	"github.com/llamakit/llamakit/engine/grammar/pushdown"
)

// ErrRejected is of a text or token that the grammar does not allow.
var ErrRejected = errors.New("grammar: not allowed here")

// Matcher is a place in a text of a grammar: what was accepted so far. It belongs to one sequence.
type Matcher struct {
	g       *Grammar
	v       *Vocabulary
	state   *pushdown.State
	stopped bool // a token that ends generation was accepted
}

// Accept takes t, which Mask must allow, and else changes nothing.
func (m *Matcher) Accept(t Token) error {
	if m.stopped || t < 0 || int(t) >= m.v.size {
		return fmt.Errorf("%w: token %d", ErrRejected, t)
	}
	if slices.Contains(m.v.ends, t) {
		if !m.CanStop() {
			return fmt.Errorf("%w: token %d ends a text that is not complete", ErrRejected, t)
		}
		m.stopped = true
	} else if next, err := m.g.take(m.state, t, m.v.pieces[t]); err != nil {
		return err
	} else {
		m.state = next
	}
	return nil
}

// AcceptBytes takes text. Where that is not allowed it changes nothing, and n is the number of bytes that could have been
// taken.
func (m *Matcher) AcceptBytes(text []byte) (n int, err error) {
	s, n, err := m.g.step(m.state, text)
	switch {
	case err != nil:
		return n, err
	case s == nil:
		return n, fmt.Errorf("%w: %q after %d bytes", ErrRejected, text[n], n)
	}
	m.state = s
	return n, nil
}

// CanStop reports whether the text may end here.
func (m *Matcher) CanStop() bool { return m.state.Final() }

// Ended reports whether nothing can follow but the end.
func (m *Matcher) Ended() bool { return m.stopped || m.state.Ended() }

// Clone returns an independent matcher at the same place.
func (m *Matcher) Clone() *Matcher {
	c := *m
	return &c
}

// Mask sets dst to the tokens that may come next: those after which the text can still be completed, and where it is
// complete those that end generation. After the end it is empty. dst is for the size of the vocabulary.
func (m *Matcher) Mask(dst Mask) error {
	if m.stopped {
		clear(dst)
		return nil
	}
	if err := m.g.mask(m.state, m.v, dst); err != nil {
		return err
	}
	if m.CanStop() {
		for _, t := range m.v.ends {
			dst.Add(t)
		}
	}
	return nil
}
