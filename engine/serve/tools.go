package serve

import "encoding/json"

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
