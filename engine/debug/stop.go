package debug

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/llamakit/llamakit/engine"
)

// Stop is why an answer ended.
type Stop struct {
	Reason  string       `json:"reason"`           // eos, stop, limit, context, grammar, cancelled or error
	Token   engine.Token `json:"token,omitempty"`  // that ended the turn, for eos
	Text    string       `json:"text,omitempty"`   // its text, or the stop text
	Offset  int          `json:"offset,omitempty"` // where in the answer the stop text begins, in bytes
	Limit   int          `json:"limit,omitempty"`
	Context int          `json:"context,omitempty"`
	Error   string       `json:"error,omitempty"`
}

// Reasons that engine.StopReason does not tell apart, or does not have.
const (
	StopGrammar   = "grammar"
	StopCancelled = "cancelled"
	StopError     = "error"
)

// stopOf says why a run ended by its result.
func stopOf(run *Run, r *engine.Result) Stop {
	s := Stop{Reason: string(r.Stop)}
	switch r.Stop {
	case engine.StopEOS:
		last := len(run.Answer) - 1
		if last < 0 || !run.Answer[last].Special() {
			s.Reason = StopGrammar
			break
		}
		s.Token, s.Text = run.Answer[last].ID, run.Answer[last].Text
	case engine.StopText:
		s.Text = r.StopText
		s.Offset = max(0, strings.Index(run.Raw(), r.StopText))
	case engine.StopLimit:
		s.Limit = run.Input.MaxTokens
	case engine.StopContext:
		s.Context = run.Model.Context
	}
	return s
}

// stopByError says so of a run that an error ended. A cancelled one is no error.
func stopByError(err error) Stop {
	if errors.Is(err, context.Canceled) {
		return Stop{Reason: StopCancelled}
	}
	return Stop{Reason: StopError, Error: err.Error()}
}

// String is a sentence. It has text of the model in it.
func (s Stop) String() string {
	switch s.Reason {
	case string(engine.StopEOS):
		if s.Text == "" && s.Token == 0 {
			return "the model ended its turn"
		}
		if s.Text == "" {
			return fmt.Sprintf("the model ended its turn (token %d)", s.Token)
		}
		return fmt.Sprintf("the model ended its turn with %s (token %d)", s.Text, s.Token)
	case string(engine.StopText):
		return fmt.Sprintf("the stop text %q came, at byte %d of the answer", s.Text, s.Offset)
	case string(engine.StopLimit):
		return fmt.Sprintf("the limit of %d tokens was reached", s.Limit)
	case string(engine.StopContext):
		return fmt.Sprintf("the context of %d tokens is full", s.Context)
	case StopGrammar:
		return "the grammar is complete: nothing can follow"
	case StopCancelled:
		return "it was stopped by hand"
	case StopError:
		return s.Error
	case "":
		return "it has not ended"
	}
	return s.Reason
}
