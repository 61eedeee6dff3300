package debug

import (
	"github.com/llamakit/llamakit/engine"
	"github.com/llamakit/llamakit/engine/debug"
	"github.com/llamakit/llamakit/tui/source"
)

// inputOf is a request of another view as an input.
func inputOf(r source.Request) (in debug.Input, err error) {
	in = debug.NewInput(r.Sampling)
	in.Prompt, in.Grammar, in.Schema, in.Stop, in.MaxTokens, in.IgnoreEOG = r.Prompt, r.GBNF, r.Schema, r.Stop, max(0, r.MaxTokens), r.IgnoreEOG
	o := &r.Template
	in.Tools, in.Now = o.Tools, o.Now
	in.Thinking = map[engine.Thinking]string{engine.ThinkingOn: "on", engine.ThinkingOff: "off"}[o.Thinking]
	if o.Use != nil {
		in.Template = o.Use.Source()
	}
	if len(o.Kwargs) > 0 {
		if in.Kwargs, err = debug.Encode(o.Kwargs); err != nil {
			return in, err
		}
	}
	if len(r.Messages) > 0 {
		in.Messages, err = debug.Encode(r.Messages)
	}
	return in, err
}
