package engine

import (
	"context"
	"errors"
	"fmt"

	"github.com/llamakit/llamakit/engine/chat"
	"github.com/llamakit/llamakit/engine/sched"
	"github.com/llamakit/llamakit/engine/vocab"
)

// Errors of requests that cannot be run as they are.
var (
	ErrPromptTooLong = errors.New("the prompt does not fit into the context")
	ErrEmptyPrompt   = errors.New("the prompt is empty")
	ErrBadToken      = errors.New("no such token")
	ErrNotFinite     = errors.New("the model computed a logit that is no number")
	ErrNotCausal     = errors.New("the model sees the whole text at once and cannot continue it token by token")
	ErrNoSlot        = errors.New("no such slot")
)

// Errors of requests that come at the wrong time.
var (
	ErrClosed   = sched.ErrClosed   // the model was closed
	ErrBusy     = sched.ErrBusy     // Options.Queue requests are waiting
	ErrDraining = sched.ErrDraining // Drain was called
)

// TooLong is the error of a prompt that does not fit into the context; it wraps ErrPromptTooLong.
type TooLong struct {
	Tokens, Context int
	More            bool // there are more tokens: a text that cannot fit is not encoded
}

func (e *TooLong) Error() string {
	more := ""
	if e.More {
		more = "more than "
	}
	return fmt.Sprintf("%v: %s%d tokens, the context holds %d; shorten the prompt or open the model with a larger context",
		ErrPromptTooLong, more, e.Tokens, e.Context)
}

// Unwrap returns ErrPromptTooLong.
func (e *TooLong) Unwrap() error { return ErrPromptTooLong }

// Prompt returns what the model will see for a request: the text, and its tokens. A template that begins with BOS gets no
// second one. In text of messages, tools and documents control tokens are characters, unless Template.UserSpecials is set.
func (m *Model) Prompt(r Request) (text string, tokens []Token, err error) {
	var barriers []int
	switch {
	case len(r.Tokens) > 0 && m.vocab == nil:
		return "", r.Tokens, m.checkTokens(r.Tokens)
	case len(r.Tokens) > 0:
		return m.vocab.Decode(r.Tokens, true), r.Tokens, m.checkTokens(r.Tokens)
	case m.vocab == nil:
		return "", nil, fmt.Errorf("text needs a tokenizer: %w", m.noVocab)
	case len(r.Messages) > 0:
		if text, barriers, err = m.TemplateFor(&r).RenderGuarded(context.Background(), m.input(r)); err != nil {
			return "", nil, err
		}
	default:
		text = r.Prompt
	}
	if err := m.Fits(text); err != nil {
		return text, nil, err
	}
	tokens = m.vocab.Encode(text, vocab.EncodeOptions{AddSpecial: true, ParseSpecial: true, Rendered: len(r.Messages) > 0, Barriers: barriers})
	if len(tokens) == 0 {
		return text, nil, ErrEmptyPrompt
	}
	return text, tokens, m.checkTokens(tokens)
}

// countedText is the length of a text, in bytes, whose tokens are counted however many they are.
const countedText = 1 << 20

// Fits refuses a text that is so long that it cannot fit into the context, without encoding it: that would take many times its memory.
func (m *Model) Fits(text string) error {
	if len(text) <= countedText {
		return nil
	}
	if least := m.vocab.AtLeast(text); least > m.options.Context {
		return &TooLong{Tokens: least, Context: m.options.Context, More: true}
	}
	return nil
}

// TemplateFor returns the template of a request: its own, or the model's.
func (m *Model) TemplateFor(r *Request) *chat.Template {
	if r.Template.Use != nil {
		return r.Template.Use
	}
	return m.template
}

// input is a request's conversation as a template takes it.
func (m *Model) input(r Request) chat.Input {
	o := r.Template
	in := chat.Input{Messages: r.Messages, Tools: o.Tools, Kwargs: o.Kwargs, Thinking: o.Thinking, Now: o.Now,
		AddGenerationPrompt: !o.Continue && !o.NoGenerationPrompt, ContinueFinalMessage: o.Continue,
		BOS: m.special(m.vocab.BOS), EOS: m.special(m.vocab.EOS)}
	if !o.UserSpecials {
		in.Guard = m.vocab.Spelled
	}
	return in
}

// special is the text of a special token; "" where the vocabulary lacks it.
func (m *Model) special(t Token) string {
	if t < 0 {
		return ""
	}
	return m.vocab.Text(t)
}

func (m *Model) checkTokens(tokens []Token) error {
	for i, t := range tokens {
		if t < 0 || int(t) >= m.arch.NVocab {
			return fmt.Errorf("%w: %d at position %d, the vocabulary has %d", ErrBadToken, t, i, m.arch.NVocab)
		}
	}
	if len(tokens) > m.options.Context {
		return &TooLong{Tokens: len(tokens), Context: m.options.Context}
	}
	if !m.arch.Graph.Causal() && len(tokens) > m.options.Batch {
		return fmt.Errorf("%w: %d tokens, of which the model must see all at once; open it with a batch of as many rows",
			ErrPromptTooLong, len(tokens))
	}
	return nil
}

// Longest is how many tokens a text can have.
func (m *Model) Longest() int {
	if !m.arch.Graph.Causal() {
		return min(m.options.Context, m.options.Batch)
	}
	return m.options.Context
}
