package perplexity

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/llamakit/llamakit/engine"
	"github.com/llamakit/llamakit/formats/logprobs"
	"github.com/llamakit/llamakit/tools/internal/run"
	"github.com/llamakit/llamakit/tools/internal/score"
)

// comparison measures several models on one text, and how far they are from the first. They take the chunks in step, so that
// only the first one's log-probabilities of the chunks on their way are held, 16 bits each.
func (o *options) comparison(ctx context.Context) error {
	paths := o.operands
	if o.Path != "" {
		paths = append([]string{o.Path}, paths...)
	}
	if len(paths) < 2 {
		return run.Usagef("--compare needs two models or more: --compare A.gguf B.gguf -f FILE")
	}
	if o.Options.Context == 0 {
		o.Options.Context = defaultContext
	}
	name, text, err := o.text()
	if err != nil {
		return err
	}
	c := &comparison{options: o, text: name, together: o.sizeEngine(o.Options.Context)}
	defer c.close()
	if err := c.open(ctx, paths, string(text)); err != nil {
		return err
	}
	c.display = o.newDisplay(c.windows.count, "comparing")
	err = c.run(ctx)
	_ = c.display.bar.Clear()
	return errors.Join(c.report(), err)
}

// comparison is a comparison on its way.
type comparison struct {
	*options
	text     string
	together int
	models   []*compared // the first is the base
	windows  *windows
	display  *display
	done     int // chunks
}

// compared is one of the models.
type compared struct {
	path   string
	model  *engine.Model
	nll    score.Mean
	points score.Divergence // from the first
	took   time.Duration
}

// open opens the models. They must cut the text into the same tokens, or there is nothing to compare.
func (c *comparison) open(ctx context.Context, paths []string, text string) error {
	for _, path := range paths {
		c.Path = path
		m, err := c.openChecked(ctx)
		if err != nil {
			return err
		}
		c.models = append(c.models, &compared{path: path, model: m})
		w, err := cut(m, text, c.Options.Context, 0, c.chunks)
		if err != nil {
			return fmt.Errorf("%s: %s: %w", path, c.text, err)
		}
		if c.windows == nil {
			c.windows = w
		}
		base := c.models[0]
		if m.Vocab().Size() != base.model.Vocab().Size() || !slices.Equal(w.tokens, c.windows.tokens) || w.bos != c.windows.bos {
			return fmt.Errorf("%s and %s have different tokenizers: their perplexities cannot be compared", base.path, path)
		}
	}
	return nil
}

func (c *comparison) close() {
	for _, m := range c.models {
		m.model.Close()
	}
}

func (c *comparison) run(ctx context.Context) error {
	vocab := c.models[0].model.Vocab().Size()
	n := c.windows.rows()
	rows := make([]byte, c.together*n*logprobs.RowBytes(vocab))
	for from := 0; from < c.windows.count; from += c.together {
		to := min(from+c.together, c.windows.count)
		if err := c.group(ctx, from, to, vocab, rows); err != nil {
			return err
		}
		c.done = to
		last := c.models[len(c.models)-1]
		if err := c.display.advance(to-from, fmt.Sprintf("comparing %d models, KLD of the last %.5f", len(c.models), last.points.KLD().Value)); err != nil {
			return err
		}
	}
	return nil
}

// group takes chunks [from, to) through all models, and counts them when all are done.
func (c *comparison) group(ctx context.Context, from, to, vocab int, rows []byte) error {
	n, size := c.windows.rows(), logprobs.RowBytes(vocab)
	base := make([]float64, (to-from)*n)
	points := make([][]score.Point, len(c.models))
	for i, m := range c.models {
		begin := time.Now()
		var err error
		if i == 0 {
			err = c.windows.visit(ctx, m.model, from, to, func(chunk, i int, row score.Row, next engine.Token) (err error) {
				at := (chunk-from)*n + i
				logprobs.Row(rows[at*size:][:size]).Encode(row.Logits, row.Logits[row.Top], row.LogSum)
				base[at], err = row.NLL(next)
				return err
			})
		} else {
			points[i], err = compare(ctx, c.windows, m.model, from, to, vocab, rows)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", m.path, err)
		}
		m.took += time.Since(begin)
	}
	for i, m := range c.models {
		m.take(base, points[i])
	}
	return nil
}

// take counts scored positions; points are none for the base itself.
func (m *compared) take(base []float64, points []score.Point) {
	for i, nll := range base {
		if points != nil {
			p := points[i]
			p.Base, nll = nll, p.NLL // exact, not from the codes
			m.points.Add(p)
		}
		m.nll.Add(nll)
	}
}
