package serve

import (
	"encoding/json"

	"github.com/llamakit/llamakit/engine"
	"github.com/llamakit/llamakit/engine/chat"
)

// messagesRequest reads a conversation in the form of Anthropic's messages API (https://docs.anthropic.com/en/api/messages).
// To count tokens, a limit for the answer is not needed.
func (s *Server) messagesRequest(o *object, m *engine.Model, count bool) (*params, engine.Request, error) {
	p := s.readParams(o, m)
	p.choices, p.reasoning = 1, reasoningAuto
	if !count && !o.has("max_tokens") && o.err == nil {
		return nil, engine.Request{}, badRequest("field 'max_tokens' is required")
	}
	o.strs("stop_sequences", &p.stop)
	if len(p.stop) > maxStops {
		o.fail("stop_sequences", "has %d texts, %d may be", len(p.stop), maxStops)
	}
	if o.err != nil {
		return nil, engine.Request{}, o.err
	}
	if err := s.readForm(o, m, p); err != nil {
		return nil, engine.Request{}, err
	}
	if err := s.grammars.readTools(o, p, messageTool); err != nil {
		return nil, engine.Request{}, err
	}
	messages, err := readAnthropic(o, p)
	if err != nil {
		return nil, engine.Request{}, err
	}
	request, err := s.conversation(o, p, messages)
	readThinking(o, &request)
	if err == nil {
		err = o.err
	}
	return p, request, err
}

// readThinking reads thinking: {"type": "enabled", "disabled" or "adaptive", "budget_tokens": tokens}.
func readThinking(o *object, r *engine.Request) {
	thinking := o.object("thinking")
	if thinking == nil {
		return
	}
	kind := ""
	thinking.str("type", &kind)
	thinking.int("budget_tokens", &r.ReasoningLimit, 1, maxInt)
	o.adopt(thinking)
	switch kind {
	case "enabled":
		r.Template.Thinking = engine.ThinkingOn
	case "disabled":
		r.Template.Thinking = engine.ThinkingOff
	case "adaptive":
	default:
		o.fail("thinking.type", "must be enabled, disabled or adaptive")
	}
}

// readAnthropic reads system and messages. Of one there may become several.
func readAnthropic(o *object, p *params) ([]chat.Message, error) {
	var messages []chat.Message
	if data, ok := o.raw("system"); ok {
		blocks, err := readBlocks("system", data)
		if err != nil {
			return nil, err
		}
		messages = append(messages, chat.Message{Role: "system", Content: joined(blocks)})
		p.places = append(p.places, "system")
	}
	items, ok := o.array("messages")
	switch {
	case o.err != nil:
		return nil, o.err
	case !ok:
		return nil, badRequest("field 'messages' is required")
	case len(items) == 0:
		return nil, badRequest("field 'messages' must not be empty")
	}
	for i, item := range items {
		more, err := readTurn(i, item)
		if err != nil {
			return nil, err
		}
		for _, m := range more {
			messages = append(messages, m)
			p.places = append(p.places, indexed("messages", i))
		}
	}
	return messages, nil
}

// readTurn reads a message. Results of tools, which stand in a user's message there, are messages of their own here.
func readTurn(i int, data json.RawMessage) ([]chat.Message, error) {
	o, err := parseObject(indexed("messages", i)+".", data)
	if err != nil {
		return nil, err
	}
	m := chat.Message{}
	o.str("role", &m.Role)
	if o.err == nil && m.Role != "user" && m.Role != "assistant" && m.Role != "system" {
		o.fail("role", "must be user or assistant")
	}
	content, ok := o.raw("content")
	if !ok {
		o.fail("content", "is required")
	}
	if o.err != nil {
		return nil, o.err
	}
	blocks, err := readBlocks(o.path+"content", content)
	if err != nil {
		return nil, err
	}
	var results []chat.Message
	for _, b := range blocks {
		switch b.kind {
		case "thinking":
			m.Reasoning += b.text
		case "tool_use":
			m.ToolCalls = append(m.ToolCalls, b.call)
		case "tool_result":
			results = append(results, chat.Message{Role: "tool", Content: b.text, ToolCallID: b.call.ID})
		}
	}
	m.Content = joined(blocks)
	if len(results) > 0 && m.Content == "" {
		return results, nil
	}
	return append(results, m), nil
}

// block is a part of a message.
type block struct {
	kind string
	text string
	call chat.ToolCall
}

// joined is the text of blocks.
func joined(blocks []block) (text string) {
	for _, b := range blocks {
		if b.kind != "text" {
			continue
		}
		if text != "" {
			text += "\n"
		}
		text += b.text
	}
	return text
}

// readBlocks reads a content: a text, or an array of blocks.
func readBlocks(path string, data json.RawMessage) ([]block, error) {
	var text string
	if kindOf(data) == "a string" && json.Unmarshal(data, &text) == nil {
		return []block{{kind: "text", text: text}}, nil
	}
	var items []json.RawMessage
	if kindOf(data) != "an array" || json.Unmarshal(data, &items) != nil {
		return nil, badRequest("field '%s' must be a string or an array of blocks, got %s", path, kindOf(data))
	}
	blocks := make([]block, len(items))
	for i, item := range items {
		o, err := parseObject(indexed(path, i)+".", item)
		if err != nil {
			return nil, err
		}
		if blocks[i].read(o); o.err != nil {
			return nil, o.err
		}
	}
	return blocks, nil
}

func (b *block) read(o *object) {
	o.str("type", &b.kind)
	switch b.kind {
	case "text":
		if o.str("text", &b.text); !o.has("text") {
			o.fail("text", "is required")
		}
	case "thinking":
		o.str("thinking", &b.text)
	case "redacted_thinking":
	case "tool_use":
		o.str("id", &b.call.ID)
		o.str("name", &b.call.Name)
		checkCall(o, "input")
		b.call.Arguments, _ = o.raw("input")
	case "tool_result":
		o.str("tool_use_id", &b.call.ID)
		content, ok := o.raw("content")
		if !ok || o.err != nil {
			return
		}
		inner, err := readBlocks(o.path+"content", content)
		if b.text = joined(inner); err != nil {
			o.err = err
		}
	case "image", "document":
		o.fail("type", "is %s, and this model takes text only", b.kind)
	default:
		o.fail("type", "is %q, which is not known", printableName(b.kind))
	}
}
