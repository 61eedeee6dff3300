package engine

import (
	"strings"

	"github.com/llamakit/llamakit/engine/chat"
	"github.com/llamakit/llamakit/engine/vocab"
)

// budget ends a reasoning that takes more tokens than it may: the answer goes on with the tag that closes it, whatever the model
// says.
type budget struct {
	split   *chat.Splitter
	left    int
	message string // before the tag
	inLine  bool   // the reasoning is within a line
}

// newBudget is nil where the reasoning has no limit.
func (m *Model) newBudget(r *Request, prompt string) *budget {
	if r.ReasoningLimit == 0 || len(r.Messages) == 0 {
		return nil
	}
	return &budget{split: m.template.SplitterFor(m.input(*r), prompt), left: max(0, r.ReasoningLimit), message: r.ReasoningEnd}
}

// count takes the text of the next token.
func (b *budget) count(text string) {
	before := b.split.Closing()
	b.split.Push(text)
	if text != "" {
		b.inLine = before != "" && !strings.HasSuffix(text, "\n")
	}
	if before != "" && b.left > 0 {
		b.left--
	}
}

// end is the text that ends the reasoning where its tokens are used up; "" elsewhere.
func (b *budget) end() string {
	closing := b.split.Closing()
	if closing == "" || b.left > 0 {
		return ""
	}
	var before string
	if b.inLine {
		before = "\n"
	}
	if b.message != "" {
		before += b.message + "\n"
	}
	return before + closing
}

// limitReasoning makes the tokens that come next those that end the reasoning, where it is time.
func (a *answer) limitReasoning() {
	if a.budget == nil || len(a.script) > 0 {
		return
	}
	if end := a.budget.end(); end != "" {
		a.script = a.model.vocab.Encode(end, vocab.EncodeOptions{ParseSpecial: true})
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
