package imatrix

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/llamakit/llamakit/formats/gguf"
	"github.com/llamakit/llamakit/formats/imatrix"
	"github.com/llamakit/llamakit/tools/internal/score"
)

// unfinished is where the matrix is kept until it is finished: under its own name, or beside it where the format cannot
// hold what is needed to go on.
func (o *options) unfinished() string {
	if o.format == "dat" {
		return o.output + ".part"
	}
	return o.output
}

func (j *job) saveUnfinished() error {
	mean, squares := j.nll.State()
	j.matrix.Progress = &imatrix.Progress{Run: j.run, Next: j.next, Tokens: j.nll.N, Mean: mean, Squares: squares}
	defer func() { j.matrix.Progress = nil }()
	j.matrix.Describe()
	return j.matrix.Save(j.unfinished())
}

// resume takes up unfinished work, if there is some. Work of another run is an error: it would be lost.
func (j *job) resume() (bool, error) {
	path := j.unfinished()
	m, err := imatrix.Open(path)
	if err != nil || m.Progress == nil { // a finished matrix, or anything else, is replaced
		return false, nil
	}
	p := m.Progress
	if p.Run != j.run {
		return false, fmt.Errorf("%s is unfinished work of another run (other model, text, -c, --chunk, --process-output or --in-file): remove it, or give another -o", path)
	}
	if p.Next > j.text.chunks {
		return false, fmt.Errorf("%s holds %d chunks already, more than the %d that are wanted: give another -o, or more --chunks", path, p.Next, j.text.chunks)
	}
	fmt.Fprintf(j.stderr, "going on with %s after chunk %d\n", path, p.Next)
	j.matrix, j.next, j.nll = m, p.Next, score.Resume(p.Tokens, p.Mean, p.Squares)
	m.Progress = nil
	return true, nil
}

// fingerprint names what the matrix depends on, but for the number of chunks: it may grow from run to run.
func (j *job) fingerprint() (string, error) {
	h := sha256.New()
	model, err := gguf.Open(j.Path)
	if err != nil {
		return "", err
	}
	defer model.Close()
	for i := range model.Tensors { // a page of each tensor tells fine-tunings apart without reading all of it
		t := &model.Tensors[i]
		data := model.Bytes(t)
		fmt.Fprintln(h, t.Name, t.Type, t.Shape)
		h.Write(data[:min(len(data), 1024)])
	}
	fmt.Fprintln(h, j.text.size, j.text.bos, j.processOutput, len(j.inputs))
	if err := binary.Write(h, binary.LittleEndian, j.text.tokens); err != nil {
		return "", err
	}
	for _, path := range j.inputs {
		data, err := os.ReadFile(path)
		if err != nil {
			return "", err
		}
		sum := sha256.Sum256(data)
		h.Write(sum[:])
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// fewNotes is how many notes on the matrix are printed.
const fewNotes = 6

// finish writes the finished matrix and prints its path.
func (o *options) finish(m *imatrix.Matrix) error {
	notes := lacks(m)
	for _, note := range notes[:min(len(notes), fewNotes)] {
		fmt.Fprintln(o.stderr, "note:", gguf.Printable(note))
	}
	if more := len(notes) - fewNotes; more > 0 {
		fmt.Fprintf(o.stderr, "note: and so on, %d more: --show-statistics lists them\n", more)
	}
	if err := o.save(m, o.output); err != nil {
		return err
	}
	if o.format == "dat" {
		if err := os.Remove(o.unfinished()); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	_, err := fmt.Fprintln(o.stdout, o.output)
	return err
}
