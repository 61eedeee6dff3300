package split

import (
	"context"
	"io"

	"github.com/llamakit/llamakit/formats/gguf"
)

// block is how much is copied at a time: a tensor of gigabytes can be interrupted, and its progress shows.
const block = 4 << 20

// write makes the files. They get their names when all are complete, so that an interrupted set leaves nothing.
func write(ctx context.Context, model *gguf.File, shards []shard, progress func(int)) error {
	var set gguf.Set
	defer set.Abort()
	for _, s := range shards {
		err := set.Add(s.path, s.metadata, s.infos(), func(w io.Writer) error {
			for _, t := range s.tensors {
				if err := copyTensor(ctx, w, model.Bytes(t), progress); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return set.Commit()
}

func copyTensor(ctx context.Context, w io.Writer, data []byte, progress func(int)) error {
	for len(data) > 0 {
		if err := ctx.Err(); err != nil {
			return err
		}
		n := min(block, len(data))
		if _, err := w.Write(data[:n]); err != nil {
			return err
		}
		progress(n)
		data = data[n:]
	}
	return nil
}
