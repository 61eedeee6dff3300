// Package toolcall is the tools that a model may call from a terminal: their definitions, and the commands that answer calls.
package toolcall

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/llamakit/llamakit/engine/chat"
	"github.com/llamakit/llamakit/engine/chat/calls"
)

// Tools are what a model may call. The zero value is none.
type Tools struct {
	Names    []string
	JSON     json.RawMessage   // an array, as the chat completions API has it; nil: none
	Commands map[string]string // by name: the shell command that answers; a tool without one is answered by hand
}

// Parse reads definitions: an array of them, or one, each as the API has it ({"type": "function", "function": {...}}) or
// the function alone ({"name": ..., "parameters": ...}).
func Parse(data []byte) (Tools, error) {
	var items []json.RawMessage
	if trimmed := bytes.TrimSpace(data); len(trimmed) > 0 && trimmed[0] == '{' {
		items = []json.RawMessage{trimmed}
	} else if err := json.Unmarshal(data, &items); err != nil {
		return Tools{}, fmt.Errorf("want a JSON array of tools: %w", err)
	}
	var t Tools
	for i, item := range items {
		name, whole, err := parseOne(item)
		if err != nil {
			return Tools{}, fmt.Errorf("tool %d: %w", i+1, err)
		}
		if slices.Contains(t.Names, name) {
			return Tools{}, fmt.Errorf("tool %d: there is another one called %q", i+1, name)
		}
		t.Names, items[i] = append(t.Names, name), whole
	}
	if len(items) == 0 {
		return Tools{}, fmt.Errorf("the array of tools is empty")
	}
	t.JSON, _ = json.Marshal(items) // what was read can be written
	return t, nil
}

func parseOne(data json.RawMessage) (name string, whole json.RawMessage, err error) {
	var d struct {
		Name     string
		Function *struct{ Name string }
	}
	if err := json.Unmarshal(data, &d); err != nil {
		return "", nil, err
	}
	switch {
	case d.Function != nil && d.Function.Name != "":
		return d.Function.Name, data, nil
	case d.Function == nil && d.Name != "":
		whole, err = json.Marshal(map[string]any{"type": "function", "function": data})
		return d.Name, whole, err
	}
	return "", nil, fmt.Errorf("it has no name")
}

// Answer takes a setting such as "get_weather=./weather.sh": the command that answers calls of a tool.
func (t *Tools) Answer(setting string) error {
	name, command, ok := strings.Cut(setting, "=")
	switch {
	case !ok || name == "" || strings.TrimSpace(command) == "":
		return fmt.Errorf("%q is not of the form NAME=COMMAND", setting)
	case !slices.Contains(t.Names, name):
		return fmt.Errorf("there is no tool %q; there are: %s", name, strings.Join(t.Names, ", "))
	}
	if t.Commands == nil {
		t.Commands = map[string]string{}
	}
	t.Commands[name] = command
	return nil
}

// MaxRounds is how many answers in a row may call tools without a word of the user's.
const MaxRounds = 16

// Calls puts the parts of calls together. before is the conversation up to them: every call in it has its own ID. A call that is
// not whole, as where an answer was stopped within it, is left out; cut is its name.
func Calls(deltas []chat.CallDelta, before []chat.Message) (list []chat.ToolCall, cut string) {
	number := 1
	for _, m := range before {
		number += len(m.ToolCalls)
	}
	for _, c := range calls.Join(deltas) {
		var object map[string]json.RawMessage
		if c.Name == "" || json.Unmarshal(c.Arguments, &object) != nil || object == nil {
			cut = c.Name
			continue
		}
		list = append(list, chat.ToolCall{ID: fmt.Sprintf("call_%d", number+len(list)), Name: c.Name, Arguments: c.Arguments})
	}
	return list, cut
}
