package serve

import (
	"encoding/json"

	"github.com/llamakit/llamakit/engine/chat"
)

// itemKind is what an item of a streamed response is.
type itemKind uint8

const (
	itemMessage itemKind = iota
	itemReasoning
	itemCall
)

// callItem is an item of the output: a call of a function.
type callItem struct {
	Type      string `json:"type"`
	ID        string `json:"id"`
	CallID    string `json:"call_id"`
	Name      string `json:"name"`
	Arguments string `json:"arguments"`
	Status    string `json:"status"`
}

func newCallItem(c toolCall, status string) callItem {
	return callItem{Type: "function_call", ID: newID("fc_"), CallID: c.ID, Name: c.Function.Name, Arguments: c.Function.Arguments, Status: status}
}

// callStatus tells calls that are whole from those that were cut.
func callStatus(arguments string) string {
	if json.Valid([]byte(arguments)) {
		return completed
	}
	return incomplete
}

// echo tells the client what it asked for.
func (r *response) echo(o *object) {
	if tools, ok := o.raw("tools"); ok {
		r.Tools = tools
	}
	if choice, ok := o.raw("tool_choice"); ok {
		r.ToolChoice = choice
	}
	o.bool("parallel_tool_calls", &r.ParallelToolCalls)
}

// addCall opens an item for a call that begins, and appends to its arguments.
func (t *responseStream) addCall(d chat.CallDelta) error {
	if d.Name != "" {
		if err := t.closeItem(completed); err != nil {
			return err
		}
		t.call = newCallItem(newCall(d.Name), inProgress)
		t.item, t.kind, t.text = t.call.ID, itemCall, ""
		if err := t.ofItem("response.output_item.added", map[string]any{"item": t.call}); err != nil {
			return err
		}
	}
	if d.Arguments == "" {
		return nil
	}
	t.text += d.Arguments
	return t.ofItem("response.function_call_arguments.delta", map[string]any{"item_id": t.item, "delta": d.Arguments})
}

// closeCall ends an item that is a call.
func (t *responseStream) closeCall() error {
	t.call.Arguments, t.call.Status = t.text, callStatus(t.text)
	done := map[string]any{"item_id": t.item, "name": t.call.Name, "arguments": t.text}
	if err := t.ofItem("response.function_call_arguments.done", done); err != nil {
		return err
	}
	if err := t.ofItem("response.output_item.done", map[string]any{"item": t.call}); err != nil {
		return err
	}
	t.response.Output = append(t.response.Output, t.call)
	t.item = ""
	return nil
}
