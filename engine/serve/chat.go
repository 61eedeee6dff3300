package serve

import (
	"net/http"
	"strconv"

	"github.com/llamakit/llamakit/engine"
)

func indexed(name string, i int) string { return name + "[" + strconv.Itoa(i) + "]" }

// chatMessage is the answer of an assistant.
type chatMessage struct {
	Role      string     `json:"role"`
	Content   *string    `json:"content"` // null where there are calls only
	Reasoning string     `json:"reasoning_content,omitempty"`
	Calls     []toolCall `json:"tool_calls,omitempty"`
}

type chatChoice struct {
	FinishReason *string       `json:"finish_reason"`
	Index        int           `json:"index"`
	Message      chatMessage   `json:"message"`
	Logprobs     *chatLogprobs `json:"logprobs,omitempty"`
	Truncated    bool          `json:"truncated,omitempty"` // the context was full
}

// chatCompletion is an answer of the chat completions API.
type chatCompletion struct {
	Choices []chatChoice `json:"choices"`
	head
	Usage    usage    `json:"usage"`
	Timings  timings  `json:"timings"`
	Warnings []string `json:"warnings,omitempty"` // what is not enforced
}

// chat answers POST /v1/chat/completions.
func (s *Server) chat(w http.ResponseWriter, r *http.Request, m *engine.Model) error {
	o, err := s.readObject(w, r)
	if err != nil {
		return err
	}
	p, request, err := s.chatRequest(o, m)
	if err != nil {
		return err
	}
	jobs, err := s.chatJobs(r, m, p, request)
	if err != nil {
		return err
	}
	if p.stream {
		return s.streamChat(w, r, m, jobs)
	}
	if err := s.run(r, jobs, nil); err != nil {
		return err
	}
	answer := chatCompletion{head: s.head("chat.completion", "chatcmpl-"), Usage: usageOf(jobs), Timings: timingsOf(jobs)}
	for _, j := range jobs {
		message := chatMessage{Role: "assistant", Reasoning: j.reasoning.String()}
		text := ""
		text, message.Calls = j.content(m)
		if p.reasoning == reasoningNone && message.Reasoning != "" {
			text, message.Reasoning = tagged(m, message.Reasoning)+text, ""
		}
		if text != "" || message.Calls == nil {
			message.Content = &text
		}
		answer.Choices = append(answer.Choices, chatChoice{Index: j.index, FinishReason: j.finish(), Truncated: j.truncated(),
			Logprobs: p.chatLogprobs(m.Vocab(), j.probs), Message: message})
	}
	answer.Warnings = warnings(p, jobs...)
	writeJSON(w, http.StatusOK, answer)
	return nil
}

// chatJobs prepares and admits the answers to a conversation.
func (s *Server) chatJobs(r *http.Request, m *engine.Model, p *params, request engine.Request) ([]*job, error) {
	jobs, err := s.newJobs(r, m, p, request, 0)
	if err != nil {
		return nil, err
	}
	if request.Template.Continue {
		prefill := request.Messages[len(request.Messages)-1].Text()
		for _, j := range jobs {
			j.prefill = prefill
		}
	}
	return jobs, s.ledger.admit(jobs)
}

// content is the whole text of an answer, and its calls: the beginning that came with the request, and what followed it. The legacy
// format has the reasoning in it too.
func (j *job) content(m *engine.Model) (text string, calls []toolCall) {
	text, calls = j.callsOf(j.prefill + j.text.String())
	if j.params.reasoning == reasoningLegacy && j.reasoning.Len() > 0 {
		text = tagged(m, j.reasoning.String()) + text
	}
	return text, calls
}

// tagged is a reasoning between the tags of the model.
func tagged(m *engine.Model, reasoning string) string {
	open, end := m.Template().ReasoningTags()
	return open + reasoning + end
}
