package engine

import (
	"fmt"
	"slices"
)

// goOn takes the beginning of the answer that Request.Past gives. All parts of the answer see its tokens as if they had been
// generated; they are computed with the prompt, so that an answer can be gone on with from any of its tokens at once.
func (a *answer) goOn() error {
	for i, t := range a.request.Past {
		if a.constraint != nil {
			if err := <-a.constraint.found; err != nil {
				return err
			}
			if err := a.constraint.accept(t); err != nil {
				return err
			}
		}
		a.chain.Accept(t)
		if a.took(t) {
			return fmt.Errorf("the beginning of the answer has %d tokens, and ends the answer with token %d", len(a.request.Past), i)
		}
	}
	a.taken = len(a.request.Past)
	return nil
}

// computed are the tokens that are known before the first is chosen.
func (a *answer) computed() []Token { return slices.Concat(a.tokens, a.request.Past) }

// checkPast looks at Request.Past. The prompt was checked.
func (m *Model) checkPast(r *Request, prompt []Token) error {
	if len(r.Past) == 0 {
		return nil
	}
	if r.MaxTokens > 0 && r.MaxTokens <= len(r.Past) {
		return fmt.Errorf("the beginning of the answer has %d tokens already, and %d are asked for at most", len(r.Past), r.MaxTokens)
	}
	return m.checkTokens(slices.Concat(prompt, r.Past))
}
