package chat

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/llamakit/llamakit/engine/chat/calls"
	"github.com/llamakit/llamakit/engine/chat/jinja"
)

// Capabilities are what a template can express.
type Capabilities struct {
	System        bool // a system message appears in the text
	Tools         bool // tool definitions appear in the text
	Calls         bool // an assistant's tool calls appear in the text
	Thinking      bool // Input.Thinking changes the text
	Parts         bool // content must be a list of parts
	Lists         bool // content may be a list of parts
	TextArguments bool // the arguments of calls must be a text that holds JSON
	NullContent   bool // the content of a message with calls must be none, or the calls are lost
	Parallel      bool // all calls of a message appear in the text
	Results       bool // results of tools appear in the text
	ShortIDs      bool // ids of calls must be of nine letters and digits
}

// Capabilities says what the template can express, found by rendering small conversations. A model with a variant for tools
// has that one's abilities with tools.
func (t *Template) Capabilities() Capabilities {
	c := t.caps
	if t.toolUse != nil {
		c.Tools, c.Calls = c.Tools || t.toolUse.caps.Tools, c.Calls || t.toolUse.caps.Calls
		c.Parallel, c.Results, c.ShortIDs = t.toolUse.caps.Parallel, t.toolUse.caps.Results, t.toolUse.caps.ShortIDs
	}
	return c
}

// Words that a template must pass on. The call's id has nine letters and digits because Mistral's templates insist on it.
const (
	probeWord  = "Zebrafinch"
	probeWord2 = "Kingfisher"
	probeName  = "zebrafinch_tool"
	probeName2 = "kingfisher_tool"
	probeArg   = "zebrafinch_arg"
	probeID    = "zebra1234"
)

var probeTools = json.RawMessage(`[{"type": "function", "function": {"name": "` + probeName + `", "description": "d", "parameters":
	{"type": "object", "properties": {"` + probeArg + `": {"type": "string", "description": "d"}}, "required": ["` + probeArg + `"]}}}]`)

// probe finds out what the template can express.
func (t *Template) probe() Capabilities {
	user := Message{Role: "user", Content: probeWord}
	asText := t.try(Input{Messages: []Message{user}}, shape{})
	asList := t.try(Input{Messages: []Message{{Role: "user", Parts: []Part{TextPart(probeWord), TextPart(probeWord2)}}}}, shape{lists: true})

	c := Capabilities{Lists: has(asList, probeWord, probeWord2) && typeNames(asList) <= typeNames(asText)}
	c.Parts = c.Lists && !has(asText, probeWord)
	base := shape{parts: c.Parts}
	system := Message{Role: "system", Content: probeWord}
	user.Content = "Hi"
	c.System = has(t.try(Input{Messages: []Message{system, user}}, base), probeWord)
	c.Tools = has(t.try(Input{Messages: []Message{user}, Tools: probeTools}, base), probeName)
	off := t.try(Input{Messages: []Message{user}, Thinking: ThinkingOff}, base)
	c.Thinking = off != t.try(Input{Messages: []Message{user}, Thinking: ThinkingOn}, base)
	t.probeCalls(&c, user)
	t.probeHistory(&c, user)
	return c
}

// probeHistory finds out how the template shows calls and results.
func (t *Template) probeHistory(c *Capabilities, user Message) {
	sh := shape{parts: c.Parts, textual: c.TextArguments, null: c.NullContent}
	arguments := json.RawMessage(`{"` + probeArg + `": "v"}`)
	conversation := func(id string, names ...string) string {
		messages := []Message{user, {Role: "assistant"}}
		for i, name := range names {
			id := id[:len(id)-1] + strconv.Itoa(i)
			messages[1].ToolCalls = append(messages[1].ToolCalls, ToolCall{ID: id, Name: name, Arguments: arguments})
			messages = append(messages, Message{Role: "tool", ToolCallID: id, Content: probeWord})
		}
		return t.try(Input{Messages: messages, Tools: probeTools}, sh)
	}
	one := conversation(probeID, probeName)
	c.Results = has(one, probeWord)
	c.Parallel = has(conversation(probeID, probeWord2, probeName2), probeWord2, probeName2)
	c.ShortIDs = one != "" && conversation("call_"+probeID, probeName) == ""
	t.format, t.known = findFormat(one, t.source, calls.Call{ID: probeID[:len(probeID)-1] + "0", Name: probeName, Arguments: arguments}, c.Calls)
}

