package serve

import (
	"net/http"

	"github.com/llamakit/llamakit/engine"
)

// responseStream turns the events of a job into those of the responses API: created and in_progress; then, an item at a time,
// output_item.added, the item's parts with their deltas, and output_item.done; then completed. Every event has the next
// sequence number, and those of items say which.
type responseStream struct {
	*stream
	response response
	sequence int
	item     string // id of the item that is open, or ""
	kind     itemKind
	call     callItem // the open item, where it is a call
	text     string   // of the open item, so far
}

func (s *Server) streamResponse(w http.ResponseWriter, r *http.Request, jobs []*job, answer response) error {
	t := &responseStream{stream: s.newStream(w, commentPing), response: answer}
	defer t.close()
	err := t.whole("response.created")
	if err == nil {
		err = t.whole("response.in_progress")
	}
	if err != nil {
		s.ledger.leave(jobs...)
		return nil
	}
	err = s.run(r, jobs, t.took)
	return t.failed(err, func(f *failure) error {
		return t.send("error", map[string]any{"code": f.kind, "message": f.message, "param": nil})
	})
}

// send numbers an event.
func (t *responseStream) send(kind string, fields map[string]any) error {
	fields["type"], fields["sequence_number"] = kind, t.sequence
	t.sequence++
	return t.event(kind, fields)
}

// whole sends an event with the whole response.
func (t *responseStream) whole(kind string) error {
	return t.send(kind, map[string]any{"response": t.response})
}

// part sends an event of the open item's only part.
func (t *responseStream) part(kind string, fields map[string]any) error {
	fields["item_id"], fields["content_index"] = t.item, 0
	return t.ofItem(kind, fields)
}

func (t *responseStream) ofItem(kind string, fields map[string]any) error {
	fields["output_index"] = len(t.response.Output)
	return t.send(kind, fields)
}

func (t *responseStream) took(j *job, e engine.Event) error {
	text, calls := j.split(e)
	if err := t.add(itemReasoning, e.Reasoning); err != nil {
		return err
	}
	if err := t.add(itemMessage, text); err != nil {
		return err
	}
	for _, c := range calls {
		if err := t.addCall(c); err != nil {
			return err
		}
	}
	if e.Result == nil {
		return nil
	}
	t.response.finish(j)
	t.response.Warnings = warnings(j.params, j)
	if t.item == "" && len(t.response.Output) == 0 {
		if err := t.open(itemMessage); err != nil {
			return err
		}
	}
	if err := t.closeItem(t.response.Status); err != nil {
		return err
	}
	return t.send("response."+t.response.Status, map[string]any{"response": t.response, "timings": j.timings()})
}

func (t *responseStream) add(kind itemKind, text string) error {
	if text == "" {
		return nil
	}
	if t.item == "" || t.kind != kind {
		if err := t.closeItem(completed); err != nil {
			return err
		}
		if err := t.open(kind); err != nil {
			return err
		}
	}
	t.text += text
	if kind == itemReasoning {
		return t.part("response.reasoning_text.delta", map[string]any{"delta": text})
	}
	return t.part("response.output_text.delta", map[string]any{"delta": text, "logprobs": []any{}})
}

// open begins an item and its part.
func (t *responseStream) open(kind itemKind) error {
	t.kind, t.text = kind, ""
	var item, part any
	if kind == itemReasoning {
		t.item = newID("rs_")
		item, part = newReasoningItem(t.item, inProgress), reasoningText{Type: "reasoning_text"}
	} else {
		t.item = newID("msg_")
		item, part = newMessageItem(t.item, inProgress), newOutputText("")
	}
	if err := t.ofItem("response.output_item.added", map[string]any{"item": item}); err != nil {
		return err
	}
	return t.part("response.content_part.added", map[string]any{"part": part})
}

// closeItem ends the open item and keeps it for the whole response.
func (t *responseStream) closeItem(status string) error {
	switch {
	case t.item == "":
		return nil
	case t.kind == itemCall:
		return t.closeCall()
	}
	var item, part any = nil, newOutputText(t.text)
	kind, done := "response.output_text.done", map[string]any{"text": t.text, "logprobs": []any{}}
	if t.kind == itemReasoning {
		part = reasoningText{"reasoning_text", t.text}
		kind, done = "response.reasoning_text.done", map[string]any{"text": t.text}
		item = newReasoningItem(t.item, status, reasoningText{"reasoning_text", t.text})
	} else {
		item = newMessageItem(t.item, status, newOutputText(t.text))
	}
	if err := t.part(kind, done); err != nil {
		return err
	}
	if err := t.part("response.content_part.done", map[string]any{"part": part}); err != nil {
		return err
	}
	if err := t.ofItem("response.output_item.done", map[string]any{"item": item}); err != nil {
		return err
	}
	t.response.Output = append(t.response.Output, item)
	t.item = ""
	return nil
}
