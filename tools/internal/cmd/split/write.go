package split

import (
	"context"

	"github.com/llamakit/llamakit/formats/gguf"
)

// block is how much is copied at a time: a tensor of gigabytes can be interrupted, and its progress shows.
const block = 4 << 20

// write makes the files. They get their names when all are complete, so that an interrupted set leaves nothing.
func write(ctx context.Context, model *gguf.File, shards []shard, progress func(int)) error {
	var files []*gguf.FileWriter
	defer func() {
		for _, f := range files {
			f.Abort()
		}
	}()
	for i := range shards {
		f, err := gguf.Create(shards[i].path, shards[i].metadata, shards[i].infos())
		if err != nil {
			return err
		}
		files = append(files, f)
		for _, t := range shards[i].tensors {
			if err := copyTensor(ctx, f, model.Bytes(t), progress); err != nil {
				return err
			}
		}
		if err := f.Seal(); err != nil {
			return err
		}
	}
	for _, f := range files {
		if err := f.Commit(); err != nil {
			return err
		}
	}
	return nil
}

func copyTensor(ctx context.Context, f *gguf.FileWriter, data []byte, progress func(int)) error {
	for len(data) > 0 {
		if err := ctx.Err(); err != nil {
			return err
		}
		n := min(block, len(data))
		if _, err := f.Write(data[:n]); err != nil {
			return err
		}
		progress(n)
		data = data[n:]
	}
	return nil
}
