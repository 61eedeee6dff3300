package serve

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/llamakit/llamakit/engine/grammar"
)

// toolForm is how an API writes a tool: its type, the object within that describes it, and the field with the schema of the arguments.
type toolForm struct{ kind, within, schema string }

var (
	chatTool     = toolForm{"function", "function", "parameters"}
	responseTool = toolForm{"function", "", "parameters"}
	messageTool  = toolForm{"custom", "", "input_schema"}
)

// legacy refuses a field from before there were tools, unless it is an empty list.
func (o *object) legacy(name, now string) {
	if data, ok := o.raw(name); ok && kindOf(data) == "an array" {
		if n, _ := shape(data); n == 0 {
			return
		}
	}
	if o.has(name) {
		o.fail(name, "is of the legacy form of calls, which is not done here: use '%s'", now)
	}
}

// refuseTools answers for the endpoints whose prompt is a text, in which nothing could tell the model of tools.
func refuseTools(o *object) error {
	if tools, _ := o.array("tools"); len(tools) > 0 {
		return badRequest("field 'tools' needs a conversation: ask /v1/chat/completions, /v1/responses or /v1/messages")
	}
	c := readChoice(o)
	if c.required && o.err == nil {
		return badRequest("field 'tool_choice' requires a call, but there are no tools")
	}
	return o.err
}

// readTools reads tools, tool_choice and parallel_tool_calls; p has none when there are none to call. Each tool's parameters are
// compiled by themselves first, so that an error tells whose they are.
func (g *grammars) readTools(o *object, p *params, form toolForm) error {
	items, _ := o.array("tools")
	c := readChoice(o)
	parallel := !c.single
	o.bool("parallel_tool_calls", &parallel)
	switch {
	case o.err != nil:
		return o.err
	case len(items) == 0 && c.required:
		return badRequest("field 'tool_choice' requires a call, but there are no tools")
	case len(items) == 0 || c.none:
		return nil
	case len(items) > maxTools:
		return badRequest("field 'tools' has %d elements, %d may be", len(items), maxTools)
	}
	t := &toolset{required: c.required, single: !parallel || c.name != ""}
	known := map[string]bool{}
	var all []string
	for i, item := range items {
		one, definition, err := g.readTool(i, item, t, form)
		if err != nil {
			return err
		}
		if known[one.name] {
			return badRequest("field 'tools[%d]': there is another tool '%s'", i, printableName(one.name))
		}
		known[one.name] = true
		all = append(all, definition)
		if c.name == "" || c.name == one.name {
			t.tools = append(t.tools, one)
		}
	}
	if len(t.tools) == 0 {
		return badRequest("field 'tool_choice' names '%s', which is none of the tools", printableName(c.name))
	}
	t.all = json.RawMessage("[" + strings.Join(all, ", ") + "]")
	return g.bindTools(p, t)
}

// readTool reads a tool, and its definition as the chat completions API has it.
func (g *grammars) readTool(i int, data json.RawMessage, t *toolset, form toolForm) (one tool, definition string, err error) {
	o, err := parseObject(indexed("tools", i)+".", data)
	if err != nil {
		return one, "", err
	}
	kind, f := form.kind, o
	if o.str("type", &kind); kind != form.kind {
		o.fail("type", "must be %s", form.kind)
	}
	if form.within != "" {
		if f = o.object(form.within); f == nil {
			o.fail(form.within, "is required")
			return one, "", o.err
		}
		o.adopt(f)
	}
	one.strict = true
	f.bool("strict", &one.strict)
	if f.str("name", &one.name); one.name == "" {
		f.fail("name", "is required")
	}
	parameters, ok := f.raw(form.schema)
	if !ok {
		parameters = json.RawMessage(`{}`)
	}
	if kindOf(parameters) != "an object" {
		f.fail(form.schema, "must be an object, got %s", kindOf(parameters))
	}
	if o.adopt(f); o.err != nil {
		return one, "", o.err
	}
	if one.parameters, err = closed(f.path+form.schema+".", parameters); err != nil {
		return one, "", err
	}
	parsed, err := g.schema([]byte(one.parameters), one.strict)
	field := fmt.Sprintf("field '%s%s' of the tool '%s'", f.path, form.schema, printableName(one.name))
	if err != nil {
		return one, "", badRequest("%s cannot be enforced: %s", field, shortened(strings.TrimPrefix(err.Error(), "schema: ")))
	}
	t.warn(field, parsed)
	return one, form.definition(data, f, parameters), nil
}

// warn notes what is not enforced of a tool's parameters.
func (t *toolset) warn(field string, g *grammar.Grammar) {
	for _, n := range g.Notices() {
		t.warnings = append(t.warnings, shortened(fmt.Sprintf("%s: %s: %s is not enforced: %s", field, n.Pointer, n.Keyword, n.Reason)))
	}
}

// definition is a tool in the form of the chat completions API, which is the one that templates know.
func (form toolForm) definition(data json.RawMessage, f *object, parameters json.RawMessage) string {
	if form == chatTool {
		return string(data)
	}
	out := `{"type": "function", "function": {"name": ` + string(f.fields["name"])
	if description, ok := f.raw("description"); ok {
		out += `, "description": ` + string(description)
	}
	return out + `, "parameters": ` + string(parameters) + `}}`
}
