// Quantspeed times llama-quantize beside another one, type by type, run after run in turn, and prints the ratios.
//
//	go run ./bench/randmodel -shape qwen3-0.6b -type f16 -o model.gguf
//	go run ./bench/quantspeed -m model.gguf -types Q4_K_M,IQ4_XS -vs 'path/to/llama-quantize'
//
// Types that need an importance matrix get one that is drawn at random. Both programs write beside the model. Besides the
// time by the clock it shows the processor time, which depends less on what else the machine does.
package main

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/llamakit/llamakit/formats/gguf"
	"github.com/llamakit/llamakit/formats/imatrix"
)

type bench struct {
	model   string
	vs      []string
	folder  string // of the model, as the other program sees it
	threads int
	matrix  bool
	runs    int
	ours    string
}

func main() {
	var b bench
	var types, vs string
	flag.StringVar(&b.model, "m", "", "model in F16 or F32")
	flag.StringVar(&types, "types", "Q4_K_M,Q8_0,Q6_K,Q5_K_M,Q3_K_M,Q2_K,Q4_0,IQ4_XS,IQ4_NL,IQ3_S", "file types")
	flag.StringVar(&vs, "vs", "", "command of the other llama-quantize")
	flag.StringVar(&b.folder, "vs-folder", "", "the model's folder as the other program sees it")
	flag.IntVar(&b.threads, "threads", 2, "threads of both")
	flag.IntVar(&b.runs, "runs", 10, "runs of each")
	flag.BoolVar(&b.matrix, "imatrix", false, "with an importance matrix")
	flag.Parse()
	b.vs = strings.Fields(vs)
	if b.folder == "" {
		b.folder = filepath.Dir(b.model)
	}
	if err := b.run(strings.Split(types, ",")); err != nil {
		fmt.Fprintln(os.Stderr, "quantspeed:", err)
		os.Exit(1)
	}
}

func (b *bench) run(types []string) error {
	if b.model == "" || len(b.vs) == 0 {
		return fmt.Errorf("-m and -vs are missing")
	}
	work, err := os.MkdirTemp(filepath.Dir(b.model), "quantspeed-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	b.ours = filepath.Join(work, "llama-quantize")
	if out, err := exec.Command("go", "build", "-o", b.ours, "./tools/quantize").CombinedOutput(); err != nil {
		return fmt.Errorf("go build: %w\n%s", err, out)
	}
	if b.matrix {
		if err := writeMatrix(filepath.Join(work, "matrix.gguf"), b.model); err != nil {
			return err
		}
	}
	fmt.Printf("| type | s | s, other | ratio | processor s | other | ratio |\n|---|---:|---:|---:|---:|---:|---:|\n")
	for _, typ := range types {
		if err := b.compare(work, typ); err != nil {
			return fmt.Errorf("%s: %w", typ, err)
		}
	}
	return nil
}

// cost is what one run took, in seconds.
type cost struct{ wall, processor float64 }

// compare prints the row of one type: medians.
func (b *bench) compare(work, typ string) error {
	var ours, others []cost
	for range b.runs {
		a, err := b.time([]string{b.ours}, filepath.Dir(b.model), work, typ)
		if err != nil {
			return err
		}
		o, err := b.time(b.vs, b.folder, filepath.Join(b.folder, filepath.Base(work)), typ)
		if err != nil {
			return err
		}
		ours, others = append(ours, a), append(others, o)
	}
	wall := func(c cost) float64 { return c.wall }
	processor := func(c cost) float64 { return c.processor }
	w, ow, p, op := median(ours, wall), median(others, wall), median(ours, processor), median(others, processor)
	fmt.Printf("| %s | %.2f | %.2f | %.2f | %.2f | %.2f | %.2f |\n", typ, w, ow, ow/w, p, op, op/p)
	return nil
}

// time runs one command; folder and work are where it sees the model and its output.
func (b *bench) time(command []string, folder, work, typ string) (cost, error) {
	args := slices.Clone(command[1:])
	if b.matrix {
		args = append(args, "--imatrix", filepath.Join(work, "matrix.gguf"))
	}
	args = append(args, filepath.Join(folder, filepath.Base(b.model)), filepath.Join(work, "out.gguf"), typ, strconv.Itoa(b.threads))
	c := exec.Command(command[0], args...)
	begin := time.Now()
	if out, err := c.CombinedOutput(); err != nil {
		return cost{}, fmt.Errorf("%s: %w\n%s", command[0], err, out)
	}
	wall := time.Since(begin)
	return cost{wall.Seconds(), (c.ProcessState.UserTime() + c.ProcessState.SystemTime()).Seconds()}, nil
}

func median(costs []cost, of func(cost) float64) float64 {
	var values []float64
	for _, c := range costs {
		values = append(values, of(c))
	}
	slices.Sort(values)
	return values[len(values)/2]
}

// writeMatrix draws an importance for every column of every matrix of a model.
func writeMatrix(path, model string) error {
	f, err := gguf.Open(model)
	if err != nil {
		return err
	}
	defer f.Close()
	m := imatrix.New()
	m.Datasets, m.Chunks, m.ChunkSize = []string{"random"}, 1, 512
	for i := range f.Tensors {
		t := &f.Tensors[i]
		if len(t.Shape) < 2 {
			continue
		}
		e := &imatrix.Entry{Squares: make([]float32, t.Dim(0)*t.Dim(2)), Counts: make([]float32, t.Dim(2))}
		for k := range e.Squares {
			e.Squares[k] = float32(1 + k*7919%101)
		}
		for k := range e.Counts {
			e.Counts[k] = 512
		}
		m.Entries[t.Name] = e
	}
	return m.Save(path)
}
