package chat

import (
	"encoding/json"
	"regexp"
	"strings"
)

// CallOpen and CallClose stand around a call in the format of Hermes, which Qwen and many others write:
//
//	<tool_call>
//	{"name": "add", "arguments": {"a": 1, "b": 2}}
//	</tool_call>
const (
	CallOpen  = "<tool_call>"
	CallClose = "</tool_call>"
)

// probeTagged finds out whether the template shows calls in the format of Hermes.
func (t *Template) probeTagged(c Capabilities) bool {
	if !c.Tools || !c.Calls {
		return false
	}
	call := ToolCall{ID: probeID, Name: probeName, Arguments: json.RawMessage(`{"` + probeArg + `": "v"}`)}
	text := t.try(Input{Tools: probeTools, Messages: []Message{{Role: "user", Content: "Hi"}, {Role: "assistant", ToolCalls: []ToolCall{call}}}},
		shape{parts: c.Parts, textual: c.TextArguments, null: c.NullContent})
	return strings.Contains(strings.Join(strings.Fields(text), ""), CallOpen+`{"name":"`+probeName+`","arguments":{"`+probeArg+`":"v"}}`+CallClose)
}

// CallDelta is a part of a call: the name comes first, alone, and then the arguments in pieces.
type CallDelta struct {
	Index     int // of the call in the answer, from 0 on
	Name      string
	Arguments string
}

// CallSplitter separates a stream of content into text and calls in the format of Hermes. The result does not depend on how the
// content is cut into pieces. White space between text and calls is dropped. What stands between the tags and is no call is text,
// tags included.
type CallSplitter struct {
	Broken int // calls that could not be read

	held   string
	inCall bool
	named  bool // the name of the open call was told
	calls  int
	args   jsonEnd
	end    bool // of the arguments
}

// callHead is a call up to its arguments.
var callHead = regexp.MustCompile(`^\s*\{\s*"name"\s*:\s*("(?:[^"\\]|\\.)*")\s*,\s*"arguments"\s*:\s*\{`)

// Push takes the next piece of content and returns what is certain.
func (s *CallSplitter) Push(content string) (text string, calls []CallDelta) {
	s.held += content
	for more := true; more; {
		if s.inCall {
			var broken string
			broken, more = s.takeCall(&calls)
			text += broken
			continue
		}
		var plain string
		plain, more = s.takeText()
		text += plain
	}
	return text, calls
}

func (s *CallSplitter) takeText() (text string, more bool) {
	if s.calls > 0 { // after a call
		s.held = strings.TrimLeft(s.held, white)
	}
	if before, rest, found := strings.Cut(s.held, CallOpen); found {
		s.held, s.inCall, s.named, s.end, s.args = rest, true, false, false, jsonEnd{}
		return strings.TrimRight(before, white), true
	}
	sure := strings.TrimRight(s.held[:len(s.held)-overlap(s.held, CallOpen)], white)
	s.held = s.held[len(sure):]
	return sure, false
}

// takeCall takes what there is of a call. One that cannot be read is returned as text, at its end.
func (s *CallSplitter) takeCall(calls *[]CallDelta) (broken string, more bool) {
	if !s.named {
		m := callHead.FindStringSubmatchIndex(s.held)
		if m == nil {
			return s.giveUp()
		}
		var name string
		if json.Unmarshal([]byte(s.held[m[2]:m[3]]), &name) != nil {
			return s.giveUp()
		}
		*calls = append(*calls, CallDelta{Index: s.calls, Name: name})
		s.held, s.named = s.held[m[1]-1:], true
	}
	if !s.end {
		n, end := s.args.scan(s.held)
		if n > 0 {
			*calls = append(*calls, CallDelta{Index: s.calls, Arguments: s.held[:n]})
		}
		if s.held, s.end = s.held[n:], end; !end {
			return "", false
		}
		s.calls++
	}
	_, rest, found := strings.Cut(s.held, CallClose)
	if !found {
		return "", false
	}
	s.held, s.inCall = rest, false
	return "", true
}

func (s *CallSplitter) giveUp() (text string, more bool) {
	body, rest, found := strings.Cut(s.held, CallClose)
	if !found {
		return "", false
	}
	s.held, s.inCall = rest, false
	s.Broken++
	return CallOpen + body + CallClose, true
}

// Flush ends the stream and returns what was held back.
func (s *CallSplitter) Flush() (text string) {
	held := s.held
	s.held = ""
	switch {
	case s.inCall && !s.named:
		s.Broken++
		return CallOpen + held
	case s.inCall && !s.end:
		s.Broken++
		return ""
	case s.inCall, s.calls > 0 && strings.TrimSpace(held) == "":
		return ""
	}
	return held
}

// Calls is the number of calls that are complete.
func (s *CallSplitter) Calls() int { return s.calls }

// jsonEnd finds the end of a JSON object that comes in pieces.
type jsonEnd struct {
	depth             int
	inString, escaped bool
}

// scan returns how much of text belongs to the object, and whether it ends there.
func (e *jsonEnd) scan(text string) (n int, end bool) {
	for i := range len(text) {
		switch c := text[i]; {
		case e.escaped:
			e.escaped = false
		case e.inString:
			e.escaped, e.inString = c == '\\', c != '"'
		case c == '"':
			e.inString = true
		case c == '{' || c == '[':
			e.depth++
		case c == '}' || c == ']':
			if e.depth--; e.depth == 0 {
				return i + 1, true
			}
		}
	}
	return len(text), false
}
