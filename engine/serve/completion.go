package serve

import (
	"encoding/json"
	"net/http"
	"strings"

	"github.com/llamakit/llamakit/engine"
)

// nativeAnswer is llama.cpp's own form of an answer that is done.
type nativeAnswer struct {
	Index           int            `json:"index"`
	Content         string         `json:"content"`
	Tokens          []engine.Token `json:"tokens"`
	Slot            int            `json:"id_slot"`
	Stop            bool           `json:"stop"`
	Model           string         `json:"model"`
	TokensPredicted int            `json:"tokens_predicted"`
	TokensEvaluated int            `json:"tokens_evaluated"`
	Settings        settings       `json:"generation_settings"`
	Prompt          string         `json:"prompt"`
	HasNewLine      bool           `json:"has_new_line"`
	Truncated       bool           `json:"truncated"`
	StopType        string         `json:"stop_type"`
	StoppingWord    string         `json:"stopping_word"`
	TokensCached    int            `json:"tokens_cached"`
	Timings         timings        `json:"timings"`
	Probs           []tokenProb    `json:"completion_probabilities,omitempty"`
	Warnings        []string       `json:"warnings,omitempty"` // what is not enforced
}

// nativeChunk is a part of an answer.
type nativeChunk struct {
	Index           int            `json:"index"`
	Content         string         `json:"content"`
	Tokens          []engine.Token `json:"tokens"`
	Stop            bool           `json:"stop"`
	Slot            int            `json:"id_slot"`
	TokensPredicted int            `json:"tokens_predicted"`
	TokensEvaluated int            `json:"tokens_evaluated"`
	Timings         *timings       `json:"timings,omitempty"`
	Probs           []tokenProb    `json:"completion_probabilities,omitempty"`
	Progress        *progress      `json:"prompt_progress,omitempty"`
}

// stopTypes are llama.cpp's names of why an answer ended.
var stopTypes = map[engine.StopReason]string{engine.StopEOS: "eos", engine.StopText: "word", engine.StopLimit: "limit",
	engine.StopContext: "limit"}

// native is a job as llama.cpp shows it; a stream has sent the text before.
func (s *Server) native(m *engine.Model, j *job) nativeAnswer {
	a := nativeAnswer{Index: j.index, Tokens: []engine.Token{}, Slot: j.slot, Stop: true, Model: s.options.Model,
		TokensPredicted: len(j.tokens), TokensEvaluated: len(j.prepared.Tokens), Settings: j.params.settings(), Prompt: j.prepared.Text,
		HasNewLine: j.newline, Truncated: j.truncated(), StopType: stopTypes[j.result.Stop], StoppingWord: j.result.StopText,
		TokensCached: len(j.prepared.Tokens) + len(j.tokens) - 1, Timings: j.timings(),
		Warnings: j.params.form.warnings}
	if j.params.stream {
		a.Probs = j.params.probsJSON(m.Vocab(), j.held.take().probs)
		return a
	}
	a.Content, a.Probs = j.text.String(), j.params.probsJSON(m.Vocab(), j.probs)
	if j.params.returnTokens {
		a.Tokens = append(a.Tokens, j.tokens...)
	}
	return a
}

// chosen is an answer with the fields that the request wants, or all. A slash leads into an object.
func (p *params) chosen(a nativeAnswer) any {
	if len(p.responseFields) == 0 {
		return a
	}
	data, _ := marshal(a)
	var all map[string]any
	_ = json.Unmarshal(data, &all)
	out := map[string]any{}
	for _, field := range p.responseFields {
		var value any = all
		found := true
		for _, name := range strings.Split(field, "/") {
			inner, ok := value.(map[string]any)
			value, found = inner[name], ok && found
			_, there := inner[name]
			found = found && there
		}
		if found {
			out[field] = value
		}
	}
	return out
}

// completion answers POST /completion.
func (s *Server) completion(w http.ResponseWriter, r *http.Request, m *engine.Model) error {
	o, err := s.readObject(w, r)
	if err != nil {
		return err
	}
	jobs, list, err := s.completionJobs(r, m, o, "prompt")
	if err != nil {
		return err
	}
	return s.answerNative(w, r, m, jobs, list)
}

// completionJobs prepares the answers to prompts as they stand.
func (s *Server) completionJobs(r *http.Request, m *engine.Model, o *object, name string) (jobs []*job, list bool, err error) {
	p := s.readParams(o, m)
	if o.err != nil {
		return nil, false, o.err
	}
	if err := s.readStructure(o, m, p); err != nil {
		return nil, false, err
	}
	prompts, list, err := readPrompts(o, name, m)
	if err != nil {
		return nil, false, err
	}
	for _, in := range prompts {
		more, err := s.newJobs(r, m, p, s.request(p, in), len(jobs))
		if err != nil {
			return nil, false, err
		}
		jobs = append(jobs, more...)
	}
	return jobs, list, s.ledger.admit(jobs)
}

// request is the engine's request under the server's options.
func (s *Server) request(p *params, in prompt) engine.Request {
	request := p.request(in)
	request.ContextShift = s.options.Shift
	return request
}

func (s *Server) answerNative(w http.ResponseWriter, r *http.Request, m *engine.Model, jobs []*job, list bool) error {
	p := jobs[0].params
	if p.stream {
		return s.streamNative(w, r, m, jobs)
	}
	if err := s.run(r, jobs, nil); err != nil {
		return err
	}
	var answers []any
	for _, j := range jobs {
		answers = append(answers, p.chosen(s.native(m, j)))
	}
	if len(answers) == 1 && !list {
		writeJSON(w, http.StatusOK, answers[0])
	} else {
		writeJSON(w, http.StatusOK, answers)
	}
	return nil
}

func (s *Server) streamNative(w http.ResponseWriter, r *http.Request, m *engine.Model, jobs []*job) error {
	t := s.newStream(w, commentPing)
	defer t.close()
	err := s.run(r, jobs, func(j *job, e engine.Event) error {
		if progress := j.progressOf(e); progress != nil {
			c := nativePart(m, j, "")
			c.Progress = progress
			return t.data(c)
		}
		if e.Text != "" {
			if err := t.data(nativePart(m, j, e.Text)); err != nil {
				return err
			}
		}
		if e.Result != nil {
			return t.data(j.params.chosen(s.native(m, j)))
		}
		return nil
	})
	return t.failed(err, func(f *failure) error { return t.data(f.object()) })
}

// nativePart is a part of an answer, with the tokens that are held since the last one.
func nativePart(m *engine.Model, j *job, text string) nativeChunk {
	held := j.held.take()
	c := nativeChunk{Index: j.index, Content: text, Tokens: append([]engine.Token{}, held.tokens...), Slot: j.slot,
		TokensPredicted: len(j.tokens), TokensEvaluated: len(j.prepared.Tokens), Probs: j.params.probsJSON(m.Vocab(), held.probs)}
	if j.params.timingsPerToken {
		t := j.timings()
		c.Timings = &t
	}
	return c
}
