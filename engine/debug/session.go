package debug

import (
	"context"
	"encoding/json"
	"errors"
	"path/filepath"
	"sync"

	"github.com/llamakit/llamakit/engine"
	"github.com/llamakit/llamakit/engine/serve"
)

// Session runs inputs on an open model. Its methods may be called from several goroutines.
type Session struct {
	model   *engine.Model
	file    string // name of the model's file
	version string
	digest  func() (string, error)

	mu   sync.Mutex
	last []Token // prompt of the run before, which the cache may still have
}

// ErrNoText is of a model without a tokenizer.
var ErrNoText = errors.New("the model has no tokenizer, and prompts cannot be looked at")

// New makes a session. file is the model's path, of which runs keep the name; version is that of the program.
func New(m *engine.Model, file, version string) (*Session, error) {
	if m.Vocab() == nil {
		return nil, ErrNoText
	}
	if file != "" {
		file = filepath.Base(file)
	}
	return &Session{model: m, file: file, version: version, digest: sync.OnceValues(m.Digest)}, nil
}

// Model describes the model, without its digest.
func (s *Session) Model() Model {
	i := s.model.Info()
	return Model{Name: i.Name, File: s.file, Architecture: i.Architecture, Type: i.Type.String(), Vocabulary: i.Vocabulary, Context: i.Context,
		CacheK: i.CacheK, CacheV: i.CacheV}
}

// Seal makes sure that a run says which model it is of: it computes the digest, which reads all of the model once.
func (s *Session) Seal(r *Run) (err error) {
	r.Model.Digest, err = s.digest()
	return err
}

// Defaults is an input with the samplers that the model recommends.
func (s *Session) Defaults() Input { return NewInput(s.model.DefaultSampling()) }

// TemplateSource is the text of the model's chat template.
func (s *Session) TemplateSource() string { return s.model.Template().Source() }

// Parallel is how many runs go on at the same time.
func (s *Session) Parallel() int { return s.model.Sequences() }

// Prompt is what the model sees of an input.
type Prompt struct {
	Text     string    `json:"text"`
	Template string    `json:"rendered_by"` // which template made the text
	Tokens   []Token   `json:"tokens"`
	Attempts []Attempt `json:"attempts,omitempty"`
	Notes    []string  `json:"notes,omitempty"`
}

// Render renders an input and cuts it into tokens. A fault of the template is a *jinja.Error with line and column, or a
// *chat.Refusal.
func (s *Session) Render(ctx context.Context, in Input) (*Prompt, error) {
	r, err := s.request(&in)
	if err != nil {
		return nil, err
	}
	return s.render(ctx, &in, r)
}

// request is the input as the engine takes it. Tools are offered as the chat completions API does it.
func (s *Session) request(in *Input) (engine.Request, error) {
	r, err := in.Request(s.model.Vocab().Lookup)
	if err == nil && len(r.Template.Tools) > 0 && r.Messages != nil {
		err = serve.OfferTools(s.model, &r, json.RawMessage(r.Template.Tools))
	}
	return r, err
}

func (s *Session) render(ctx context.Context, in *Input, r engine.Request) (*Prompt, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	text, tokens, err := s.model.Prompt(r)
	tooLong := (*engine.TooLong)(nil)
	if err != nil && !errors.As(err, &tooLong) {
		return nil, err
	}
	p := &Prompt{Text: text, Template: s.renderedBy(in), Tokens: s.locate(text, tokens)}
	p.Attempts = s.attempts(r.Messages, text, p.Tokens)
	p.Notes = s.notes(in, r, tokens)
	if tooLong != nil {
		p.Notes = append(p.Notes, tooLong.Error())
	}
	return p, nil
}

// renderedBy says which template an input is rendered by.
func (s *Session) renderedBy(in *Input) string {
	switch {
	case in.Prompt != "":
		return "none: the prompt is taken as it stands"
	case in.Template != "":
		return "the edited template"
	case s.model.Template().Builtin:
		return "built-in ChatML: the model has no template"
	}
	return "the model's template"
}

// notes warn of what surprises people.
func (s *Session) notes(in *Input, r engine.Request, tokens []engine.Token) (notes []string) {
	if s.model.Vocab().DoubleBOS(tokens) {
		notes = append(notes, "the prompt begins with two BOS: one is spelled out, and the model adds its own")
	}
	t := s.model.TemplateFor(&r)
	if in.Prompt == "" && t.UsesClock() {
		notes = append(notes, "the template uses the time of day: the prompt changes by the second, and the cache is of no use after it")
	}
	if len(in.Tools) > 0 && !t.Capabilities().Tools {
		notes = append(notes, "the template does not show tools")
	}
	if r.Grammar != nil {
		for _, n := range r.Grammar.Notices() {
			notes = append(notes, n.String())
		}
	}
	return notes
}
