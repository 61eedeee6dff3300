package serve

import (
	"net/http"
	"time"

	"github.com/llamakit/llamakit/engine"
)

// head is what all answers of OpenAI's completions APIs begin with.
type head struct {
	Created     int64  `json:"created"`
	Model       string `json:"model"`
	Fingerprint string `json:"system_fingerprint"`
	Object      string `json:"object"`
	ID          string `json:"id"`
}

func (s *Server) head(object, id string) head {
	return head{Created: time.Now().Unix(), Model: s.options.Model, Fingerprint: "llamakit-" + s.options.Version, Object: object, ID: newID(id)}
}

// textChoice is an answer of the legacy completions API.
type textChoice struct {
	Text         string        `json:"text"`
	Index        int           `json:"index"`
	Logprobs     *textLogprobs `json:"logprobs"`
	FinishReason *string       `json:"finish_reason"`
	Truncated    bool          `json:"truncated,omitempty"` // the context was full
}

// textCompletion is an answer, or a part of one, of the legacy completions API.
type textCompletion struct {
	Choices []textChoice `json:"choices"`
	head
	Usage    *usage    `json:"usage,omitempty"`
	Timings  *timings  `json:"timings,omitempty"`
	Progress *progress `json:"prompt_progress,omitempty"`
	Warnings []string  `json:"warnings,omitempty"` // what is not enforced
}

// openaiCompletion answers POST /v1/completions.
func (s *Server) openaiCompletion(w http.ResponseWriter, r *http.Request, m *engine.Model) error {
	o, err := s.readObject(w, r)
	if err != nil {
		return err
	}
	echo, suffix := false, ""
	o.bool("echo", &echo)
	if o.str("suffix", &suffix); suffix != "" {
		return unsupported("field 'suffix' is not supported; ask /infill")
	}
	jobs, _, err := s.completionJobs(r, m, o, "prompt")
	if err != nil {
		return err
	}
	if echo {
		for _, j := range jobs {
			j.prefill = j.prepared.Text
		}
	}
	if jobs[0].params.stream {
		return s.streamCompletion(w, r, m, jobs)
	}
	if err := s.run(r, jobs, nil); err != nil {
		return err
	}
	answer := textCompletion{head: s.head("text_completion", "chatcmpl-")}
	for _, j := range jobs {
		offset := len(j.prefill)
		answer.Choices = append(answer.Choices, textChoice{Text: j.prefill + j.text.String(), Index: j.index, FinishReason: j.finish(), Truncated: j.truncated(),
			Logprobs: j.params.textLogprobs(m.Vocab(), j.probs, &offset)})
	}
	total, times := usageOf(jobs), timingsOf(jobs)
	answer.Usage, answer.Timings, answer.Warnings = &total, &times, jobs[0].params.form.warnings
	writeJSON(w, http.StatusOK, answer)
	return nil
}

func (s *Server) streamCompletion(w http.ResponseWriter, r *http.Request, m *engine.Model, jobs []*job) error {
	t := s.newStream(w, commentPing)
	defer t.close()
	chunk := textCompletion{head: s.head("text_completion", "chatcmpl-")}
	offsets := make([]int, len(jobs))
	for i, j := range jobs {
		offsets[i] = len(j.prefill)
	}
	part := func(j *job, text string) textCompletion {
		c := chunk
		c.Choices = []textChoice{{Text: text, Index: j.index}}
		if text != "" || j.result != nil {
			c.Choices[0].Logprobs = j.params.textLogprobs(m.Vocab(), j.held.take().probs, &offsets[j.index])
		}
		if j.params.timingsPerToken {
			times := j.timings()
			c.Timings = &times
		}
		return c
	}
	err := s.run(r, jobs, func(j *job, e engine.Event) error {
		text := e.Text
		if len(j.prefill) > 0 && len(e.Tokens) > 0 {
			text, j.prefill = j.prefill+text, ""
		}
		if progress := j.progressOf(e); progress != nil {
			c := part(j, "")
			c.Progress = progress
			return t.data(c)
		}
		if text != "" {
			if err := t.data(part(j, text)); err != nil {
				return err
			}
		}
		if e.Result == nil {
			return nil
		}
		c := part(j, "")
		c.Choices[0].FinishReason, c.Choices[0].Truncated = j.finish(), j.truncated()
		one, times := usageOf([]*job{j}), j.timings()
		c.Usage, c.Timings, c.Warnings = &one, &times, j.params.form.warnings
		return t.data(c)
	})
	if err == nil {
		return t.done()
	}
	return t.failed(err, func(f *failure) error { return t.data(f.object()) })
}
