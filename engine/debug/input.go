package debug

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/llamakit/llamakit/engine"
	"github.com/llamakit/llamakit/engine/chat"
	"github.com/llamakit/llamakit/engine/grammar"
	"github.com/llamakit/llamakit/engine/grammar/gbnf"
	"github.com/llamakit/llamakit/engine/grammar/schema"
	"github.com/llamakit/llamakit/engine/sample"
)

// Input is what a run is made of. Exactly one of Prompt and Messages is there. A last message of the assistant's is the beginning
// of the answer.
type Input struct {
	Prompt    string          `json:"prompt,omitempty"`               // as it stands, special tokens in it are parsed
	Messages  json.RawMessage `json:"messages,omitempty"`             // array, as the chat APIs have it
	Tools     json.RawMessage `json:"tools,omitempty"`                // array of tool definitions
	Kwargs    json.RawMessage `json:"chat_template_kwargs,omitempty"` // object
	Thinking  string          `json:"reasoning,omitempty"`            // on or off; "": as the template likes
	Template  string          `json:"template,omitempty"`             // instead of the model's
	Now       time.Time       `json:"now,omitzero"`                   // what the template takes for now
	Grammar   string          `json:"grammar,omitempty"`              // GBNF, of the answer
	Schema    json.RawMessage `json:"json_schema,omitempty"`          // instead
	Stop      []string        `json:"stop,omitempty"`
	MaxTokens int             `json:"max_tokens,omitempty"` // of the answer; 0: as many as fit
	IgnoreEOG bool            `json:"ignore_eos,omitempty"`
	Sampling  Sampling        `json:"sampling"`
}

// NewInput is an empty input with these samplers.
func NewInput(p sample.Params) Input { return Input{Sampling: Sampling(p)} }

// Settle fixes what would be different the next time: the seed, and the time of day.
func (in *Input) Settle(now time.Time) {
	if in.Sampling.Seed < 0 {
		in.Sampling.Seed = int64(rand.Uint32())
	}
	if in.Now.IsZero() && in.Prompt == "" {
		in.Now = now.UTC().Truncate(time.Second)
	}
}

// Conversation are the messages.
func (in *Input) Conversation() (list []chat.Message, err error) {
	if len(in.Messages) == 0 {
		return nil, nil
	}
	if err := json.Unmarshal(in.Messages, &list); err != nil {
		return nil, fmt.Errorf("messages: %w", err)
	}
	if len(list) == 0 {
		return nil, fmt.Errorf("messages: %w: there are none", chat.ErrInput)
	}
	return list, nil
}

// template is the edited template, or nil.
func (in *Input) template() (*chat.Template, error) {
	if in.Template == "" {
		return nil, nil
	}
	return chat.Parse(in.Template)
}

// form is the grammar of the answer, or nil. find knows the tokens that it may name.
func (in *Input) form(find gbnf.Lookup) (*grammar.Grammar, error) {
	switch {
	case in.Grammar != "" && len(in.Schema) > 0:
		return nil, fmt.Errorf("an answer cannot have both a grammar and a JSON Schema")
	case in.Grammar != "":
		return grammar.ParseGBNFTokens(in.Grammar, find)
	case len(in.Schema) > 0:
		return grammar.FromSchema(in.Schema, schema.Options{})
	}
	return nil, nil
}

// kwargs are the variables of the template, each as it is written.
func (in *Input) kwargs() (map[string]any, error) {
	if len(in.Kwargs) == 0 {
		return nil, nil
	}
	fields := map[string]json.RawMessage{}
	if err := json.Unmarshal(in.Kwargs, &fields); err != nil {
		return nil, fmt.Errorf("chat_template_kwargs: %w", err)
	}
	out := map[string]any{}
	for name, value := range fields {
		out[name] = value
	}
	return out, nil
}

func (in *Input) thinking() (engine.Thinking, error) {
	switch in.Thinking {
	case "", "auto":
		return engine.ThinkingAuto, nil
	case "on":
		return engine.ThinkingOn, nil
	case "off":
		return engine.ThinkingOff, nil
	}
	return 0, fmt.Errorf("reasoning is %q, want on, off or auto", in.Thinking)
}

// Request is the input as the engine takes it. find knows the tokens that its grammar may name.
func (in *Input) Request(find gbnf.Lookup) (r engine.Request, err error) {
	r = engine.Request{Prompt: in.Prompt, Sampling: sample.Params(in.Sampling), MaxTokens: in.MaxTokens, Stop: in.Stop, IgnoreEOG: in.IgnoreEOG}
	if r.Messages, err = in.Conversation(); err != nil {
		return r, err
	}
	if (r.Prompt == "") == (r.Messages == nil) {
		return r, fmt.Errorf("give a prompt or messages, one of them")
	}
	if r.Grammar, err = in.form(find); err != nil {
		return r, err
	}
	o := &r.Template
	if o.Use, err = in.template(); err != nil {
		return r, err
	}
	if o.Kwargs, err = in.kwargs(); err != nil {
		return r, err
	}
	if o.Thinking, err = in.thinking(); err != nil {
		return r, err
	}
	if len(in.Tools) > 0 && !bytes.HasPrefix(bytes.TrimSpace(in.Tools), []byte("[")) {
		return r, fmt.Errorf("tools: want an array, got %.20s", in.Tools)
	}
	o.Tools, o.Now = in.Tools, in.Now
	o.Continue = r.Messages != nil && r.Messages[len(r.Messages)-1].Role == "assistant"
	return r, nil
}