// findFormat is the format in which a text shows a call or, where templates show none, of which the source speaks.
func findFormat(text, source string, call calls.Call, shown bool) (f *calls.Format, known bool) {
	for _, f := range calls.Formats() {
		if shown && f.Shows(text, call) {
			return f, true
		}
	}
	for _, f := range calls.Formats() {
		if shown && f.Resembles(text, call) || !shown && f.Marked(source) {
			return f, true
		}
	}
	return calls.Hermes, false
}

// probeCalls tries the ways to write a call until one shows name and arguments as they should be.
func (t *Template) probeCalls(c *Capabilities, user Message) {
	call := ToolCall{ID: probeID, Name: probeName, Arguments: json.RawMessage(`{"` + probeArg + `": "v"}`)}
	messages := []Message{user, {Role: "assistant", ToolCalls: []ToolCall{call}},
		{Role: "tool", ToolCallID: probeID, Name: probeName, Content: "ok"}}
	for _, null := range []bool{false, true} {
		for _, textual := range []bool{false, true} {
			sh := shape{parts: c.Parts, textual: textual, null: null}
			text := t.try(Input{Messages: messages, Tools: probeTools}, sh)
			if shown := text != "" && !null; shown && !c.Calls {
				c.Calls = callsShown(t, text, messages, sh)
			}
			if properCall(text) && (!null || !strings.Contains(text, "None")) && callsShown(t, text, messages, sh) {
				c.Calls, c.TextArguments, c.NullContent = true, textual, null
				return
			}
		}
	}
}

// callsShown: the name of the tool appears more often than in the same conversation without the call.
func callsShown(t *Template, text string, messages []Message, sh shape) bool {
	plain := append([]Message(nil), messages...)
	plain[1] = Message{Role: "assistant", Content: "ok"}
	without := t.try(Input{Messages: plain, Tools: probeTools}, sh)
	if without == "" { // it wants a call before a result
		without = t.try(Input{Messages: plain[:2], Tools: probeTools}, sh)
	}
	return strings.Count(text, probeName) > strings.Count(without, probeName)
}

// properCall: the argument's name stands there, not as Python would print a dict, nor as JSON within JSON.
func properCall(text string) bool {
	return has(text, probeName, probeArg) && !strings.Contains(text, "'"+probeArg+"'") && !strings.Contains(text, `\"`+probeArg)
}

func has(text string, words ...string) bool {
	for _, w := range words {
		if !strings.Contains(text, w) {
			return false
		}
	}
	return true
}

// typeNames counts the key type, which shows in the text when a list was printed as it is.
func typeNames(text string) int {
	return strings.Count(text, "'type'") + strings.Count(text, `"type"`)
}

// try renders a probe; the text is empty when the template does not take it.
func (t *Template) try(in Input, sh shape) string {
	in.AddGenerationPrompt = true
	in.BOS, in.EOS = "<s>", "</s>"
	sh.fields, sh.functions = t.fields, t.functions()
	vars, _, err := in.vars(sh)
	if err != nil {
		panic(fmt.Sprintf("probe: %v", err)) // probes are our own
	}
	limits := jinja.Limits{Steps: 200_000, Output: 1 << 20, Size: 1 << 20, Memory: 16 << 20}
	text, err := t.parsed.Render(context.Background(), vars, &jinja.Options{Limits: limits, Lenient: true})
	if err != nil {
		return ""
	}
	return text
}
