package gguf

import (
	"io"
	"slices"

	"github.com/llamakit/llamakit/formats/internal/fault"
)

// Writer writes a file to a stream: the header at once, then the data of each tensor in the order in which they were
// announced, each whole with WriteTensor or in pieces with Write. The same input gives the same bytes.
type Writer struct {
	w       io.Writer
	file    string // for errors
	layout  *layout
	tensors []TensorInfo
	zeros   []byte

	next int   // tensor that is being written; len(tensors) when all are done
	done int64 // bytes of it that were written
	err  error // the first error; nothing is written after it
}

// NewWriter writes the header of a file of version 3 to w. The keys are md's, in its order; key general.alignment sets
// the alignment, else it is 32. What [Open] would refuse is an error before anything is written.
func NewWriter(w io.Writer, md *Metadata, tensors []TensorInfo) (*Writer, error) {
	l, err := plan(md, tensors)
	if err != nil {
		return nil, err
	}
	return startWriter(w, "", l, tensors)
}

func startWriter(w io.Writer, file string, l *layout, tensors []TensorInfo) (*Writer, error) {
	wr := &Writer{w: w, file: file, layout: l, tensors: slices.Clone(tensors), zeros: make([]byte, l.alignment)}
	wr.write(l.header)
	l.header = nil
	return wr, wr.err
}

// WriteTensor writes the whole data of the next tensor.
func (w *Writer) WriteTensor(data []byte) error {
	if len(data) > 0 {
		w.skipEmpty()
	}
	if w.err == nil && w.next < len(w.tensors) && (w.done > 0 || int64(len(data)) != w.layout.sizes[w.next]) {
		w.fail("%d bytes given where %d of %d are left", len(data), w.layout.sizes[w.next]-w.done, w.layout.sizes[w.next])
	}
	if len(data) == 0 && w.err == nil && w.next < len(w.tensors) {
		w.next++
		return nil
	}
	_, err := w.Write(data)
	return err
}

// Write writes a piece of the data of the next tensor. A piece may not reach into the tensor after it. Tensors without
// data need no call.
func (w *Writer) Write(piece []byte) (int, error) {
	w.skipEmpty()
	switch {
	case w.err != nil:
		return 0, w.err
	case len(piece) == 0:
		return 0, nil
	case w.next == len(w.tensors):
		w.err = fault.In(ErrCorrupt, w.file, "%d bytes given after the data of all %d tensors", len(piece), len(w.tensors))
		return 0, w.err
	case int64(len(piece)) > w.layout.sizes[w.next]-w.done:
		w.fail("%d bytes given where %d of %d are left", len(piece), w.layout.sizes[w.next]-w.done, w.layout.sizes[w.next])
		return 0, w.err
	}
	n := w.write(piece)
	w.done += int64(n)
	w.finishTensor()
	return n, w.err
}

// finishTensor pads a tensor whose data is complete and goes on to the next one.
func (w *Writer) finishTensor() {
	if w.err != nil || w.done < w.layout.sizes[w.next] {
		return
	}
	w.write(w.zeros[:w.layout.padding(w.done)])
	w.next, w.done = w.next+1, 0
}

// skipEmpty steps over tensors that have no data.
func (w *Writer) skipEmpty() {
	for w.next < len(w.tensors) && w.layout.sizes[w.next] == 0 {
		w.next++
	}
}

// Close checks that all data was written. It does not close the stream.
func (w *Writer) Close() error {
	w.skipEmpty()
	if w.err == nil && w.next < len(w.tensors) {
		w.fail("%d of %d bytes were written", w.done, w.layout.sizes[w.next])
	}
	return w.err
}

func (w *Writer) write(b []byte) int {
	if w.err != nil || len(b) == 0 {
		return 0
	}
	n, err := w.w.Write(b)
	if err != nil {
		w.err = fault.OS(nil, w.file, err)
	}
	return n
}

// fail keeps an error about the tensor that is being written.
func (w *Writer) fail(format string, args ...any) {
	args = append([]any{quote(w.tensors[w.next].Name)}, args...)
	w.err = fault.In(ErrCorrupt, w.file, "tensor %s: "+format, args...)
}
