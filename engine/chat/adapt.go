package chat

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"slices"
	"strings"

	"github.com/llamakit/llamakit/engine/chat/calls"
)

// adapt brings a conversation with tools into the form that the template can show. from tells where its messages come from.
func (t *Template) adapt(in *Input) (from []int, err error) {
	h, err := readHistory(in.Messages)
	if err != nil {
		return nil, err
	}
	t.fitIDs(&h)
	shown := t.caps.Calls && (t.known || len(in.Tools) == 0)
	if shown && !t.caps.Parallel {
		h = h.oneByOne()
	}
	if t.caps.NullContent || t.format.Raw {
		h = h.apart(t.format.Raw)
	}
	if !shown {
		h = t.writeCalls(h)
		in.tags = append(in.tags, t.format.Tags()...)
	}
	if len(in.Tools) > 0 && (!t.known || !t.caps.Tools) {
		about, err := t.aboutTools(in.Tools)
		if err != nil {
			return nil, err
		}
		h = t.tell(h, about)
		if !t.caps.Tools {
			in.Tools = nil
		}
	}
	in.Messages = h.messages
	return h.from, nil
}

// hasTools reports whether a conversation has anything to do with tools.
func (in *Input) hasTools() bool {
	return len(in.Tools) > 0 || slices.ContainsFunc(in.Messages, func(m Message) bool { return m.Role == "tool" || len(m.ToolCalls) > 0 })
}

// fitIDs gives calls ids as the model's family writes them.
func (t *Template) fitIDs(h *history) {
	switch {
	case t.caps.ShortIDs:
		h.rename(func(list []ToolCall) (ids []string) {
			for _, c := range list {
				ids = append(ids, shortID(c.ID))
			}
			return ids
		})
	default:
		h.rename(func(list []ToolCall) []string { return t.format.IDs(formatted(list)) })
	}
}

// shortID is an id of nine letters and digits, the same for the same id.
func shortID(id string) string {
	const digits = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
	if len(id) == 9 && strings.Trim(id, digits) == "" {
		return id
	}
	sum := fnv.New64a()
	sum.Write([]byte(id))
	n := binary.BigEndian.Uint64(sum.Sum(nil))
	short := make([]byte, 9)
	for i := range short {
		short[i] = digits[n%uint64(len(digits))]
		n /= uint64(len(digits))
	}
	return string(short)
}

// formatted is calls as package calls has them.
func formatted(list []ToolCall) (out []calls.Call) {
	for _, c := range list {
		out = append(out, calls.Call{ID: c.ID, Name: c.Name, Arguments: []byte(c.Object())})
	}
	return out
}

// writeCalls puts calls into the text of their messages, and results that the template would lose into the user's.
func (t *Template) writeCalls(h history) (out history) {
	for i, m := range h.messages {
		switch asUser := m.Role == "tool" && !(t.known && t.caps.Results); {
		case asUser && i > 0 && h.messages[i-1].Role == "tool":
			out.messages[len(out.messages)-1].Content += "\n" + t.result(&m)
		case asUser:
			out.add(h.from[i], Message{Role: "user", Content: t.result(&m)})
		case len(m.ToolCalls) > 0:
			text := strings.TrimLeft(m.Text()+"\n"+t.format.Text(formatted(m.ToolCalls)), white)
			out.add(h.from[i], Message{Role: m.Role, Reasoning: m.Reasoning, Content: text})
		default:
			out.add(h.from[i], m)
		}
	}
	return out
}

// result is a result as the user would tell it.
func (t *Template) result(m *Message) string {
	if t.known {
		return m.Text()
	}
	return "<tool_response>\n" + m.Text() + "\n</tool_response>"
}

// aboutTools describes tools, where the template does not, and how they are called.
func (t *Template) aboutTools(tools json.RawMessage) (string, error) {
	var items []json.RawMessage
	if err := json.Unmarshal(tools, &items); err != nil {
		return "", fmt.Errorf("%w: tools: %w", ErrInput, err)
	}
	var b strings.Builder
	if !t.caps.Tools && len(items) > 0 {
		b.WriteString("You may call these functions, of which each line describes one:\n")
		for _, item := range items {
			var one bytes.Buffer
			_ = json.Compact(&one, item) // it was read
			b.WriteString(one.String() + "\n")
		}
	}
	b.WriteString("To call a function, write its name and its arguments in this form")
	if strings.Contains(t.format.Example(), "<arguments>") {
		b.WriteString(", the arguments as a JSON object")
	}
	return b.String() + ":\n" + t.format.Example(), nil
}

// tell adds to the system message, or where the template has none to the user's first.
func (t *Template) tell(h history, about string) (out history) {
	role := "system"
	if !t.caps.System {
		role = "user"
	}
	for i, m := range h.messages {
		switch {
		case i == 0 && m.Role != role:
			out.add(-1, Message{Role: role, Content: about})
		case i == 0 && role == "user":
			m = Message{Role: role, Content: about + "\n\n" + m.Text()}
		case i == 0:
			m = Message{Role: role, Content: m.Text() + "\n\n" + about}
		}
		out.add(h.from[i], m)
	}
	return out
}
