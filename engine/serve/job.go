package serve

import (
	"context"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/llamakit/llamakit/engine"
	"github.com/llamakit/llamakit/engine/chat"
	"github.com/llamakit/llamakit/engine/sample"
)

// job is one answer on its way. While it runs its fields are changed under the ledger's lock, by the one goroutine that
// may also read them without.
type job struct {
	index    int // among the answers to a request
	params   *params
	prepared *engine.Prepared
	client   string // who asks
	prefill  string // beginning of the answer that came with the request

	id     int64
	slot   int // -1: none yet
	cancel context.CancelCauseFunc

	queued, admitted, first, latest time.Time

	cached, done int // tokens of the prompt: found, and computed or found
	tokens       []engine.Token
	probs        []sample.TokenProbs
	held         heldPart // not sent yet
	text         strings.Builder
	reasoning    strings.Builder
	calls        chat.CallSplitter // of the text, where there are tools
	resumed      bool              // these know the beginning that came with the request
	newline      bool
	indentation  indentation
	thought      int // tokens before the first text, if there is reasoning
	result       *engine.Result
}

// newJobs prepares the answers to one prompt: as many as were asked for, with seeds that differ.
func (s *Server) newJobs(r *http.Request, m *engine.Model, p *params, request engine.Request, first int) ([]*job, error) {
	seed := request.Sampling.Seed
	var jobs []*job
	for i := range p.choices {
		if seed >= 0 {
			request.Sampling.Seed = seed + int64(i)
		}
		prepared, err := m.Prepare(request)
		if err != nil {
			return nil, refused(p.places.name(err))
		}
		j := &job{index: first + i, params: p, prepared: prepared, client: clientOf(r),
			indentation: indentation{least: p.indent}}
		if p.form.calls != nil {
			j.calls = p.form.calls.Splitter()
		}
		jobs = append(jobs, j)
	}
	return jobs, nil
}

// add counts an event in.
func (j *job) add(e engine.Event) {
	if e.PromptTotal > 0 {
		j.done = max(j.done, e.PromptDone)
	}
	if len(e.Tokens) > 0 {
		j.latest = time.Now()
		if j.first.IsZero() {
			j.first = j.latest
		}
	}
	if e.Reasoning != "" || j.reasoning.Len() > 0 && j.text.Len() == 0 && e.Text == "" {
		j.thought = len(j.tokens) + len(e.Tokens)
	}
	j.tokens = append(j.tokens, e.Tokens...)
	j.probs = append(j.probs, e.Probs...)
	j.held.tokens = append(j.held.tokens, e.Tokens...)
	j.held.probs = append(j.held.probs, e.Probs...)
	j.text.WriteString(e.Text)
	j.reasoning.WriteString(e.Reasoning)
	j.newline = j.newline || strings.Contains(e.Text, "\n")
	if j.result = e.Result; j.result != nil {
		j.cached = j.result.CachedTokens
	}
}

// run generates the answers of jobs that were admitted, all at once. emit, if not nil, is told every event, one at a time; its
// error ends all. The jobs have left the ledger when run returns.
func (s *Server) run(r *http.Request, jobs []*job, emit func(*job, engine.Event) error) (err error) {
	placeOf(r).begin(jobs)
	defer s.ledger.leave(jobs...)
	defer func() { s.note(r, jobs, err) }()
	ctx, cancel := context.WithCancelCause(r.Context())
	defer cancel(nil)
	defer context.AfterFunc(s.base, func() { cancel(errStopping) })()
	cancellable(jobs, cancel)
	if len(jobs) == 1 {
		return s.runOne(ctx, jobs[0], emit)
	}
	var mu sync.Mutex
	var wg sync.WaitGroup
	for _, j := range jobs {
		wg.Go(func() {
			err := s.runOne(ctx, j, func(j *job, e engine.Event) error {
				if emit == nil {
					return nil
				}
				mu.Lock()
				defer mu.Unlock()
				return emit(j, e)
			})
			if err != nil {
				cancel(err) // the first one counts
			}
		})
	}
	wg.Wait()
	return context.Cause(ctx)
}

func (s *Server) runOne(ctx context.Context, j *job, emit func(*job, engine.Event) error) error {
	for e, err := range j.prepared.Generate(ctx) {
		if err != nil {
			if cause := context.Cause(ctx); cause != nil {
				err = cause
			}
			return err
		}
		before := j.latest
		kept, outdented := j.indentation.push(e.Text)
		if e.Text = kept; e.Result == nil && (outdented || j.expired(e)) {
			e.Result = j.cutOff(e)
		}
		s.ledger.took(j, e)
		s.metrics.event(j, before, len(e.Tokens))
		if emit != nil {
			if err := emit(j, e); err != nil {
				return err
			}
		}
		if e.Result != nil {
			s.metrics.finished(j)
			s.ledger.leave(j)
			return nil
		}
	}
	return errStopping // the sequence of events ends with a result or an error
}

// expired reports that a job has used its time (t_max_predict_ms) and is at the end of a line.
func (j *job) expired(e engine.Event) bool {
	limit := j.params.predictTime
	return limit > 0 && !j.first.IsZero() && time.Since(j.first) > limit && (j.newline || strings.Contains(e.Text, "\n"))
}

// cutOff is the result of a job that ends with event e because its time is up or a line is not indented.
func (j *job) cutOff(e engine.Event) *engine.Result {
	return &engine.Result{Stop: engine.StopLimit, PromptTokens: len(j.prepared.Tokens), CachedTokens: j.cached,
		GeneratedTokens: len(j.tokens) + len(e.Tokens), PromptTime: j.first.Sub(j.admitted), GenerateTime: time.Since(j.first),
		QueueTime: j.admitted.Sub(j.queued)}
}

// note puts what became of jobs into the log entry; err, if not nil, ended them.
func (s *Server) note(r *http.Request, jobs []*job, err error) {
	e := entryOf(r)
	if e == nil {
		return
	}
	if err != nil {
		e.Error = err.Error()
	}
	for _, j := range jobs {
		a := Answer{Slot: j.slot, Prompt: len(j.prepared.Tokens), Cached: j.cached, Generated: len(j.tokens), Stop: "cancelled"}
		if j.result != nil {
			a.Stop = string(j.result.Stop)
		}
		if !j.admitted.IsZero() {
			a.Queue = j.admitted.Sub(j.queued).Seconds()
		}
		if !j.first.IsZero() {
			a.First = j.first.Sub(j.queued).Seconds()
		}
		if s.options.LogText {
			a.Text, a.Output = j.prepared.Text, j.reasoning.String()+j.text.String()
		}
		e.Answers = append(e.Answers, a)
	}
}
