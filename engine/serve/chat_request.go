package serve

import (
	"encoding/json"
	"maps"

	"github.com/llamakit/llamakit/engine"
	"github.com/llamakit/llamakit/engine/chat"
)

// reasoningFormat says where the reasoning of an answer goes.
type reasoningFormat string

// The formats. Auto and deepseek put it into a field of its own, none leaves it in the content with its tags, and legacy does both.
const (
	reasoningAuto   reasoningFormat = "auto"
	reasoningNone   reasoningFormat = "none"
	reasoningApart  reasoningFormat = "deepseek"
	reasoningLegacy reasoningFormat = "deepseek-legacy"
)

// chatRequest reads a conversation in the form of the chat completions API.
func (s *Server) chatRequest(o *object, m *engine.Model) (*params, engine.Request, error) {
	p := s.readParams(o, m)
	s.readReasoning(o, p)
	if o.err != nil {
		return nil, engine.Request{}, o.err
	}
	if err := s.readForm(o, m, p); err != nil {
		return nil, engine.Request{}, err
	}
	if err := s.grammars.readTools(o, p, chatTool); err != nil {
		return nil, engine.Request{}, err
	}
	messages, err := readMessages(o)
	if err != nil {
		return nil, engine.Request{}, err
	}
	request, err := s.conversation(o, p, messages)
	return p, request, err
}

func (s *Server) readReasoning(o *object, p *params) {
	format := s.options.ReasoningFormat
	o.str("reasoning_format", &format)
	switch p.reasoning = reasoningFormat(format); p.reasoning {
	case reasoningAuto, reasoningNone, reasoningApart, reasoningLegacy:
	default:
		o.fail("reasoning_format", "must be auto, none, deepseek or deepseek-legacy")
	}
}

// conversation is the engine's request for messages: what the template is told, and whether the last message is the beginning of
// the answer.
func (s *Server) conversation(o *object, p *params, messages []chat.Message) (engine.Request, error) {
	request := s.request(p, prompt{})
	request.Messages = messages
	request.Unsplit = p.reasoning == reasoningNone && p.tools == nil // calls are looked for behind the reasoning
	request.Template.Thinking = s.options.Thinking
	request.Template.UserSpecials = s.options.UserSpecials
	s.readBudget(o, &request)
	generation := true
	o.bool("add_generation_prompt", &generation)
	request.Template.NoGenerationPrompt = !generation
	kwargs, err := s.readKwargs(o)
	if err != nil {
		return request, err
	}
	request.Template.Kwargs = kwargs
	prefill := !s.options.NoPrefill
	o.bool("continue_final_message", &prefill)
	n := len(messages)
	if o.has("continue_final_message") && prefill && messages[n-1].Role != "assistant" {
		o.fail("continue_final_message", "is true, but the last message is not the assistant's")
	}
	if last := &messages[n-1]; prefill && last.Role == "assistant" && len(last.ToolCalls) == 0 {
		if n > 1 && messages[n-2].Role == "assistant" {
			return request, badRequest("the last two messages are both the assistant's: only one can be continued")
		}
		request.Template.Continue = true
	}
	if p.tools != nil {
		request.Template.Tools = p.tools.all
	}
	return request, o.err
}

// readKwargs reads chat_template_kwargs over those of the server, and reasoning_effort, which is one of them.
func (s *Server) readKwargs(o *object) (map[string]any, error) {
	kwargs := maps.Clone(s.options.Kwargs)
	if kwargs == nil {
		kwargs = map[string]any{}
	}
	effort := ""
	if o.str("reasoning_effort", &effort); effort != "" {
		kwargs["reasoning_effort"] = effort
		if effort == "none" {
			kwargs["enable_thinking"] = false
		}
	}
	if inner := o.object("chat_template_kwargs"); inner != nil {
		var on bool
		inner.bool("enable_thinking", &on)
		o.adopt(inner)
		for name, value := range inner.fields {
			kwargs[name] = value
		}
	}
	return kwargs, o.err
}

// readMessages reads the messages of a conversation.
func readMessages(o *object) ([]chat.Message, error) {
	items, ok := o.array("messages")
	switch {
	case o.err != nil:
		return nil, o.err
	case !ok:
		return nil, badRequest("field 'messages' is required")
	case len(items) == 0:
		return nil, badRequest("field 'messages' must not be empty")
	}
	messages := make([]chat.Message, len(items))
	for i, item := range items {
		if err := readMessage(&messages[i], i, item); err != nil {
			return nil, err
		}
	}
	return messages, nil
}

func readMessage(m *chat.Message, i int, data json.RawMessage) error {
	path := indexed("messages", i)
	o, err := parseObject(path+".", data)
	if err != nil {
		return err
	}
	role := ""
	o.str("role", &role)
	if role == "" && o.err == nil {
		return badRequest("field '%s.role' is required", path)
	}
	o.legacy("function_call", "tool_calls")
	if role == "function" {
		o.fail("role", "is function, of the legacy form of calls: use tool, with 'tool_call_id'")
	}
	content, ok := o.raw("content")
	switch kind := kindOf(content); {
	case !ok && role != "assistant":
		return badRequest("field '%s.content' is required of a message that is not the assistant's", path)
	case ok && kind == "an array":
		readParts(o)
	case ok && kind != "a string":
		o.fail("content", "must be a string or an array of parts, got %s", kind)
	}
	checkCalls(o)
	calls, _ := o.array("tool_calls")
	if !ok && len(calls) == 0 && !o.has("reasoning_content") && o.err == nil {
		return badRequest("field '%s' has neither content nor calls", path)
	}
	if o.err != nil {
		return o.err
	}
	if err := json.Unmarshal(data, m); err != nil {
		return badRequest("field '%s': %v", path, err)
	}
	return nil
}

// readParts checks the parts of a content: this is a model of text.
func readParts(o *object) {
	items, _ := o.array("content")
	for i, item := range items {
		part, err := parseObject(o.path+indexed("content", i)+".", item)
		if err != nil {
			o.err = err
			return
		}
		var kind, text string
		part.str("type", &kind)
		switch part.str("text", &text); {
		case kind == "text" && !part.has("text"):
			part.fail("text", "is required")
		case kind == "image_url" || kind == "input_audio" || kind == "input_video" || kind == "video_url":
			part.fail("type", "is %s, and this model takes text only", kind)
		case kind != "text":
			part.fail("type", "is %q, which is not known", printableName(kind))
		}
		if o.adopt(part); o.err != nil {
			return
		}
	}
}
