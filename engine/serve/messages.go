package serve

import (
	"net/http"

	"github.com/llamakit/llamakit/engine"
)

// anthropicUsage is the usage of the messages API, where input tokens are those that were not cached.
type anthropicUsage struct {
	CacheCreation int `json:"cache_creation_input_tokens"`
	CacheRead     int `json:"cache_read_input_tokens"`
	Input         int `json:"input_tokens"`
	Output        int `json:"output_tokens"`
}

func (j *job) anthropicUsage() anthropicUsage {
	return anthropicUsage{CacheRead: j.cached, Input: len(j.prepared.Tokens) - j.cached, Output: len(j.tokens)}
}

// anthropicMessage is an answer of the messages API.
type anthropicMessage struct {
	ID           string         `json:"id"`
	Type         string         `json:"type"`
	Role         string         `json:"role"`
	Content      []any          `json:"content"`
	Model        string         `json:"model"`
	StopReason   *string        `json:"stop_reason"`
	StopSequence *string        `json:"stop_sequence"`
	Warnings     []string       `json:"warnings,omitempty"` // what is not enforced
	Usage        anthropicUsage `json:"usage"`
}

type textBlock struct {
	Type string `json:"type"`
	Text string `json:"text"`
}

type thinkingBlock struct {
	Type      string `json:"type"`
	Thinking  string `json:"thinking"`
	Signature string `json:"signature"`
}

// stopReason is why an answer ended, and the stop text that was found.
func (j *job) stopReason() (reason, sequence *string) {
	word := "end_turn"
	if j.calls.Calls() > 0 {
		word = "tool_use"
	}
	switch j.result.Stop {
	case engine.StopLimit:
		word = "max_tokens"
	case engine.StopContext:
		word = "model_context_window_exceeded"
	case engine.StopText:
		word = "stop_sequence"
		sequence = &j.result.StopText
	}
	return &word, sequence
}

// messages answers POST /v1/messages.
func (s *Server) messages(w http.ResponseWriter, r *http.Request, m *engine.Model) error {
	o, err := s.readObject(w, r)
	if err != nil {
		return err
	}
	p, request, err := s.messagesRequest(o, m, false)
	if err != nil {
		return err
	}
	jobs, err := s.chatJobs(r, m, p, request)
	if err != nil {
		return err
	}
	answer := anthropicMessage{ID: newID("msg_"), Type: "message", Role: "assistant", Content: []any{}, Model: s.options.Model}
	if p.stream {
		return s.streamMessages(w, r, jobs, answer)
	}
	if err := s.run(r, jobs, nil); err != nil {
		return err
	}
	j := jobs[0]
	if j.reasoning.Len() > 0 {
		answer.Content = append(answer.Content, thinkingBlock{Type: "thinking", Thinking: j.reasoning.String()})
	}
	text, calls := j.content(m)
	if text != "" || j.reasoning.Len() == 0 && calls == nil {
		answer.Content = append(answer.Content, textBlock{"text", text})
	}
	for _, c := range calls {
		answer.Content = append(answer.Content, c.block())
	}
	answer.Warnings = warnings(p, j)
	answer.StopReason, answer.StopSequence = j.stopReason()
	answer.Usage = j.anthropicUsage()
	writeJSON(w, http.StatusOK, answer)
	return nil
}

// countMessages answers POST /v1/messages/count_tokens.
func (s *Server) countMessages(w http.ResponseWriter, r *http.Request, m *engine.Model) error {
	o, err := s.readObject(w, r)
	if err != nil {
		return err
	}
	p, request, err := s.messagesRequest(o, m, true)
	if err != nil {
		return err
	}
	_, tokens, err := m.Prompt(request)
	if err != nil {
		return refused(p.places.name(err))
	}
	writeJSON(w, http.StatusOK, map[string]int{"input_tokens": len(tokens)})
	return nil
}

// messageStream turns the events of a job into those of the messages API: message_start; then, a block at a time,
// content_block_start, its deltas and content_block_stop; then message_delta and message_stop.
type messageStream struct {
	*stream
	message anthropicMessage
	begun   bool
	block   string // type of the block that is open, or ""
	index   int    // of the block
}

const anthropicPing = "event: ping\ndata: {\"type\": \"ping\"}\n\n"

func (s *Server) streamMessages(w http.ResponseWriter, r *http.Request, jobs []*job, message anthropicMessage) error {
	t := &messageStream{stream: s.newStream(w, anthropicPing), message: message}
	defer t.close()
	err := s.run(r, jobs, t.took)
	return t.failed(err, func(f *failure) error { return t.event("error", f.anthropicObject()) })
}

func (t *messageStream) took(j *job, e engine.Event) error {
	if !t.begun { // the first event tells what was cached
		t.begun = true
		t.message.Usage = j.anthropicUsage()
		if err := t.event("message_start", map[string]any{"type": "message_start", "message": t.message}); err != nil {
			return err
		}
	}
	if err := t.add("thinking", e.Reasoning); err != nil {
		return err
	}
	text, calls := j.split(e)
	if err := t.add("text", text); err != nil {
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
	return t.finish(j)
}

// add appends to the block of a kind, which is opened if it is not the open one.
func (t *messageStream) add(kind, text string) error {
	if text == "" {
		return nil
	}
	if t.block != kind {
		if err := t.open(kind); err != nil {
			return err
		}
	}
	return t.delta(map[string]any{"type": kind + "_delta", kind: text})
}

func (t *messageStream) open(kind string) error {
	if err := t.closeBlock(); err != nil {
		return err
	}
	if kind == "thinking" {
		return t.begin(kind, thinkingBlock{Type: "thinking"})
	}
	return t.begin(kind, textBlock{Type: "text"})
}

func (t *messageStream) begin(kind string, block any) error {
	t.block = kind
	return t.event("content_block_start", map[string]any{"type": "content_block_start", "index": t.index, "content_block": block})
}

func (t *messageStream) delta(d map[string]any) error {
	return t.event("content_block_delta", map[string]any{"type": "content_block_delta", "index": t.index, "delta": d})
}

// closeBlock ends the open block. A thinking block is signed, with nothing: there is no key.
func (t *messageStream) closeBlock() error {
	if t.block == "" {
		return nil
	}
	if t.block == "thinking" {
		if err := t.delta(map[string]any{"type": "signature_delta", "signature": ""}); err != nil {
			return err
		}
	}
	err := t.event("content_block_stop", map[string]any{"type": "content_block_stop", "index": t.index})
	t.block = ""
	t.index++
	return err
}

func (t *messageStream) finish(j *job) error {
	if t.index == 0 && t.block == "" { // an answer has a block, though it be empty
		if err := t.open("text"); err != nil {
			return err
		}
	}
	if err := t.closeBlock(); err != nil {
		return err
	}
	reason, sequence := j.stopReason()
	err := t.event("message_delta", map[string]any{"type": "message_delta", "usage": j.anthropicUsage(),
		"delta": map[string]any{"stop_reason": reason, "stop_sequence": sequence}})
	if err != nil {
		return err
	}
	end := map[string]any{"type": "message_stop"}
	if list := warnings(j.params, j); list != nil {
		end["warnings"] = list
	}
	return t.event("message_stop", end)
}
