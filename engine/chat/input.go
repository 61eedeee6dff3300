package chat

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"time"

	"github.com/llamakit/llamakit/engine/chat/jinja"
)

// Input is what a template renders.
type Input struct {
	Messages            []Message
	Tools               json.RawMessage // array of tool definitions, passed on in its own key order; empty: none
	Documents           json.RawMessage // array of documents, likewise
	AddGenerationPrompt bool            // end with the beginning of the assistant's turn
	// ContinueFinalMessage ends the text within the last message, which must be the assistant's, so that the model goes
	// on with it. AddGenerationPrompt is then ignored.
	ContinueFinalMessage bool
	Thinking             Thinking
	Kwargs               map[string]any // further variables: chat_template_kwargs. They win over all others.
	BOS, EOS, PAD, UNK   string         // texts of the special tokens
	Now                  time.Time      // what strftime_now sees; zero: the clock, read once
	// Guard, if not nil, finds the offsets in a text of messages, tools or documents where it must be kept apart from what the
	// template writes: see vocab.Vocab.Spelled. RenderGuarded returns where they are in the rendered text.
	Guard func(text string, except []string) []int

	// Exact hands the messages to the template in the form they have, whatever it wants: the way to see what transformers
	// would make of them. ParseConversation sets it.
	Exact bool
	// Strict refuses what transformers' sandbox refuses: templates that change lists, and JSON of what is undefined.
	Strict bool

	wholeTools bool // definitions of tools get the fields that they lack

	mark   string   // stands where Guard says
	tags   []string // of the reasoning, which an assistant may write
	source string   // of the template
}

// Thinking asks for or against a reasoning phase in templates that have a switch for it. Off and on set the variables that
// such templates know: enable_thinking, thinking, and off also thinking_budget.
type Thinking int

const (
	ThinkingAuto Thinking = iota // the template's own default
	ThinkingOn
	ThinkingOff
)

// ParseConversation reads a JSON object with messages and, where wanted, tools, documents, add_generation_prompt (true when it
// is missing), continue_final_message, and variables for the template in extra or chat_template_kwargs. Messages are rendered
// exactly as they are, with <s>, </s>, <pad> and <unk> for special tokens unless the caller changes them.
func ParseConversation(data []byte) (Input, error) {
	in := Input{AddGenerationPrompt: true, Exact: true, BOS: "<s>", EOS: "</s>", PAD: "<pad>", UNK: "<unk>"}
	fields, err := readFields(data)
	if err != nil {
		return in, fmt.Errorf("conversation: %w", err)
	}
	found := false
	for _, f := range fields {
		found = found || f.Name == "messages"
		if err := in.setField(f); err != nil {
			return in, fmt.Errorf("conversation: %s: %w", f.Name, err)
		}
	}
	if !found {
		return in, fmt.Errorf("conversation: no messages")
	}
	return in, nil
}

func (in *Input) setField(f Field) error {
	switch f.Name {
	case "messages":
		return json.Unmarshal(f.Value, &in.Messages)
	case "tools":
		return setArray(&in.Tools, f.Value)
	case "documents":
		return setArray(&in.Documents, f.Value)
	case "add_generation_prompt":
		return json.Unmarshal(f.Value, &in.AddGenerationPrompt)
	case "continue_final_message":
		return json.Unmarshal(f.Value, &in.ContinueFinalMessage)
	case "extra", "chat_template_kwargs":
		return in.setKwargs(f.Value)
	}
	return nil
}

func setArray(to *json.RawMessage, data json.RawMessage) error {
	if bytes.Equal(data, []byte("null")) {
		return nil
	}
	if len(data) == 0 || data[0] != '[' {
		return fmt.Errorf("want an array, got %.20s", data)
	}
	*to = data
	return nil
}

func (in *Input) setKwargs(data json.RawMessage) error {
	fields, err := readFields(data)
	if err != nil {
		return err
	}
	in.Kwargs = map[string]any{}
	for _, f := range fields {
		in.Kwargs[f.Name] = f.Value
	}
	return nil
}

// vars are the variables that a template sees. The messages among them are also returned, to find one again in an error.
func (in *Input) vars(sh shape) (vars *jinja.Dict, messages []jinja.Value, err error) {
	vars = jinja.NewDict()
	for i := range in.Messages {
		m, err := in.Messages[i].value(sh)
		if err != nil {
			return nil, nil, fmt.Errorf("messages[%d]: %w", i, err)
		}
		messages = append(messages, m)
	}
	vars.Set("messages", jinja.NewList(append([]jinja.Value(nil), messages...)...))
	for name, text := range map[string]string{"bos_token": in.BOS, "eos_token": in.EOS, "pad_token": in.PAD, "unk_token": in.UNK} {
		vars.Set(name, text)
	}
	in.setThinking(vars)
	if sh.functions {
		vars.Set("functions", cmp.Or(string(in.Tools), "[]"))
		vars.Set("datetime", cmp.Or(in.Now, time.Now()).Format(time.DateTime))
	}
	for name, data := range map[string]json.RawMessage{"tools": in.Tools, "documents": in.Documents} {
		if err := setList(vars, name, data); err != nil {
			return nil, nil, err
		}
	}
	if tools, _ := vars.Get("tools"); in.wholeTools && tools != nil {
		complete(tools.(*jinja.List))
	}
	if in.mark != "" {
		in.guard(vars)
	}
	vars.Set("add_generation_prompt", in.AddGenerationPrompt)
	for name, value := range in.Kwargs {
		v, err := jinja.FromGo(value)
		if err != nil {
			return nil, nil, fmt.Errorf("template variable %s: %w", name, err)
		}
		vars.Set(name, v)
	}
	return vars, messages, nil
}

func (in *Input) setThinking(vars *jinja.Dict) {
	if in.Thinking == ThinkingAuto {
		return
	}
	on := in.Thinking == ThinkingOn
	vars.Set("enable_thinking", on)
	vars.Set("thinking", on)
	if !on {
		vars.Set("thinking_budget", int64(0))
	}
}

// setList sets a variable from a JSON array. Without elements it stays undefined, which all templates take for none.
func setList(vars *jinja.Dict, name string, data json.RawMessage) error {
	if len(data) == 0 {
		return nil
	}
	v, err := jinja.FromJSON(data)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	list, ok := v.(*jinja.List)
	switch {
	case v != nil && !ok:
		return fmt.Errorf("%s: want an array, got %.20s", name, data)
	case v != nil && len(list.Items) > 0:
		vars.Set(name, list)
	}
	return nil
}
