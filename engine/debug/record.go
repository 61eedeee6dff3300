package debug

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"

	"github.com/llamakit/llamakit/engine"
)

// MaxFile is the size of the largest recording that is read, in bytes.
const MaxFile = 256 << 20

// Write writes a run as JSON. The same run gives the same bytes.
func Write(w io.Writer, r *Run) error {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", " ")
	if err := e.Encode(r); err != nil {
		return err
	}
	_, err := w.Write(b.Bytes())
	return err
}

// Read reads what Write wrote.
func Read(r io.Reader) (*Run, error) {
	data, err := io.ReadAll(io.LimitReader(r, MaxFile+1))
	switch {
	case err != nil:
		return nil, err
	case len(data) > MaxFile:
		return nil, fmt.Errorf("a recording of more than %d MiB", MaxFile>>20)
	}
	run := &Run{}
	if err := json.Unmarshal(data, run); err != nil {
		return nil, fmt.Errorf("not a recording: %w", err)
	}
	switch {
	case run.Format == 0:
		return nil, fmt.Errorf("not a recording of llama debug: it has no field llama_debug")
	case run.Format > Format:
		return nil, fmt.Errorf("the recording is of version %d, this program reads up to %d", run.Format, Format)
	}
	return run, run.check()
}

// check makes sure of what the rest of the package relies on.
func (r *Run) check() error {
	if r.Past < 0 || r.Past > len(r.Answer) {
		return fmt.Errorf("the recording has an answer of %d tokens, %d of them given", len(r.Answer), r.Past)
	}
	for _, list := range [][]Token{r.Prompt, r.Answer} {
		for i := range list {
			for _, b := range list[i].Bytes {
				if b < 0 || b > 255 {
					return fmt.Errorf("token %d of the recording has the byte %d", i, b)
				}
			}
		}
	}
	return nil
}

// ChangedModel is the error of a recording of another model.
type ChangedModel struct{ Recorded, Now Model }

func (e *ChangedModel) Error() string {
	if e.Recorded.Digest == "" {
		return "the run was recorded from a server, which does not tell which file its model is: it can be asserted, not replayed"
	}
	if e.Recorded.Digest != e.Now.Digest {
		return fmt.Sprintf("the model is another one: the run was recorded with %s (%s), this is %s (%s)",
			cmp.Or(e.Recorded.File, e.Recorded.Name), e.Recorded.Digest, cmp.Or(e.Now.File, e.Now.Name), e.Now.Digest)
	}
	return "the model is opened otherwise: the run was recorded with " + e.Recorded.opened() + ", this is one with " + e.Now.opened()
}

// opened says how a model was opened.
func (m *Model) opened() string {
	return fmt.Sprintf("a context of %d and a cache of %s and %s", m.Context, cmp.Or(m.CacheK, engine.CacheF16), cmp.Or(m.CacheV, engine.CacheF16))
}

// Replay makes a recorded run again and says what is different. A model that is not the
// recorded one is a *ChangedModel.
func (s *Session) Replay(ctx context.Context, recorded *Run, watch func(Run)) (*Run, []string, error) {
	run := &Run{Format: Format, Engine: s.version, Model: s.Model(), Input: recorded.Input, Options: recorded.Options}
	if err := s.Seal(run); err != nil {
		return nil, nil, err
	}
	if now, then := run.Model, recorded.Model; now.Digest != then.Digest || now.opened() != then.opened() {
		return nil, nil, &ChangedModel{then, now}
	}
	run.Model.File = recorded.Model.File // the same bytes under another name are the same model
	err := s.execute(ctx, run, recorded.Answer[:recorded.Past], watch)
	return run, differences(recorded, run), err
}

// differences compares a replay with the recording.
func differences(then, now *Run) (list []string) {
	add := func(format string, args ...any) { list = append(list, fmt.Sprintf(format, args...)) }
	if then.Text != now.Text {
		add("the prompt is rendered otherwise")
	}
	if at := parts(then.Prompt, now.Prompt); at >= 0 {
		add("token %d of the prompt differs", at)
	}
	if at := parts(then.Answer, now.Answer); at >= 0 {
		add("token %d of the answer differs", at)
		return list
	}
	if then.Stop != now.Stop {
		add("it ended for another reason: %v, was %v", now.Stop, then.Stop)
	}
	if d := apart(then.Answer, now.Answer); d > 0 {
		add("the tokens are the same, their log-probabilities differ by up to %.3g (another processor, or another version?)", d)
	}
	return list
}

// apart is the greatest difference of two log-probabilities.
func apart(a, b []Token) (greatest float64) {
	for i := range a {
		if x, y := a[i].Logprob, b[i].Logprob; x != nil && y != nil {
			greatest = max(greatest, math.Abs(float64(*x)-float64(*y)))
		}
	}
	return greatest
}
