package chat

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
)

// toolDefinitions are all valid, though templates count on more, or on less.
var toolDefinitions = []string{
	`{"name": "look_up"}`,
	`{"name": "look_up", "description": "d", "parameters": null}`,
	`{"name": "look_up", "description": "d", "parameters": {}}`,
	`{"name": "look_up", "parameters": {"type": "object", "properties": {"a": {}, "b": true}, "required": ["a"]}}`,
	`{"name": "look_up", "parameters": {"type": "object", "properties": {"a": {"type": ["string", "null"], "enum": ["x", null]}}}}`,
	`{"name": "look_up", "parameters": {"type": "object", "properties": {"a": {"anyOf": [{"type": "array"}, {"type": "object"}]}}}}`,
	`{"name": "look_up", "parameters": {"$ref": "#/$defs/a", "$defs": {"a": {"type": "object"}}}}`,
}

func toolInput(function string) Input {
	return Input{Messages: []Message{{Role: "user", Content: "Hi"}}, AddGenerationPrompt: true,
		Tools: json.RawMessage(`[{"type": "function", "function": ` + function + `}]`)}
}

// TestBareTools: a definition that lacks what the template counts on is shown nevertheless.
func TestBareTools(t *testing.T) {
	tmpl := mustParse(t, `{% for m in messages %}{{ m.role }}:{{ m.content }};{% endfor %}{% for tool in tools %}{% set f = tool.function %}
{{- f.name + ':' + f.description }}({% for name, p in f.parameters.properties.items() %}{{ name + ':' + p.type + p.description }}{% endfor %}){% endfor %}`)
	for i, want := range []string{"look_up:()", "look_up:d()", "look_up:d()", "You may call", "You may call", "You may call", "look_up:()"} {
		got, err := tmpl.Render(context.Background(), toolInput(toolDefinitions[i]))
		if err != nil || !strings.Contains(got, want) || strings.Count(got, "look_up") != 1 {
			t.Errorf("%s: %q %v", toolDefinitions[i], got, err)
		}
	}
	refusing := mustParse(t, `{% for tool in tools %}{{ tool.function.name }}{% endfor %}{% if tools and not tools[0].function.description %}{{ raise_exception('Describe it') }}{% endif %}`)
	var refusal *Refusal
	if _, err := refusing.Render(context.Background(), toolInput(toolDefinitions[0])); !errors.As(err, &refusal) {
		t.Errorf("refused tools: %v", err)
	}
}

// TestBareToolsGolden: every public template tells of any tool.
func TestBareToolsGolden(t *testing.T) {
	done := map[string]bool{}
	for _, row := range goldenRows(t) {
		for i, function := range toolDefinitions {
			key := fmt.Sprint(row.Template, i)
			if done[key] {
				continue
			}
			done[key] = true
			got, err := row.parsed.Render(context.Background(), toolInput(function))
			if err != nil || !strings.Contains(got, "look_up") {
				t.Errorf("%s: %s: %v", row.Template, function, err)
			}
		}
	}
}
