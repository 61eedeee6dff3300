package gguf

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/llamakit/llamakit/formats/gguf"
	"github.com/llamakit/llamakit/tools/internal/outfile"
	"github.com/llamakit/llamakit/tools/internal/progress"
)

// save brings the change to disk: in place where one write does it that nothing can cut in two, else as a new file that
// takes the name of the old one when it is complete.
func (e *edit) save(ctx context.Context) error {
	paths, shards, how := e.f.Paths(), []int{e.shard}, "the file was written anew"
	if e.output != "" {
		how = "written to a new file"
		paths = outfile.Paths(e.output, len(paths))
		if err := outfile.Check(e.f, paths...); err != nil {
			return err
		}
		shards = make([]int, len(paths))
		for i := range shards {
			shards[i] = i
		}
	} else {
		done, err := e.f.Patch(e.shard, e.md, e.shardNames(e.shard))
		if err != nil {
			return err
		}
		if done {
			return e.report("in place", paths)
		}
		if err := checkWritable(paths[e.shard]); err != nil {
			return err
		}
	}
	if err := e.write(ctx, shards, paths); err != nil {
		return err
	}
	return e.report(how, paths)
}

func (e *edit) report(how string, paths []string) error {
	fmt.Fprintf(e.err, "%s (%s)\n", strings.Join(e.said, "; "), how)
	_, err := fmt.Fprintln(e.out, paths[0])
	return err
}

// checkWritable keeps a file that is marked read-only from being replaced.
func checkWritable(path string) error {
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	return f.Close()
}

func (e *edit) shardNames(shard int) (names []string) {
	for i := range e.f.Tensors {
		if e.f.Tensors[i].Shard == shard {
			names = append(names, e.names[i])
		}
	}
	return names
}

// write makes new files of shards. They get their names together, when all are complete.
func (e *edit) write(ctx context.Context, shards []int, paths []string) (err error) {
	var set gguf.Set
	total := int64(0)
	for _, i := range shards {
		total += e.f.Sizes()[i]
	}
	bar := progress.Bytes(e.err, total, "writing")
	defer func() {
		_ = bar.Clear()
		err = errors.Join(err, set.Abort())
	}()
	for _, i := range shards {
		err := set.Add(paths[i], e.shardKeys(i), e.infos(i), func(w io.Writer) error {
			return e.fill(ctx, w, i, func(n int) { _ = bar.Add(n) })
		})
		if err != nil {
			return err
		}
	}
	if err := e.f.Close(); err != nil { // Windows replaces no file that is mapped
		return err
	}
	return set.Commit()
}

func (e *edit) shardKeys(shard int) *gguf.Metadata {
	if shard == e.shard {
		return e.md
	}
	return e.f.ShardMetadata(shard)
}

func (e *edit) infos(shard int) (infos []gguf.TensorInfo) {
	for i := range e.f.Tensors {
		if t := &e.f.Tensors[i]; t.Shard == shard {
			info := t.Info()
			info.Name = e.names[i]
			infos = append(infos, info)
		}
	}
	return infos
}

// fill copies the data of a shard's tensors.
func (e *edit) fill(ctx context.Context, w io.Writer, shard int, progress func(int)) error {
	for i := range e.f.Tensors {
		t := &e.f.Tensors[i]
		if t.Shard != shard {
			continue
		}
		for data := e.f.Bytes(t); len(data) > 0; {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			n := min(len(data), pieceBytes)
			if _, err := w.Write(data[:n]); err != nil {
				return err
			}
			progress(n)
			data = data[n:]
		}
	}
	return nil
}

// pieceBytes is how much is read or written between two looks at Ctrl-C.
const pieceBytes = 4 << 20
