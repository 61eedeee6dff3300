package remote

import (
	"context"
	"fmt"
	"io"
	"os"
)

// piece is how much of a file one request of Download asks for.
const piece = 8 << 20

// Download writes the file at an address to w, a piece at a time, whatever kind of file it is. progress is told how many bytes are
// written and how many there are; it may be nil. A file that the server does not have is gguf.ErrNotFound.
func Download(ctx context.Context, address string, w io.Writer, progress func(done, size int64)) error {
	hub, err := endpoint()
	if err != nil {
		return err
	}
	u, err := resolve(address, hub)
	if err != nil {
		return err
	}
	c, etag := newClient(ctx, hub, os.Getenv("HF_TOKEN")), ""
	for done, size := int64(0), int64(1); done < size; {
		s, err := c.get(u, done, piece)
		switch {
		case err != nil:
			return fmt.Errorf("%s: %w", plain(address), err)
		case done > 0 && (s.etag != etag || s.size != size):
			return fmt.Errorf("%s: %w", plain(address), ErrChanged)
		}
		if _, err := w.Write(s.data); err != nil {
			return err
		}
		etag, size = s.etag, s.size
		done += int64(len(s.data))
		if progress != nil {
			progress(done, size)
		}
	}
	return nil
}
