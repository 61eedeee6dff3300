package serve

import (
	"encoding/json"
	"errors"

	"github.com/llamakit/llamakit/engine/chat"
)

// checkCall refuses a call of the history that no template can show: one without a name, or with arguments that are no object. They
// may come as a text that holds one.
func checkCall(o *object, field string) {
	name := ""
	if o.str("name", &name); name == "" {
		o.fail("name", "is required")
	}
	data, ok := o.raw(field)
	if !ok || o.err != nil {
		return
	}
	text := ""
	if kindOf(data) == "a string" {
		o.str(field, &text)
		data = json.RawMessage(text)
	}
	switch kind := kindOf(data); {
	case kind == "nothing": // some clients write no arguments so
	case !json.Valid(data):
		o.fail(field, "is no JSON: %v", json.Unmarshal(data, new(any))) // what was said is not told: errors are logged
	case kind != "an object":
		o.fail(field, "must hold a JSON object, got %s", kind)
	}
}

// checkCalls looks at the calls of a message of the chat completions API.
func checkCalls(o *object) {
	calls, _ := o.array("tool_calls")
	for i, data := range calls {
		call, err := parseObject(o.path+indexed("tool_calls", i)+".", data)
		if err != nil {
			o.err = err
			return
		}
		f := call.object("function")
		if f == nil {
			call.fail("function", "is required")
		} else {
			checkCall(f, "arguments")
			call.adopt(f)
		}
		if o.adopt(call); o.err != nil {
			return
		}
	}
}

// places are the fields of a request that its messages came from, where those are not messages of the same number.
type places []string

// name turns the error of a message into one that names the client's field.
func (p places) name(err error) error {
	var r *chat.Refusal
	var h *chat.HistoryError
	if errors.As(err, &h) && h.Message < len(p) {
		return badRequest("%s%s", p[h.Message], h.Reason)
	}
	if !errors.As(err, &r) || r.Message < 0 || r.Message >= len(p) {
		return err
	}
	return badRequest("the chat template refuses %s (%s): %s", p[r.Message], printableName(r.Role), shortened(r.Sentence))
}
