package serve

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/llamakit/llamakit/engine"
	"github.com/llamakit/llamakit/engine/chat/calls"
)

// maxTools bounds the tools of a request.
const maxTools = 512

// toolset is the tools of a request, and what it wants of them.
type toolset struct {
	tools    []tool
	all      json.RawMessage // as the template is told
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

// refuseTools answers for the endpoints that do not take tools.
func refuseTools(o *object) error {
	if tools, _ := o.array("tools"); len(tools) > 0 {
		return unsupported("field 'tools' is supported by /v1/chat/completions only")
	}
	if choice, err := readChoice(o); err != nil {
		return err
	} else if choice.required {
		return badRequest("field 'tool_choice' requires a call, but there are no tools")
	}
	return o.err
}

// choice is tool_choice.
type choice struct {
	none, required bool
	name           string // of the tool that must be called; "": any
}

// readChoice reads a word, or an object that names a tool.
func readChoice(o *object) (c choice, err error) {
	data, ok := o.raw("tool_choice")
	if !ok || o.err != nil {
		return c, o.err
	}
	word := ""
	inner := (*object)(nil)
	if json.Unmarshal(data, &word) != nil {
		if inner = o.object("tool_choice"); inner == nil {
			return c, o.err
		}
		inner.str("type", &word)
	}
	switch word {
	case "none":
		c.none = true
	case "auto":
	case "required", "any":
		c.required = true
	case "function", "tool":
		if inner == nil {
			return c, badRequest("field 'tool_choice' must be none, auto, required or an object")
		}
		if f := inner.object("function"); f != nil {
			inner.adopt(f)
			inner = f
		}
		if inner.str("name", &c.name); c.name == "" && inner.err == nil {
			return c, badRequest("field 'tool_choice' names no function")
		}
		c.required = true
	default:
		return c, badRequest("field 'tool_choice' must be none, auto, required or an object")
	}
	if inner != nil {
		err = inner.err
	}
	return c, err
}

// readTools reads tools, tool_choice and parallel_tool_calls; nil when there are none to call. Each tool's parameters are
// compiled by themselves first, so that an error tells whose they are.
func (s *Server) readTools(o *object, p *params) error {
	items, _ := o.array("tools")
	c, err := readChoice(o)
	parallel := true
	o.bool("parallel_tool_calls", &parallel)
	switch {
	case o.err != nil:
		return o.err
	case err != nil:
		return err
	case len(items) == 0 && c.required:
		return badRequest("field 'tool_choice' requires a call, but there are no tools")
	case len(items) == 0 || c.none:
		return nil
	case len(items) > maxTools:
		return badRequest("field 'tools' has %d elements, %d may be", len(items), maxTools)
	}
	t := &toolset{required: c.required, single: !parallel || c.name != ""}
	known := map[string]bool{}
	for i, item := range items {
		one, err := s.readTool(i, item, t)
		if err != nil {
			return err
		}
		if known[one.name] {
			return badRequest("field 'tools[%d].function.name': there is another tool '%s'", i, printableName(one.name))
		}
		known[one.name] = true
		if c.name == "" || c.name == one.name {
			t.tools = append(t.tools, one)
		}
	}
	if len(t.tools) == 0 {
		return badRequest("field 'tool_choice' names '%s', which is none of the tools", printableName(c.name))
	}
	t.all, _ = o.raw("tools")
	return s.bindTools(p, t)
}

func (s *Server) readTool(i int, data json.RawMessage, t *toolset) (one tool, err error) {
	o, err := parseObject(indexed("tools", i)+".", data)
	if err != nil {
		return one, err
	}
	kind := "function"
	if o.str("type", &kind); kind != "function" {
		o.fail("type", "must be function")
	}
	f := o.object("function")
	if f == nil {
		o.fail("function", "is required")
		return one, o.err
	}
	one.strict = true
	f.bool("strict", &one.strict)
	if f.str("name", &one.name); one.name == "" {
		f.fail("name", "is required")
	}
	parameters, ok := f.raw("parameters")
	if !ok {
		parameters = json.RawMessage(`{}`)
	}
	if kindOf(parameters) != "an object" {
		f.fail("parameters", "must be an object, got %s", kindOf(parameters))
	}
	if f.err != nil {
		return one, f.err
	}
	if one.parameters, err = closed(f.path+"parameters.", parameters); err != nil {
		return one, err
	}
	g, err := s.grammars.schema([]byte(one.parameters), one.strict)
	field := fmt.Sprintf("field '%sparameters' of the tool '%s'", f.path, printableName(one.name))
	if err != nil {
		return one, badRequest("%s cannot be enforced: %s", field, shortened(strings.TrimPrefix(err.Error(), "schema: ")))
	}
	for _, n := range g.Notices() {
		t.warnings = append(t.warnings, shortened(fmt.Sprintf("%s: %s: %s is not enforced: %s", field, n.Pointer, n.Keyword, n.Reason)))
	}
	return one, nil
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
func (s *Server) bindTools(p *params, t *toolset) (err error) {
	if p.form.asked != "" {
		return badRequest("fields '%s' and 'tools' both ask for a form of the answer: give one", p.form.asked)
	}
	var list []calls.Tool
	for _, one := range t.tools {
		list = append(list, calls.Tool{Name: one.name, Parameters: []byte(one.parameters), Lenient: !one.strict})
	}
	options := calls.Options{Required: t.required, Single: t.single}
	p.form.calls, err = s.grammars.calls(p.callFormat, list, options)
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

// tell lets the model know of the tools.
func (t *toolset) tell(_ *engine.Model, r *engine.Request) { r.Template.Tools = t.all }
