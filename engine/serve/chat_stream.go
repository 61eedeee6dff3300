package serve

import (
	"net/http"

	"github.com/llamakit/llamakit/engine"
	"github.com/llamakit/llamakit/engine/vocab"
)

// delta is what a chunk adds to an answer. The first one has a role, and content that is null.
type delta map[string]any

type chunkChoice struct {
	FinishReason *string       `json:"finish_reason"`
	Index        int           `json:"index"`
	Delta        delta         `json:"delta"`
	Logprobs     *chatLogprobs `json:"logprobs,omitempty"`
	Truncated    bool          `json:"truncated,omitempty"`
}

// chatChunk is a part of an answer of the chat completions API.
type chatChunk struct {
	Choices []chunkChoice `json:"choices"`
	head
	Usage    *usage    `json:"usage,omitempty"`
	Timings  *timings  `json:"timings,omitempty"`
	Progress *progress `json:"prompt_progress,omitempty"`
	Warnings []string  `json:"warnings,omitempty"` // what is not enforced
}

// chatStream turns the events of jobs into chunks.
type chatStream struct {
	*stream
	vocab     *vocab.Vocab
	open, end string // tags of the reasoning
	head      head
	begun     map[*job]bool // the role was sent
	thinking  map[*job]bool // reasoning in the content is not closed
}

func (s *Server) streamChat(w http.ResponseWriter, r *http.Request, m *engine.Model, jobs []*job) error {
	c := &chatStream{stream: s.newStream(w, commentPing), vocab: m.Vocab(), head: s.head("chat.completion.chunk", "chatcmpl-"),
		begun: map[*job]bool{}, thinking: map[*job]bool{}}
	c.open, c.end = m.Template().ReasoningTags()
	defer c.close()
	err := s.run(r, jobs, c.event)
	if err == nil && jobs[0].params.includeUsage {
		total, times := usageOf(jobs), timingsOf(jobs)
		err = c.data(chatChunk{Choices: []chunkChoice{}, head: c.head, Usage: &total, Timings: &times})
	}
	if err == nil {
		return c.done()
	}
	return c.failed(err, func(f *failure) error { return c.data(f.object()) })
}

func (c *chatStream) event(j *job, e engine.Event) error {
	if progress := j.progressOf(e); progress != nil {
		chunk := c.chunk(j, delta{"role": "assistant", "content": nil})
		chunk.Progress = progress
		return c.data(chunk)
	}
	if len(e.Tokens) > 0 && !c.begun[j] {
		c.begun[j] = true
		if err := c.data(c.chunk(j, delta{"role": "assistant", "content": nil})); err != nil {
			return err
		}
	}
	for _, part := range c.parts(j, e) {
		chunk := c.chunk(j, part)
		chunk.Choices[0].Logprobs = j.params.chatLogprobs(c.vocab, j.held.take().probs)
		if j.params.timingsPerToken {
			times := j.timings()
			chunk.Timings = &times
		}
		if err := c.data(chunk); err != nil {
			return err
		}
	}
	if e.Result == nil {
		return nil
	}
	chunk := c.chunk(j, delta{})
	chunk.Choices[0].Logprobs = j.params.chatLogprobs(c.vocab, j.held.take().probs)
	chunk.Choices[0].FinishReason, chunk.Choices[0].Truncated = j.finish(), j.truncated()
	chunk.Warnings = warnings(j.params, j)
	if !j.params.includeUsage {
		times := j.timings()
		chunk.Timings = &times
	}
	return c.data(chunk)
}

// parts are what an event adds to an answer.
func (c *chatStream) parts(j *job, e engine.Event) (parts []delta) {
	text, calls := j.split(e)
	switch {
	case j.params.reasoning == reasoningNone:
		text = c.inline(j, e, len(calls) > 0) + text
	case e.Reasoning != "":
		parts = append(parts, delta{"reasoning_content": e.Reasoning})
	}
	if text != "" {
		parts = append(parts, delta{"content": text})
	}
	for _, d := range calls {
		parts = append(parts, callDelta(d))
	}
	return parts
}

// inline is what an event adds to the reasoning, with the tag that opens it at its beginning, and the one that closes it at its end.
func (c *chatStream) inline(j *job, e engine.Event, call bool) (text string) {
	if text = e.Reasoning; text != "" && !c.thinking[j] {
		text, c.thinking[j] = c.open+text, true
	}
	if c.thinking[j] && (e.Text != "" || call || e.Result != nil) {
		text, c.thinking[j] = text+c.end, false
	}
	return text
}

func (c *chatStream) chunk(j *job, d delta) chatChunk {
	return chatChunk{Choices: []chunkChoice{{Index: j.index, Delta: d}}, head: c.head}
}
