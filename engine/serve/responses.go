package serve

import (
	"net/http"
	"time"

	"github.com/llamakit/llamakit/engine"
)

// response is the object of OpenAI's responses API.
type response struct {
	ID          string         `json:"id"`
	Object      string         `json:"object"`
	CreatedAt   int64          `json:"created_at"`
	CompletedAt *int64         `json:"completed_at"`
	Status      string         `json:"status"`
	Error       any            `json:"error"`
	Incomplete  any            `json:"incomplete_details"`
	Model       string         `json:"model"`
	Output      []any          `json:"output"`
	Usage       *responseUsage `json:"usage"`

	// What clients expect to be told back.
	MaxOutputTokens    *int           `json:"max_output_tokens"`
	Temperature        float32        `json:"temperature"`
	TopP               float32        `json:"top_p"`
	Tools              any            `json:"tools"`
	ToolChoice         any            `json:"tool_choice"`
	ParallelToolCalls  bool           `json:"parallel_tool_calls"`
	PreviousResponseID *string        `json:"previous_response_id"`
	Text               map[string]any `json:"text"`
	Truncation         string         `json:"truncation"`
	Store              bool           `json:"store"`
	Metadata           map[string]any `json:"metadata"`
	Timings            *timings       `json:"timings,omitempty"`
	Warnings           []string       `json:"warnings,omitempty"` // what is not enforced
}

type responseUsage struct {
	InputTokens   int           `json:"input_tokens"`
	InputDetails  promptDetails `json:"input_tokens_details"`
	OutputTokens  int           `json:"output_tokens"`
	OutputDetails struct {
		ReasoningTokens int `json:"reasoning_tokens"`
	} `json:"output_tokens_details"`
	TotalTokens int `json:"total_tokens"`
}

// messageItem is an item of the output: what the assistant says.
type messageItem struct {
	Type    string       `json:"type"`
	ID      string       `json:"id"`
	Role    string       `json:"role"`
	Status  string       `json:"status"`
	Content []outputText `json:"content"`
}

type outputText struct {
	Type        string `json:"type"`
	Text        string `json:"text"`
	Annotations []any  `json:"annotations"`
	Logprobs    []any  `json:"logprobs"`
}

// reasoningItem is an item of the output: what the assistant thought.
type reasoningItem struct {
	Type      string          `json:"type"`
	ID        string          `json:"id"`
	Summary   []any           `json:"summary"`
	Content   []reasoningText `json:"content"`
	Encrypted string          `json:"encrypted_content"`
	Status    string          `json:"status"`
}

type reasoningText struct {
	Type string `json:"type"`
	Text string `json:"text"`
}

const (
	inProgress = "in_progress"
	completed  = "completed"
	incomplete = "incomplete"
)

func newOutputText(text string) outputText {
	return outputText{Type: "output_text", Text: text, Annotations: []any{}, Logprobs: []any{}}
}

func newMessageItem(id, status string, content ...outputText) messageItem {
	return messageItem{Type: "message", ID: id, Role: "assistant", Status: status, Content: append([]outputText{}, content...)}
}

func newReasoningItem(id, status string, content ...reasoningText) reasoningItem {
	return reasoningItem{Type: "reasoning", ID: id, Summary: []any{}, Status: status, Content: append([]reasoningText{}, content...)}
}

// newResponse is a response that has begun.
func (s *Server) newResponse(p *params) response {
	r := response{ID: newID("resp_"), Object: "response", CreatedAt: time.Now().Unix(), Status: inProgress, Model: s.options.Model,
		Output: []any{}, Temperature: p.sampling.Temperature, TopP: p.sampling.TopP, Tools: []any{}, ToolChoice: "auto",
		ParallelToolCalls: true, Text: map[string]any{"format": map[string]any{"type": "text"}}, Truncation: "disabled",
		Metadata: map[string]any{}, Warnings: p.form.warnings}
	if p.form.format != nil {
		r.Text["format"] = p.form.format
	}
	if p.max > 0 {
		r.MaxOutputTokens = &p.max
	}
	return r
}

// finish fills in what a job became, but for the output.
func (r *response) finish(j *job) {
	now, times := time.Now().Unix(), j.timings()
	r.Status, r.CompletedAt, r.Timings = completed, &now, &times
	switch j.result.Stop {
	case engine.StopLimit:
		r.Status, r.CompletedAt, r.Incomplete = incomplete, nil, map[string]string{"reason": "max_output_tokens"}
	case engine.StopContext:
		r.Status, r.CompletedAt, r.Incomplete = incomplete, nil, map[string]string{"reason": "context_full"}
	}
	r.Usage = &responseUsage{InputTokens: len(j.prepared.Tokens), InputDetails: promptDetails{j.cached}, OutputTokens: len(j.tokens),
		TotalTokens: len(j.prepared.Tokens) + len(j.tokens)}
	r.Usage.OutputDetails.ReasoningTokens = j.thought
}

// responses answers POST /v1/responses.
func (s *Server) responses(w http.ResponseWriter, r *http.Request, m *engine.Model) error {
	o, err := s.readObject(w, r)
	if err != nil {
		return err
	}
	p, request, err := s.responsesRequest(o, m)
	if err != nil {
		return err
	}
	jobs, err := s.chatJobs(r, m, p, request)
	if err != nil {
		return err
	}
	answer := s.newResponse(p)
	answer.echo(o)
	if p.stream {
		return s.streamResponse(w, r, jobs, answer)
	}
	if err := s.run(r, jobs, nil); err != nil {
		return err
	}
	j := jobs[0]
	answer.finish(j)
	if j.reasoning.Len() > 0 {
		answer.Output = append(answer.Output, newReasoningItem(newID("rs_"), completed, reasoningText{"reasoning_text", j.reasoning.String()}))
	}
	text, calls := j.content(m)
	if text != "" || j.reasoning.Len() == 0 && calls == nil {
		answer.Output = append(answer.Output, newMessageItem(newID("msg_"), answer.Status, newOutputText(text)))
	}
	for _, c := range calls {
		answer.Output = append(answer.Output, newCallItem(c, callStatus(c.Function.Arguments)))
	}
	answer.Warnings = warnings(p, j)
	writeJSON(w, http.StatusOK, answer)
	return nil
}

// countResponse answers POST /v1/responses/input_tokens.
func (s *Server) countResponse(w http.ResponseWriter, r *http.Request, m *engine.Model) error {
	o, err := s.readObject(w, r)
	if err != nil {
		return err
	}
	p, request, err := s.responsesRequest(o, m)
	if err != nil {
		return err
	}
	_, tokens, err := m.Prompt(request)
	if err != nil {
		return refused(p.places.name(err))
	}
	writeJSON(w, http.StatusOK, map[string]any{"object": "response.input_tokens", "input_tokens": len(tokens)})
	return nil
}
