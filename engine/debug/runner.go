package debug

import (
	"context"

	"github.com/llamakit/llamakit/engine"
)

// Runner answers inputs: a Session, or a server that can do a part of it.
type Runner interface {
	// Model describes the model.
	Model() Model
	// Defaults is an empty input with the samplers that hold where nothing else is said.
	Defaults() Input
	// TemplateSource is the text of the model's chat template; "" where it is not known.
	TemplateSource() string
	// Parallel is how many runs go on at the same time.
	Parallel() int
	// Render, Run, Branch, Grammar and Seal are told at Session.
	Render(ctx context.Context, in Input) (*Prompt, error)
	Run(ctx context.Context, in Input, o Options, watch func(Run)) (*Run, error)
	Branch(ctx context.Context, from *Run, at int, t engine.Token, watch func(Run)) (*Run, error)
	Grammar(run *Run, at int) (*GrammarState, error)
	Seal(run *Run) error
}
