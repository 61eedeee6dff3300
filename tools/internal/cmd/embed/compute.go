package embed

import (
	"bufio"
	"context"
	"errors"
	"io"

	"github.com/llamakit/llamakit/engine"
	"github.com/llamakit/llamakit/tools/internal/outfile"
	"github.com/llamakit/llamakit/tools/internal/progress"
)

// atOnce is how many texts are handed to the engine together.
const atOnce = 256

// embed computes the vectors of all inputs and hands them to f in order.
func (o *options) embed(ctx context.Context, m *engine.Model, inputs []input, f formatter) error {
	bytes := 0
	for _, in := range inputs {
		bytes += len(in.text)
	}
	bar := progress.Bytes(o.stderr, int64(bytes), "embedding")
	defer bar.Clear()
	for from := 0; from < len(inputs); from += atOnce {
		part := inputs[from:min(from+atOnce, len(inputs))]
		tokens := make([][]engine.Token, len(part))
		for i := range part {
			tokens[i] = part[i].tokens
		}
		all, err := m.PoolAll(ctx, tokens, m.Pooling())
		if err != nil {
			return err
		}
		for i, vectors := range all {
			for _, v := range vectors {
				if m.Pooling() != engine.PoolingRank {
					engine.Normalize(v, o.normalize)
				}
				if err := f.vector(part[i].text, v); err != nil {
					return err
				}
			}
			_ = bar.Add(len(part[i].text))
		}
	}
	return f.end()
}

// write hands f standard output or the file of -o, which appears when it is complete.
func (o *options) write(f func(w io.Writer) error) error {
	if o.output == "" {
		w := bufio.NewWriter(o.stdout)
		return errors.Join(f(w), w.Flush())
	}
	return outfile.Write(o.output, []string{o.Path, o.file}, f)
}
