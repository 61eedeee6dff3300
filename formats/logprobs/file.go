package logprobs

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
)

// ErrCorrupt is in the errors of files that are not what they should be.
var ErrCorrupt = errors.New("corrupt file of log-probabilities")

const (
	magic      = "_logits_"
	headBytes  = len(magic) + 3*4
	maxContext = 1 << 24
	maxVocab   = 1 << 24
)

// Header says what a file holds.
type Header struct {
	Context int     // tokens of a chunk
	Vocab   int     // tokens of the vocabulary
	Chunks  int     // chunks of the text
	Tokens  []int32 // the text: Context × Chunks
}

// First is the first scored position of a chunk.
func (h *Header) First() int { return h.Context / 2 }

// Rows is the number of scored positions of a chunk: the last token's successor is not known.
func (h *Header) Rows() int { return h.Context - 1 - h.First() }

// ChunkBytes is the size of a chunk's rows.
func (h *Header) ChunkBytes() int { return h.Rows() * RowBytes(h.Vocab) }

// Row cuts row i out of a chunk's rows.
func (h *Header) Row(rows []byte, i int) Row {
	n := RowBytes(h.Vocab)
	return rows[i*n : (i+1)*n]
}

// Chunk returns the tokens of chunk i.
func (h *Header) Chunk(i int) []int32 { return h.Tokens[i*h.Context : (i+1)*h.Context] }

// File is an open file.
type File struct {
	Header
	Whole int // chunks whose rows are there; fewer than Chunks in a file that was cut short

	name   string
	data   io.ReaderAt
	closer io.Closer
	rows   int64 // where they begin
}

// Open reads the header of a file. One that was cut short within its rows can be opened.
func Open(path string) (*File, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err != nil {
		f.Close()
		return nil, err
	}
	file, err := parse(path, f, info.Size())
	if err != nil {
		f.Close()
		return nil, err
	}
	file.closer = f
	return file, nil
}

// Close closes the file.
func (f *File) Close() error { return f.closer.Close() }

// parse reads the header; every size is compared with that of the file before it is believed.
func parse(name string, data io.ReaderAt, size int64) (*File, error) {
	f := &File{name: name, data: data}
	var head [headBytes]byte
	if _, err := data.ReadAt(head[:], 0); err != nil || string(head[:len(magic)]) != magic {
		return nil, f.corrupt("does not begin with %q and a header", magic)
	}
	number := func(i int) int64 { return int64(binary.LittleEndian.Uint32(head[len(magic)+4*i:])) }
	context, vocab, chunks := number(0), number(1), number(2)
	switch {
	case context < 3 || context > maxContext:
		return nil, f.corrupt("context of %d tokens", context)
	case vocab < 1 || vocab > maxVocab:
		return nil, f.corrupt("vocabulary of %d tokens", vocab)
	case chunks < 1 || 4*context*chunks > size-int64(headBytes):
		return nil, f.corrupt("%d chunks of %d tokens do not fit into %d bytes", chunks, context, size)
	}
	f.Context, f.Vocab, f.Chunks = int(context), int(vocab), int(chunks)
	f.rows = int64(headBytes) + 4*context*chunks
	f.Whole = int(min(chunks, (size-f.rows)/int64(f.ChunkBytes())))
	return f, f.readTokens()
}

func (f *File) readTokens() error {
	raw := make([]byte, 4*f.Context*f.Chunks)
	if _, err := f.data.ReadAt(raw, int64(headBytes)); err != nil {
		return f.corrupt("tokens: %v", err)
	}
	f.Tokens = make([]int32, f.Context*f.Chunks)
	for i := range f.Tokens {
		t := binary.LittleEndian.Uint32(raw[4*i:])
		if t >= uint32(f.Vocab) {
			return f.corrupt("token %d is %d of a vocabulary of %d", i, int32(t), f.Vocab)
		}
		f.Tokens[i] = int32(t)
	}
	return nil
}

// ReadChunk reads the rows of chunk i into buf, of ChunkBytes bytes.
func (f *File) ReadChunk(i int, buf []byte) error {
	if i < 0 || i >= f.Whole {
		return f.corrupt("the rows of chunk %d are not in the file, which was cut short", i+1)
	}
	if _, err := f.data.ReadAt(buf, f.rows+int64(i)*int64(len(buf))); err != nil {
		return fmt.Errorf("%s: chunk %d: %w", f.name, i+1, err)
	}
	for n := range f.Rows() {
		if !f.Row(buf, n).valid() {
			return f.corrupt("row %d of chunk %d has no log-probabilities", n+1, i+1)
		}
	}
	return nil
}

func (f *File) corrupt(format string, args ...any) error {
	return fmt.Errorf("%s: %w: %s", f.name, ErrCorrupt, fmt.Sprintf(format, args...))
}
