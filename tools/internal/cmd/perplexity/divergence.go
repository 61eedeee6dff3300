package perplexity

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/llamakit/llamakit/engine"
	"github.com/llamakit/llamakit/formats/logprobs"
	"github.com/llamakit/llamakit/tools/internal/asjson"
	"github.com/llamakit/llamakit/tools/internal/score"
)

// divergence measures how far a model is from the one that wrote the base.
func (o *options) divergence(ctx context.Context) error {
	base, err := logprobs.Open(o.base)
	if err != nil {
		return err
	}
	defer base.Close()
	if err := o.checkBase(base); err != nil {
		return err
	}
	together := o.sizeEngine(base.Context)
	m, err := o.openChecked(ctx)
	if err != nil {
		return err
	}
	defer m.Close()
	w, err := o.baseWindows(m, base)
	if err != nil {
		return err
	}
	d := &divergence{options: o, model: m, base: base, windows: w, display: o.newDisplay(w.count, "divergence"), together: together}
	err = d.run(ctx)
	d.display.end()
	return errors.Join(d.report(), err)
}

// checkBase refuses what the base does not hold.
func (o *options) checkBase(base *logprobs.File) error {
	if c := o.Options.Context; c != 0 && c != base.Context {
		return fmt.Errorf("%s was made with a context of %d tokens, not the %d of -c; leave -c out, or make it anew", o.base, base.Context, c)
	}
	wanted := base.Chunks
	if o.chunks >= 0 {
		wanted = min(wanted, o.chunks)
	}
	switch {
	case base.Whole < wanted && base.Whole == 0:
		return fmt.Errorf("%s was cut short: none of its %d chunks is whole; make it anew", o.base, base.Chunks)
	case base.Whole < wanted:
		return fmt.Errorf("%s was cut short: %d of %d chunks are whole; make it anew, or use those with --chunks %d", o.base, base.Whole, base.Chunks, base.Whole)
	}
	return nil
}

// baseWindows are the base's chunks. The text need not be given; when it is, it must be the one that the base was made of.
func (o *options) baseWindows(m *engine.Model, base *logprobs.File) (*windows, error) {
	v := m.Vocab()
	if v.Size() != base.Vocab {
		return nil, fmt.Errorf("%s was made with a vocabulary of %d tokens, that of %s has %d: the models do not belong together", o.base, base.Vocab, o.Path, v.Size())
	}
	w := &windows{context: base.Context, first: base.First(), step: base.Context, count: base.Chunks, bos: bos(v), tokens: base.Tokens}
	if o.chunks >= 0 {
		w.count = min(w.count, o.chunks)
	}
	if o.file == "" && o.prompt == "" && o.binary == "" {
		return w, nil
	}
	name, text, err := o.text()
	if err != nil {
		return nil, err
	}
	own, err := cut(m, string(text), base.Context, 0, -1)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if own.count < base.Chunks || !slices.Equal(own.tokens[:len(base.Tokens)], base.Tokens) {
		return nil, fmt.Errorf("%s was not made of %s, or with another tokenizer than that of %s", o.base, name, o.Path)
	}
	return w, nil
}

// divergence is a measure of divergence on its way.
type divergence struct {
	*options
	model    *engine.Model
	base     *logprobs.File
	windows  *windows
	display  *display
	together int
	done     int // chunks
	points   score.Divergence
}

func (d *divergence) run(ctx context.Context) error {
	size := d.base.ChunkBytes()
	rows := make([]byte, d.together*size)
	for from := 0; from < d.windows.count; from += d.together {
		to := min(from+d.together, d.windows.count)
		for chunk := from; chunk < to; chunk++ {
			if err := d.base.ReadChunk(chunk, rows[(chunk-from)*size:][:size]); err != nil {
				return err
			}
		}
		points, err := compare(ctx, d.windows, d.model, from, to, d.base.Vocab, rows)
		if err != nil {
			return err
		}
		for chunk := range slices.Chunk(points, d.windows.rows()) {
			d.take(chunk)
		}
		if err := d.display.advance(to-from, fmt.Sprintf("KLD = %.5f", d.points.KLD().Value)); err != nil {
			return err
		}
	}
	return nil
}

// compare computes chunks [from, to) and compares them with rows of log-probabilities over vocab tokens.
func compare(ctx context.Context, w *windows, m *engine.Model, from, to, vocab int, rows []byte) ([]score.Point, error) {
	n, size := w.rows(), logprobs.RowBytes(vocab)
	points := make([]score.Point, (to-from)*n)
	err := w.visit(ctx, m, from, to, func(chunk, i int, row score.Row, next engine.Token) (err error) {
		at := (chunk-from)*n + i
		points[at], err = score.NewPoint(row, rows[at*size:][:size], next)
		return err
	})
	return points, err
}

// take adds a chunk and shows the estimates.
func (d *divergence) take(points []score.Point) {
	for _, p := range points {
		d.points.Add(p)
	}
	if d.done == 0 {
		d.display.printf("chunk             PPL               ln(PPL(Q)/PPL(base))          KL Divergence              Δp RMS            Same top p\n")
	}
	d.done++
	s := &d.points
	ppl, log, kld, rms, top := s.Perplexity(), s.LogRatio(), s.KLD(), s.RMSDeltaP(), s.SameTop()
	d.display.printf("%4d    %9.4f ± %9.4f    %10.5f ± %10.5f    %10.5f ± %10.5f    %6.3f ± %6.3f %%    %6.3f ± %6.3f %%\n", d.done, ppl.Value, ppl.Error,
		log.Value, log.Error, kld.Value, kld.Error, 100*rms.Value, 100*rms.Error, 100*top.Value, 100*top.Error)
}

// report prints the statistics, or what is known of them.
func (d *divergence) report() error {
	if d.done == 0 {
		return nil
	}
	s := newStatistics(&d.points)
	s.Model, s.Base, s.Context, s.Chunks, s.Done = d.Path, d.options.base, d.base.Context, d.windows.count, d.done
	if d.json {
		return asjson.Write(d.stdout, s)
	}
	if d.done < d.windows.count {
		fmt.Fprintf(d.stdout, "After %d of %d chunks:\n", d.done, d.windows.count)
	}
	return s.print(d.stdout)
}
