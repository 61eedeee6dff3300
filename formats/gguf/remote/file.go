package remote

import (
	"fmt"
	"io"
	"net/url"
	"sync"
)

const (
	chunkSize = 256 << 10
	maxFetch  = 64  // chunks in one request
	maxChunks = 128 // kept
)

// file is a file on a server. It reads whole chunks and keeps them, so that small reads beside one another cost one
// request. It is a gguf.Source; its methods may be called from several goroutines.
type file struct {
	client *client
	name   string
	url    *url.URL
	size   int64
	etag   string

	mu     sync.Mutex
	chunks map[int64][]byte // by number; the last one may be short
}

// open learns the size of a file, and its first chunk.
func (c *client) open(name string, u *url.URL) (*file, error) {
	f := &file{client: c, name: name, url: u, chunks: map[int64][]byte{}}
	s, err := c.get(u, 0, chunkSize)
	if err != nil {
		return nil, f.wrap(err)
	}
	f.size, f.etag = s.size, s.etag
	f.keep(0, s.data)
	return f, nil
}

func (f *file) wrap(err error) error { return fmt.Errorf("%s: %w", f.name, err) }

// Size returns the bytes of the file.
func (f *file) Size() int64 { return f.size }

// Close forgets what was read.
func (f *file) Close() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	clear(f.chunks)
	return nil
}

// ReadAt reads what is not kept in requests of up to 16 MiB.
func (f *file) ReadAt(p []byte, off int64) (int, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	done := 0
	for done < len(p) && off < f.size {
		chunk, err := f.chunk(off/chunkSize, (min(off+int64(len(p)-done), f.size)-1)/chunkSize)
		if err != nil {
			return done, err
		}
		n := copy(p[done:], chunk[off%chunkSize:])
		done, off = done+n, off+int64(n)
	}
	if done < len(p) {
		return done, io.EOF
	}
	return done, nil
}

// chunk returns chunk no. Where it must be fetched, those after it are too, up to last.
func (f *file) chunk(no, last int64) ([]byte, error) {
	if b, ok := f.chunks[no]; ok {
		return b, nil
	}
	end := no + 1
	for end <= last && end < no+maxFetch && f.chunks[end] == nil {
		end++
	}
	s, err := f.client.get(f.url, no*chunkSize, (end-no)*chunkSize)
	switch {
	case err != nil:
		return nil, err
	case s.size != f.size || s.etag != f.etag:
		return nil, fmt.Errorf("%w while it was read (start again)", ErrChanged)
	}
	f.keep(no, s.data)
	return f.chunks[no], nil
}

// keep cuts data into chunks from no on. Without room it forgets all others.
func (f *file) keep(no int64, data []byte) {
	if len(f.chunks)+len(data)/chunkSize > maxChunks {
		clear(f.chunks)
	}
	for ; len(data) > 0; no++ {
		n := min(chunkSize, len(data))
		f.chunks[no], data = data[:n:n], data[n:]
	}
}
