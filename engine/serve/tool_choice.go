package serve

import "encoding/json"

// choice is tool_choice: a word, or an object that may name a tool.
type choice struct {
	none, required bool
	single         bool   // disable_parallel_tool_use of the messages API
	name           string // of the tool that must be called; "": any
}

func readChoice(o *object) (c choice) {
	data, ok := o.raw("tool_choice")
	if !ok || o.err != nil {
		return c
	}
	word := ""
	if json.Unmarshal(data, &word) == nil {
		if named(word) || !c.set(word) {
			o.fail("tool_choice", "must be none, auto, required or an object")
		}
		return c
	}
	inner := o.object("tool_choice")
	if inner == nil {
		return c
	}
	if inner.str("type", &word); inner.err == nil && !c.set(word) {
		o.fail("tool_choice.type", "must be none, auto, any, tool or function")
	}
	if named(word) {
		c.readName(inner)
	}
	inner.bool("disable_parallel_tool_use", &c.single)
	o.adopt(inner)
	return c
}

// named tells the words of an object that names a tool.
func named(word string) bool { return word == "function" || word == "tool" }

// set understands the words of all APIs; false where it does not.
func (c *choice) set(word string) bool {
	switch word {
	case "auto":
	case "none":
		c.none = true
	case "required", "any", "function", "tool":
		c.required = true
	default:
		return false
	}
	return true
}

// readName reads the name of a tool, which the chat completions API has in an object within.
func (c *choice) readName(o *object) {
	f := o.object("function")
	if f == nil {
		f = o
	}
	if f.str("name", &c.name); c.name == "" {
		f.fail("name", "is required: it names the tool")
	}
	o.adopt(f)
}
