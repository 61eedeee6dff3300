package perplexity

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/llamakit/llamakit/engine"
	"github.com/llamakit/llamakit/formats/logprobs"
	"github.com/llamakit/llamakit/tools/internal/asjson"
	"github.com/llamakit/llamakit/tools/internal/score"
)

const defaultContext = 512

// More rows than maxRows in one step gain nothing, more tokens on their way than maxBatch only take memory.
const (
	maxRows  = 512
	maxBatch = 2048
)

// sizeEngine makes room for chunks of the given length, as many at a time as fill a batch.
func (o *options) sizeEngine(context int) (together int) {
	batch := min(cmp.Or(o.Options.Batch, maxRows), maxBatch)
	together = max(1, batch/context)
	o.Options.Batch = min(batch, maxRows)
	o.Options.Context, o.Options.Sequences, o.Options.Cache = context, together, together*context
	o.Options.Outputs = max(64, o.Options.Batch/2) // half the rows are scored
	return together
}

// perplexity measures one model on a text.
func (o *options) perplexity(ctx context.Context) error {
	if o.Options.Context == 0 {
		o.Options.Context = defaultContext
	}
	name, text, err := o.text()
	if err != nil {
		return err
	}
	size := o.Options.Context
	together := o.sizeEngine(size + o.stride/2)
	m, err := o.openChecked(ctx)
	if err != nil {
		return err
	}
	defer m.Close()
	w, err := cut(m, string(text), size, o.stride, o.chunks)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	p := &plain{options: o, model: m, windows: w, display: o.newDisplay(w.count, "perplexity"),
		result: plainResult{Model: o.Path, Text: name, Context: w.context, Stride: o.stride, Chunks: w.count}}
	err = p.run(ctx, together)
	p.display.end()
	return errors.Join(p.report(), err)
}

// openChecked opens the model. One that cannot read text is refused, and one that is taken beyond its training noted.
func (o *options) openChecked(ctx context.Context) (*engine.Model, error) {
	m, err := o.Open(ctx, o.stderr)
	if err != nil {
		return nil, err
	}
	if m.Vocab() == nil {
		m.Close()
		return nil, fmt.Errorf("%s: the model has no tokenizer that is known here", o.Path)
	}
	if i := m.Info(); i.TrainContext > 0 && i.Context > i.TrainContext {
		o.note("the model was trained on %d tokens of context only, fewer than the %d of a chunk", i.TrainContext, i.Context)
	}
	return m, nil
}

// plain is a measure of perplexity on its way.
type plain struct {
	*options
	model   *engine.Model
	windows *windows
	display *display
	nll     score.Mean
	result  plainResult
}

// plainResult is what --json prints.
type plainResult struct {
	Model    string         `json:"model"`
	Text     string         `json:"text"`
	Context  int            `json:"context"`
	Stride   int            `json:"stride,omitempty"`
	Chunks   int            `json:"chunks"`
	Done     int            `json:"chunks_done"`
	Scored   int            `json:"tokens_scored"`
	PPL      score.Estimate `json:"ppl"`
	NLL      score.Estimate `json:"nll"`
	Running  []float64      `json:"running_ppl"`
	Seconds  float64        `json:"seconds"`
	PerSec   float64        `json:"tokens_per_second"`
	BaseFile string         `json:"base_file,omitempty"`
}

// run scores all chunks. With a base to write, the rows of those on their way are held in its 16-bit form.
func (p *plain) run(ctx context.Context, together int) error {
	base, err := p.createBase()
	if err != nil {
		return err
	}
	if base != nil {
		defer base.Abort()
	}
	for from := 0; from < p.windows.count; from += together {
		to := min(from+together, p.windows.count)
		if err := p.group(ctx, from, to, base); err != nil {
			return err
		}
	}
	if base == nil {
		return nil
	}
	p.result.BaseFile = p.base
	return base.Commit()
}

func (p *plain) createBase() (*logprobs.Writer, error) {
	if p.base == "" {
		return nil, nil
	}
	w := p.windows
	return logprobs.Create(p.base, logprobs.Header{Context: w.context, Vocab: p.model.Vocab().Size(), Chunks: w.count, Tokens: w.tokens})
}

// group scores chunks [from, to).
func (p *plain) group(ctx context.Context, from, to int, base *logprobs.Writer) error {
	n := p.windows.rows()
	nll := make([]float64, (to-from)*n)
	var rows []byte
	if base != nil {
		rows = make([]byte, (to-from)*base.ChunkBytes())
	}
	err := p.windows.visit(ctx, p.model, from, to, func(chunk, i int, row score.Row, next engine.Token) (err error) {
		at := (chunk-from)*n + i
		if base != nil {
			base.Row(rows, at).Encode(row.Logits, row.Logits[row.Top], row.LogSum)
		}
		nll[at], err = row.NLL(next)
		return err
	})
	if err != nil {
		return err
	}
	for chunk := from; chunk < to; chunk++ {
		p.take(chunk, nll[(chunk-from)*n:][:n])
	}
	if err := p.display.advance(to-from, pplText(p.nll.Perplexity())); err != nil || base == nil {
		return err
	}
	size := base.ChunkBytes()
	for ; len(rows) > 0; rows = rows[size:] {
		if err := base.WriteChunk(rows[:size]); err != nil {
			return err
		}
	}
	return nil
}

// take adds a chunk and shows the estimate.
func (p *plain) take(chunk int, nll []float64) {
	for _, x := range nll {
		p.nll.Add(x)
	}
	ppl := p.nll.Perplexity().Value
	p.result.Done++
	p.result.Running = append(p.result.Running, ppl)
	if p.table == 0 {
		p.display.printf("[%d]%.4f,", chunk+1, ppl)
		return
	}
	p.display.printf("%8d  %.4f  %4f  %4f\n", chunk*p.windows.step, ppl, p.nll.Value(), p.nll.Error())
}

// report prints the result, or what is known of it.
func (p *plain) report() error {
	r := &p.result
	if r.Done == 0 {
		return nil
	}
	r.PPL, r.NLL, r.Scored, r.Seconds = p.nll.Perplexity(), p.nll.Estimate(), p.nll.N, p.display.seconds()
	r.PerSec = float64(r.Done*r.Context) / r.Seconds
	if p.json {
		return asjson.Write(p.stdout, r)
	}
	what := "Final estimate"
	if r.Done < r.Chunks {
		what = fmt.Sprintf("Estimate after %d of %d chunks", r.Done, r.Chunks)
	}
	_, err := fmt.Fprintf(p.stdout, "%s: %s\n", what, pplText(r.PPL))
	return err
}
