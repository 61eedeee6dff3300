package engine

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/llamakit/llamakit/engine/arch"
	"github.com/llamakit/llamakit/engine/backend"
	"github.com/llamakit/llamakit/engine/chat"
	"github.com/llamakit/llamakit/engine/grammar"
	"github.com/llamakit/llamakit/engine/sample"
	"github.com/llamakit/llamakit/engine/sched"
	"github.com/llamakit/llamakit/engine/vocab"
	"github.com/llamakit/llamakit/formats/gguf"
)

// Model is an open model.
type Model struct {
	options  Options
	file     *gguf.File
	arch     *arch.Model
	vocab    *vocab.Vocab // nil: see noVocab
	noVocab  error
	words    func() *grammar.Vocabulary
	formats  sync.Map       // of calls: functions that return their *callTokens
	ends     func() []Token // that end generation
	spans    func() []Token // see constraint.allowSpans
	template *chat.Template
	program  backend.Program
	sched    *sched.Scheduler
	closed   sync.Once
	files    sync.Mutex // one slot is saved or restored at a time
}

// Open maps a GGUF file (of a split model, any of its files) and prepares it. The context bounds loading only.
func Open(ctx context.Context, path string, o Options) (*Model, error) {
	f, err := gguf.Open(path)
	if err != nil {
		return nil, err
	}
	return open(ctx, path, f, o)
}

// OpenBytes opens a model that is in memory already; name is for messages. data must not change while the model is open.
func OpenBytes(ctx context.Context, name string, data []byte, o Options) (*Model, error) {
	f, err := gguf.Parse(name, data)
	if err != nil {
		return nil, err
	}
	return open(ctx, name, f, o)
}

func open(ctx context.Context, name string, f *gguf.File, o Options) (m *Model, err error) {
	m = &Model{options: o, file: f}
	defer func() {
		if err != nil {
			m.Close()
			m, err = nil, inFile(name, err)
		}
	}()
	for i, part := range []func() error{m.options.resolve, m.openVocab, m.openTemplate, m.compile} {
		if err := ctx.Err(); err != nil {
			return m, err
		}
		m.progress(float64(i) / 4)
		if err := part(); err != nil {
			return m, err
		}
	}
	m.progress(1)
	return m, nil
}

// inFile begins an error with the name of the file, where it does not yet.
func inFile(name string, err error) error {
	if name == "" || strings.HasPrefix(err.Error(), name+":") {
		return err
	}
	return fmt.Errorf("%s: %w", name, err)
}

func (m *Model) progress(fraction float64) {
	if m.options.Progress != nil {
		m.options.Progress(fraction)
	}
}

// openVocab makes the tokenizer. A model whose tokenizer is none, or one that is not known here, still computes tokens: the
// error is told when text is to be encoded.
func (m *Model) openVocab() (err error) {
	m.vocab, err = vocab.New(m.file.Metadata)
	m.spans = sync.OnceValue(m.spanning)
	m.ends = sync.OnceValue(m.endTokens)
	m.words = sync.OnceValue(func() *grammar.Vocabulary { return grammar.NewVocabulary(m.vocab) })
	if errors.Is(err, vocab.ErrNoVocab) || errors.Is(err, gguf.ErrUnsupported) {
		m.noVocab, err = err, nil
	}
	return err
}

// openTemplate parses the template of the options, or the model's own. A mistake in the latter is told when a conversation is
// rendered, so that raw prompts work.
func (m *Model) openTemplate() (err error) {
	if m.options.Template != "" {
		m.template, err = chat.Parse(m.options.Template)
		return err
	}
	source := m.text("tokenizer.chat_template")
	if names, ok := m.file.Metadata.Get("tokenizer.chat_templates"); ok {
		sources := map[string]string{}
		list, _ := names.StrSlice()
		for _, name := range list {
			sources[name] = m.text("tokenizer.chat_template." + name)
		}
		if source != "" {
			sources["default"] = source
		}
		if set, err := chat.ParseSet(sources); err == nil {
			m.template = set
			return nil
		}
	}
	m.template = chat.ParseLate(source)
	return nil
}

// text is the value of a metadata key that is a string, or "".
func (m *Model) text(key string) string {
	v, _ := m.file.Metadata.Get(key)
	s, _ := v.Str()
	return s
}

func (m *Model) compile() (err error) {
	o := &m.options
	if m.arch, err = o.build(m.file); err != nil {
		return err
	}
	device, size, err := o.backend(m.arch)
	if err != nil {
		return err
	}
	if m.program, err = device.Compile(m.arch.Graph, size); err != nil {
		return err
	}
	m.sched = sched.New(m.program, sched.Config{Context: o.Context, Rows: o.Batch, Outputs: size.Outputs, Sequences: o.Sequences, Queue: o.Queue,
		Pages: size.Pages, States: size.States, Fresh: o.Observe != nil, Whole: !m.arch.Graph.Causal()})
	return nil
}

// Drain takes no new requests and waits until those that there are have ended, or ctx has. Close cuts what is left then.
func (m *Model) Drain(ctx context.Context) error { return m.sched.Drain(ctx) }

// Close ends all requests and frees the model's memory. Further calls do nothing.
func (m *Model) Close() (err error) {
	m.closed.Do(func() {
		if m.sched != nil {
			m.sched.Close()
		}
		if m.program != nil {
			m.program.Close()
		}
		err = m.file.Close()
	})
	return err
}

// Vocab is the model's vocabulary; nil for a model that has none, or a tokenizer that is not known here.
func (m *Model) Vocab() *vocab.Vocab { return m.vocab }

// Template is the chat template: the model's own, the one of Options, or ChatML where neither is.
func (m *Model) Template() *chat.Template { return m.template }

// Metadata is the file's metadata.
func (m *Model) Metadata() *gguf.Metadata { return m.file.Metadata }

// DefaultSampling is sample.DefaultParams with what the file recommends (general.sampling.*).
func (m *Model) DefaultSampling() sample.Params {
	p := sample.DefaultParams()
	r := m.file.Metadata.Reader("general.sampling")
	p.TopK = r.IntOr("top_k", p.TopK)
	p.RepeatLastN = r.IntOr("penalty_last_n", p.RepeatLastN)
	for key, f := range map[string]*float32{"top_p": &p.TopP, "min_p": &p.MinP, "temp": &p.Temperature,
		"xtc_probability": &p.XTCProbability, "xtc_threshold": &p.XTCThreshold, "penalty_repeat": &p.RepeatPenalty} {
		*f = float32(r.FloatOr(key, float64(*f)))
	}
	return p
}
