package serve

import (
	"encoding/json"

	"github.com/llamakit/llamakit/engine"
	"github.com/llamakit/llamakit/engine/chat"
)

// responsesRequest reads a conversation in the form of OpenAI's responses API
// (https://platform.openai.com/docs/api-reference/responses).
func (s *Server) responsesRequest(o *object, m *engine.Model) (*params, engine.Request, error) {
	p := s.readParams(o, m)
	p.choices = 1
	o.int("max_output_tokens", &p.max, 1, maxInt)
	s.readReasoning(o, p)
	for _, name := range []string{"previous_response_id", "conversation"} {
		if o.has(name) {
			o.fail(name, "names what was said before, and this server keeps nothing: send the whole input")
		}
	}
	if reasoning := o.object("reasoning"); reasoning != nil {
		if effort, ok := reasoning.raw("effort"); ok {
			o.fields["reasoning_effort"] = effort
		}
	}
	if o.err != nil {
		return nil, engine.Request{}, o.err
	}
	if err := s.readForm(o, m, p); err != nil {
		return nil, engine.Request{}, err
	}
	if err := s.grammars.readTools(o, p, responseTool); err != nil {
		return nil, engine.Request{}, err
	}
	messages, err := readInput(o, p)
	if err != nil {
		return nil, engine.Request{}, err
	}
	request, err := s.conversation(o, p, messages)
	return p, request, err
}

// readInput reads instructions and input.
func readInput(o *object, p *params) ([]chat.Message, error) {
	var messages []chat.Message
	instructions := ""
	if o.str("instructions", &instructions); instructions != "" {
		messages = append(messages, chat.Message{Role: "system", Content: instructions})
		p.places = append(p.places, "instructions")
	}
	data, ok := o.raw("input")
	var items []json.RawMessage
	switch kind := kindOf(data); {
	case o.err != nil:
		return nil, o.err
	case !ok:
		return nil, badRequest("field 'input' is required")
	case kind == "a string":
		m := chat.Message{Role: "user"}
		o.str("input", &m.Content)
		p.places = append(p.places, "input")
		return append(messages, m), o.err
	case kind != "an array" || json.Unmarshal(data, &items) != nil:
		return nil, badRequest("field 'input' must be a string or an array of items, got %s", kind)
	case len(items) == 0:
		return nil, badRequest("field 'input' must not be empty")
	}
	for i, item := range items {
		in, err := parseObject(indexed("input", i)+".", item)
		if err != nil {
			return nil, err
		}
		if messages = readItem(in, messages); in.err != nil {
			return nil, in.err
		}
		if len(messages) > len(p.places) { // some items join the message before
			p.places = append(p.places, indexed("input", i))
		}
	}
	return messages, nil
}

// readItem appends an item of the input to the messages. Reasoning and calls belong to the assistant's message that they
// stand before or after.
func readItem(o *object, messages []chat.Message) []chat.Message {
	kind, role := "message", ""
	o.str("type", &kind)
	o.str("role", &role)
	switch kind {
	case "message":
		switch role {
		case "user", "assistant", "system":
		case "developer":
			role = "system"
		default:
			o.fail("role", "must be user, assistant, system or developer")
		}
		if role != "assistant" && !o.has("content") {
			o.fail("content", "is required")
		}
		m := chat.Message{Role: role, Content: readItemText(o, "content")}
		if n := len(messages); role == "assistant" && n > 0 && messages[n-1].Role == role && messages[n-1].Content == "" {
			messages[n-1].Content = m.Content
			return messages
		}
		return append(messages, m)
	case "reasoning":
		return append(messages, chat.Message{Role: "assistant", Reasoning: readItemText(o, "content")})
	case "function_call":
		call := chat.ToolCall{}
		o.str("call_id", &call.ID)
		o.str("name", &call.Name)
		checkCall(o, "arguments")
		call.Arguments, _ = o.raw("arguments")
		if n := len(messages); n == 0 || messages[n-1].Role != "assistant" {
			messages = append(messages, chat.Message{Role: "assistant"})
		}
		last := &messages[len(messages)-1]
		last.ToolCalls = append(last.ToolCalls, call)
		return messages
	case "function_call_output":
		m := chat.Message{Role: "tool"}
		o.str("call_id", &m.ToolCallID)
		m.Content = readItemText(o, "output")
		return append(messages, m)
	}
	o.fail("type", "is %q, which is not known", printableName(kind))
	return messages
}

// readItemText reads a text, or an array of parts with texts.
func readItemText(o *object, name string) (text string) {
	if data, ok := o.raw(name); !ok || kindOf(data) == "a string" {
		o.str(name, &text)
		return text
	}
	items, _ := o.array(name)
	for i, item := range items {
		part, err := parseObject(o.path+indexed(name, i)+".", item)
		if err != nil {
			o.err = err
			return ""
		}
		var kind, piece string
		part.str("type", &kind)
		part.str("text", &piece)
		switch kind {
		case "refusal":
			part.str("refusal", &piece)
		case "input_text", "output_text", "text", "reasoning_text", "summary_text":
			if !part.has("text") {
				part.fail("text", "is required")
			}
		case "input_image", "input_file", "input_audio":
			part.fail("type", "is %s, and this model takes text only", kind)
		default:
			part.fail("type", "is %q, which is not known", printableName(kind))
		}
		if o.adopt(part); text != "" {
			text += "\n"
		}
		text += piece
	}
	return text
}
