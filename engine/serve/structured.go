package serve

import "encoding/json"

// structure is what a request asks of the form of its answer: a grammar, a schema, calls of tools. It is read by every endpoint
// that generates, before anything is queued. What cannot be enforced is refused, never ignored: an answer in another form than
// was asked for is worse than none.
type structure struct{}

// readStructure reads grammar, json_schema, response_format, tools and tool_choice.
func readStructure(o *object) (structure, error) {
	var none structure
	var grammar string
	if o.str("grammar", &grammar); grammar != "" {
		return none, unsupported("grammars are not supported yet (field 'grammar')")
	}
	if o.has("json_schema") {
		return none, unsupported("JSON schemas are not supported yet (field 'json_schema')")
	}
	if err := readFormat(o, "response_format"); err != nil {
		return none, err
	}
	if text := o.object("text"); text != nil { // of the responses API
		if err := readFormat(text, "format"); err != nil {
			return none, err
		}
	}
	return none, readTools(o)
}

func readFormat(o *object, name string) error {
	format := o.object(name)
	if format == nil {
		return o.err
	}
	kind := ""
	format.str("type", &kind)
	switch {
	case format.err != nil:
		return format.err
	case kind == "text":
		return nil
	case kind == "json_object" || kind == "json_schema":
		return unsupported("structured output is not supported yet (field '%s%s')", o.path, name)
	}
	return badRequest("field '%s%s.type' must be text, json_object or json_schema", o.path, name)
}

func readTools(o *object) error {
	tools, _ := o.array("tools")
	if len(tools) > 0 {
		return unsupported("tools are not supported yet (field 'tools')")
	}
	data, ok := o.raw("tool_choice")
	if !ok || o.err != nil {
		return o.err
	}
	var word string
	if json.Unmarshal(data, &word) == nil {
		switch word {
		case "none", "auto":
			return nil
		case "required":
			return badRequest("field 'tool_choice' requires a call, but there are no tools")
		}
		return badRequest("field 'tool_choice' must be none, auto, required or an object")
	}
	choice := o.object("tool_choice")
	if choice == nil {
		return o.err
	}
	choice.str("type", &word)
	if word == "auto" || word == "none" { // of the messages API
		return choice.err
	}
	return badRequest("field 'tool_choice' asks for a call, but there are no tools")
}
