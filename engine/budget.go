package engine

import (
	"github.com/llamakit/llamakit/engine/chat"
	"github.com/llamakit/llamakit/engine/vocab"
)

// budget ends a reasoning that takes more tokens than it may: the answer goes on with the tag that closes it, whatever the model
// says.
type budget struct {
	split   *chat.Splitter
	left    int
	message string // before the tag
}

// newBudget is nil where the reasoning has no limit.
func (m *Model) newBudget(r *Request, prompt string) *budget {
	if r.ReasoningLimit == 0 || len(r.Messages) == 0 {
		return nil
	}
	return &budget{split: m.TemplateFor(r).SplitterFor(m.input(*r), prompt), left: max(0, r.ReasoningLimit), message: r.ReasoningEnd}
}

// count takes the text of the next token.
func (b *budget) count(text string) {
	before := b.split.Closing()
	b.split.Push(text)
	if before != "" && b.left > 0 {
		b.left--
	}
}

// limitReasoning makes the tokens that come next those that end the reasoning, where its tokens are used up.
func (a *answer) limitReasoning() {
	b := a.budget
	if b == nil || b.left > 0 || len(a.script) > 0 {
		return
	}
	if closing := b.split.Closing(); closing != "" {
		a.script = append(a.model.vocab.Encode(b.message, vocab.EncodeOptions{}), a.model.vocab.Encode(closing, vocab.EncodeOptions{ParseSpecial: true})...)
	}
}

// ReasoningLimit is the Request.ReasoningLimit for llama.cpp's number of tokens: -1 for any, 0 for none.
func ReasoningLimit(tokens int) int {
	switch {
	case tokens < 0:
		return 0
	case tokens == 0:
		return -1
	}
	return tokens
}
