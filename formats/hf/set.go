package hf

import (
	"context"
	"io"

	"github.com/llamakit/llamakit/formats/gguf"
)

// WriteSet is Write into several files, of which each takes the next so many of the tensors, as llama.cpp's programs read them:
// the first has the metadata. They appear together. It panics if the counts are not those of all tensors.
func (c *Conversion) WriteSet(ctx context.Context, paths []string, counts []int, progress func(bytes int)) error {
	var set gguf.Set
	defer set.Abort()
	s := &stream{c: c, wrote: func(n int) error {
		if progress != nil {
			progress(n)
		}
		return ctx.Err()
	}}
	done := 0
	for no, path := range paths {
		if err := c.folder.refuseInput(path); err != nil {
			return err
		}
		end := done + counts[no]
		err := set.Add(path, c.metadataOf(no, len(paths)), c.Tensors[done:end], func(w io.Writer) error {
			s.w = w
			for ; done < end; done++ {
				if err := s.tensor(&c.planned[done], c.Tensors[done].Type); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	s.odd.note(c, "not finite numbers, and are written as they are")
	s.lost.note(c, "too large for f16 and became infinite; bf16 or f32 hold them")
	return set.Commit()
}

// metadataOf is that of one of so many files.
func (c *Conversion) metadataOf(no, count int) *gguf.Metadata {
	if count == 1 {
		return c.Metadata
	}
	md := gguf.NewMetadata()
	if no == 0 {
		md = c.Metadata.Clone()
	}
	md.Set("split.no", gguf.Uint16(uint16(no)))
	md.Set("split.tensors.count", gguf.Int32(int32(len(c.Tensors))))
	md.Set("split.count", gguf.Uint16(uint16(count)))
	return md
}
