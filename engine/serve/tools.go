package serve

import (
	"encoding/json"
	"errors"
	"strings"

	"github.com/llamakit/llamakit/engine/chat/calls"
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

// bindTools compiles the form of calls, in the format of the model.
func (g *grammars) bindTools(p *params, t *toolset) (err error) {
	if p.form.asked != "" && p.form.grammar != nil {
		return badRequest("fields '%s' and 'tools' both ask for a form of the answer: give one", p.form.asked)
	}
	var list []calls.Tool
	for _, one := range t.tools {
		list = append(list, calls.Tool{Name: one.name, Parameters: []byte(one.parameters), Lenient: !one.strict})
	}
	options := calls.Options{Required: t.required, Single: t.single}
	p.form.calls, err = g.calls(p.callFormat, list, options)
	var bad *calls.Error
	switch {
	case errors.As(err, &bad):
		return badRequest("field 'tools': the tool '%s' cannot be called in the format of this model: %s", printableName(list[bad.Tool].Name), shortened(bad.Err.Error()))
	case err != nil:
		return badRequest("field 'tools' cannot be enforced: %s", shortened(err.Error()))
	}
	p.form.grammar, p.tools = nil, t
	p.form.warnings = append(p.form.warnings, t.warnings[:min(len(t.warnings), maxWarnings)]...)
	return nil
}
