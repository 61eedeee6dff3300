package chat

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
)

// history is a conversation on its way into the form that a template can show, with the place that each message came from.
type history struct {
	messages []Message
	from     []int // -1: it was added
}

func (h *history) add(from int, m Message) {
	h.messages = append(h.messages, m)
	h.from = append(h.from, from)
}

// HistoryError is of a message whose calls, or whose result, cannot be. It wraps [ErrInput].
type HistoryError struct {
	Message int // its index
	Reason  string
}

func (e *HistoryError) Error() string {
	return fmt.Sprintf("%v: messages[%d]%s", ErrInput, e.Message, e.Reason)
}

// Unwrap returns ErrInput.
func (e *HistoryError) Unwrap() error { return ErrInput }

// readHistory checks the calls of a conversation and the results that answer them. Calls without id get one, and so do results.
func readHistory(messages []Message) (h history, err error) {
	var open []ToolCall // that the results at hand can answer
	for i, m := range messages {
		switch {
		case m.Role == "tool":
			if len(open) == 0 {
				return h, &HistoryError{i, " is the result of a tool, but no call comes before it"}
			}
			k := slices.IndexFunc(open, func(c ToolCall) bool { return m.ToolCallID == "" || c.ID == m.ToolCallID })
			if k < 0 {
				return h, &HistoryError{i, fmt.Sprintf(": tool_call_id %.40q is of none of the calls before, or was answered", m.ToolCallID)}
			}
			m.ToolCallID = open[k].ID
			open = slices.Delete(slices.Clone(open), k, k+1)
		case len(m.ToolCalls) > 0:
			if m.ToolCalls, err = readCalls(m.ToolCalls, i); err != nil {
				return h, err
			}
			open = m.ToolCalls
		default:
			open = nil
		}
		h.add(i, m)
	}
	return h, nil
}

// readCalls checks the calls of message i.
func readCalls(list []ToolCall, i int) ([]ToolCall, error) {
	list = slices.Clone(list)
	seen := map[string]bool{}
	for k := range list {
		c := &list[k]
		if c.ID == "" {
			c.ID = fmt.Sprintf("call%05d", (i*100+k)%100_000)
		}
		fault := ""
		switch object := c.Object(); {
		case c.Name == "":
			fault = ": a call without a name"
		case !json.Valid([]byte(object)) || bytes.TrimSpace([]byte(object))[0] != '{':
			fault = fmt.Sprintf(": arguments of %.40q are no JSON object", c.Name)
		case seen[c.ID]:
			fault = fmt.Sprintf(": id %.40q is another call's", c.ID)
		}
		if fault != "" {
			return nil, &HistoryError{i, fmt.Sprintf(": tool_calls[%d]%s", k, fault)}
		}
		seen[c.ID] = true
	}
	return list, nil
}

// Object is the arguments as JSON, also where they came as a text that holds it.
func (c *ToolCall) Object() string {
	var text string
	switch {
	case len(bytes.TrimSpace(c.Arguments)) == 0 || string(c.Arguments) == "null":
		return "{}"
	case json.Unmarshal(c.Arguments, &text) != nil:
		return string(c.Arguments)
	case text == "":
		return "{}"
	}
	return text
}

// oneByOne gives every call a message of its own, with its result behind it, for templates that show one call a message.
func (h *history) oneByOne() (out history) {
	for i := 0; i < len(h.messages); i++ {
		m := h.messages[i]
		if len(m.ToolCalls) < 2 {
			out.add(h.from[i], m)
			continue
		}
		end := i + 1
		for end < len(h.messages) && h.messages[end].Role == "tool" {
			end++
		}
		for k, c := range m.ToolCalls {
			part := Message{Role: m.Role, ToolCalls: []ToolCall{c}}
			if k == 0 {
				part = m
				part.ToolCalls = []ToolCall{c}
			}
			out.add(h.from[i], part)
			for j := i + 1; j < end; j++ {
				if h.messages[j].ToolCallID == c.ID {
					out.add(h.from[j], h.messages[j])
				}
			}
		}
		i = end - 1
	}
	return out
}

// apart gives what was said beside calls a message of its own, for templates that take no content with them; bare: only with
// reasoning.
func (h *history) apart(bare bool) (out history) {
	for i, m := range h.messages {
		if len(m.ToolCalls) > 0 && m.Text() != "" && (m.Reasoning != "" || !bare) {
			out.add(h.from[i], Message{Role: m.Role, Content: m.Content, Parts: m.Parts})
			m = Message{Role: m.Role, Reasoning: m.Reasoning, ToolCalls: m.ToolCalls}
		}
		out.add(h.from[i], m)
	}
	return out
}

// rename gives calls, and the results that answer them, the ids that f chooses for the calls of a message.
func (h *history) rename(f func([]ToolCall) []string) {
	names := map[string]string{}
	for i := range h.messages {
		m := &h.messages[i]
		if len(m.ToolCalls) > 0 {
			m.ToolCalls = slices.Clone(m.ToolCalls)
			for k, id := range f(m.ToolCalls) {
				names[m.ToolCalls[k].ID] = id
				m.ToolCalls[k].ID = id
			}
		}
		if id, ok := names[m.ToolCallID]; ok && m.Role == "tool" {
			m.ToolCallID = id
		}
	}
}
