package imatrix

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/llamakit/llamakit/engine"
	"github.com/llamakit/llamakit/engine/backend"
	"github.com/llamakit/llamakit/formats/imatrix"
	"github.com/llamakit/llamakit/tools/internal/score"
)

// job is one run over a text. The matrix holds whole chunks only, at any time.
type job struct {
	*options
	model  *engine.Model
	sums   *collector
	text   *text
	run    string // fingerprint of all that the matrix depends on
	matrix *imatrix.Matrix
	next   int // chunk
	nll    score.Mean
}

// compute runs the text through the model and writes the matrix.
func (o *options) compute(ctx context.Context) error {
	j := &job{options: o, sums: &collector{output: o.processOutput, moments: map[string]*backend.Moments{}}}
	o.Options.Observe, o.Options.Sequences = j.sums.observe, 1
	o.Options.Outputs = 512 // all rows of a step
	var err error
	if j.model, err = o.Open(ctx, o.stderr); err != nil {
		return err
	}
	defer j.model.Close()
	if j.text, err = o.readText(j.model); err != nil {
		return err
	}
	if err := j.begin(); err != nil {
		return err
	}
	if err := j.evaluate(ctx); err != nil {
		return j.keep(err)
	}
	if j.nll.N > 0 {
		e := j.nll.Perplexity()
		fmt.Fprintf(o.stderr, "Final estimate: PPL = %.4f +/- %.5f\n", e.Value, e.Error)
	}
	return o.finish(j.matrix)
}

// begin takes up unfinished work, or the matrices to add to.
func (j *job) begin() (err error) {
	if j.run, err = j.fingerprint(); err != nil {
		return err
	}
	if resumed, err := j.resume(); resumed || err != nil {
		return err
	}
	if j.matrix, err = j.sumInputs(j.text.size); err != nil {
		return err
	}
	if err := j.checkFits(j.matrix); err != nil {
		return err
	}
	j.matrix.Datasets = append(j.matrix.Datasets, j.file)
	return nil
}

// evaluate computes the chunks that are left.
func (j *job) evaluate(ctx context.Context) error {
	m := newMeter(j.stderr, j.text.chunks, j.next, j.saveEvery)
	defer m.close()
	for ; j.next < j.text.chunks; m.step(j.next, &j.nll) {
		if err := j.chunk(ctx); err != nil {
			return err
		}
		done, last := j.next, j.next == j.text.chunks
		if !last && done%j.saveEvery == 0 {
			j.try(m, j.saveUnfinished)
		}
		if j.copyEvery > 0 && done%j.copyEvery == 0 {
			j.try(m, func() error { return j.save(j.matrix, fmt.Sprintf("%s.at_%d", j.output, done)) })
		}
	}
	return nil
}

// try saves on the way. What is lost by an error is only what a restart would save, so the run goes on.
func (j *job) try(m *meter, save func() error) {
	if err := save(); err != nil {
		m.note("could not save: %v; going on", err)
	}
}

// chunk computes the next chunk and adds it. An interruption does not wait for the step that is being computed.
func (j *job) chunk(ctx context.Context) error {
	tokens := j.text.chunk(j.next)
	scores := newScores(tokens, j.perplexity)
	from := scores.from
	if j.processOutput {
		from = 0
	}
	done := make(chan error, 1)
	go func() { done <- j.model.VisitLogits(ctx, tokens, from, scores.visit) }()
	select {
	case err := <-done:
		if err != nil {
			return err
		}
	case <-ctx.Done():
		return ctx.Err()
	}
	entries, err := j.sums.take()
	if err == nil {
		err = scores.add(&j.nll)
	}
	if err != nil {
		return fmt.Errorf("chunk %d: %w", j.next+1, err)
	}
	return j.add(entries)
}

// add adds the entries of one chunk.
func (j *job) add(entries *imatrix.Matrix) error {
	entries.ChunkSize = j.matrix.ChunkSize
	if err := j.matrix.Add(entries); err != nil {
		return err
	}
	before := j.matrix.Chunks - j.counted()
	j.next++
	j.matrix.Chunks = before + j.counted()
	return nil
}

// counted is the number of chunks so far, in the size that the matrix counts them in: that of --in-file.
func (j *job) counted() int {
	size := j.matrix.ChunkSize
	return (j.next*j.text.size + size/2) / size
}

// keep saves the whole chunks of a run that failed or was interrupted, and says how to go on.
func (j *job) keep(reason error) error {
	if j.next == 0 {
		return reason
	}
	if err := j.saveUnfinished(); err != nil {
		return errors.Join(reason, err)
	}
	fmt.Fprintf(j.stderr, "%d of %d chunks are saved in %s; the same command goes on from there\n", j.next, j.text.chunks, j.unfinished())
	return reason
}

// scores gathers the negative log-likelihoods of a chunk's second half, as llama-perplexity does.
type scores struct {
	tokens []engine.Token
	from   int
	nll    []float64

	mu  sync.Mutex
	err error
}

// newScores wants the logits of the last position only where no perplexity is asked for.
func newScores(tokens []engine.Token, wanted bool) *scores {
	s := &scores{tokens: tokens, from: len(tokens) - 1}
	if wanted {
		s.from = len(tokens) / 2
		s.nll = make([]float64, len(tokens)-1-s.from)
	}
	return s
}

// visit takes the logits of a position; several at the same time.
func (s *scores) visit(pos int, logits []float32) {
	i := pos - s.from
	if i < 0 || i >= len(s.nll) {
		return
	}
	row, err := score.NewRow(logits)
	if err == nil {
		s.nll[i], err = row.NLL(s.tokens[pos+1])
	}
	if err != nil {
		s.mu.Lock()
		s.err = err
		s.mu.Unlock()
	}
}

// add adds them to a mean, in their order.
func (s *scores) add(m *score.Mean) error {
	for _, nll := range s.nll {
		m.Add(nll)
	}
	return s.err
}
