package serve

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/llamakit/llamakit/engine"
	"github.com/llamakit/llamakit/engine/chat"
)

// maxTools bounds the tools of a request.
const maxTools = 512

// toolset is the tools of a request, and what it wants of them.
type toolset struct {
	tools    []tool
	all      json.RawMessage // as the template is told: in the form of the chat completions API
	required bool
	single   bool
	warnings []string
}

// tool is a function that the model may call.
type tool struct {
	name       string
	parameters string // JSON Schema
	strict     bool
}

// closed is a schema of arguments that are an object, without members that no property describes, unless the schema speaks of
// those itself.
func closed(path string, schema json.RawMessage) (string, error) {
	o, err := parseObject(path, schema)
	if err != nil {
		return "", err
	}
	var more []string
	if _, ok := o.fields["type"]; !ok {
		more = append(more, `"type": "object"`)
	} else if kind := ""; json.Unmarshal(o.fields["type"], &kind) != nil || kind != "object" {
		return "", badRequest("field '%stype' must be object", path)
	}
	open := false
	for _, keyword := range []string{"additionalProperties", "unevaluatedProperties", "patternProperties", "allOf", "anyOf", "oneOf", "if", "$ref", "$dynamicRef"} {
		_, ok := o.fields[keyword]
		open = open || ok
	}
	if !open {
		more = append(more, `"additionalProperties": false`)
	}
	return withFields(string(schema), len(o.fields) == 0, more...), nil
}

// withFields puts fields at the beginning of an object.
func withFields(object string, empty bool, fields ...string) string {
	if len(fields) == 0 {
		return object
	}
	rest := strings.TrimPrefix(strings.TrimSpace(object), "{")
	if !empty {
		rest = ", " + rest
	}
	return "{" + strings.Join(fields, ", ") + rest
}

// bindTools compiles the form of a call of any tool. The arguments of each are a schema resource of their own, so that references
// within it stay there.
func (s *Server) bindTools(p *params, t *toolset) error {
	if p.form.asked != "" && p.form.grammar != nil {
		return badRequest("fields '%s' and 'tools' both ask for a form of the answer: give one", p.form.asked)
	}
	strict := true
	var any []string
	for i, one := range t.tools {
		strict = strict && one.strict
		arguments := one.parameters
		if strings.Contains(arguments, "$ref") && !strings.Contains(arguments, `"$id"`) {
			arguments = withFields(arguments, false, fmt.Sprintf(`"$id": "tool:%d"`, i))
		}
		name, _ := json.Marshal(one.name)
		any = append(any, fmt.Sprintf(`{"type": "object", "properties": {"name": {"const": %s}, "arguments": %s}, "required": ["name", "arguments"], "additionalProperties": false}`, name, arguments))
	}
	g, err := s.grammars.schema([]byte(`{"anyOf": [`+strings.Join(any, ", ")+`]}`), strict)
	if err != nil {
		return badRequest("field 'tools' cannot be enforced: %s", shortened(strings.TrimPrefix(err.Error(), "schema: ")))
	}
	p.form.grammar, p.tools = nil, t
	p.form.warnings = append(p.form.warnings, t.warnings[:min(len(t.warnings), maxWarnings)]...)
	p.form.calls = &engine.Calls{Open: chat.CallOpen, Close: chat.CallClose, Form: g, Required: t.required, Single: t.single}
	return nil
}

// tell lets the model know of the tools: through its template, or where that has no format that is known here, in plain text.
func (t *toolset) tell(m *engine.Model, r *engine.Request) {
	if m.Template().Capabilities().Tagged {
		r.Template.Tools = t.all
	} else {
		r.Messages = chat.PlainTools(r.Messages, t.all)
	}
}
