// Archcompare compares the logits of every model of a folder with another program's, as the models are and quantised.
//
//	go run ./bench/archcompare -models models/archs -vs 'path/to/run' -vs-folder /models/archs -types F32,Q8_0,Q4_K_M
//
// The command of -vs is completed by llama-quantize and its arguments, or by golden MODEL logits FILE TOKENS, which writes a row of float32
// for each token. A line has normalised squared errors: between the two programs, and of each from what the weights of its file
// give without rounding activations, as float32 weights here; "ratio" is ours by the other's. The tokens are drawn at random.
package main

import (
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/llamakit/llamakit/formats/gguf"
)

type bench struct {
	models string
	vs     []string
	folder string // of the models, as the other program sees it
	work   string // a folder in that of the models
	tokens int
	seed   uint64
	failed bool
}

func main() {
	var b bench
	var types, vs, only string
	flag.StringVar(&b.models, "models", "", "folder of models")
	flag.StringVar(&vs, "vs", "", "command that runs a tool of the other program")
	flag.StringVar(&b.folder, "vs-folder", "", "the folder as the other program sees it")
	flag.StringVar(&types, "types", "F32,Q8_0,Q4_K_M", "file types; F32 takes the models as they are")
	flag.StringVar(&only, "only", "", "names of models, as a regular expression")
	flag.IntVar(&b.tokens, "tokens", 40, "tokens of the prompt")
	flag.Uint64Var(&b.seed, "seed", 1, "seed of the tokens")
	flag.Parse()
	b.vs = strings.Fields(vs)
	if err := b.run(strings.Split(types, ","), only); err != nil {
		fmt.Fprintln(os.Stderr, "archcompare:", err)
		os.Exit(1)
	}
}

func (b *bench) run(types []string, only string) error {
	match, err := regexp.Compile(only)
	if err != nil {
		return err
	}
	models, err := filepath.Glob(filepath.Join(b.models, "*.gguf"))
	if err != nil || b.models == "" || len(models) == 0 || len(b.vs) == 0 {
		return errors.New("-models with GGUF files and -vs are needed")
	}
	if b.folder == "" {
		b.folder = b.models
	}
	if b.work, err = os.MkdirTemp(b.models, "archcompare-"); err != nil {
		return err
	}
	defer os.RemoveAll(b.work)
	fmt.Println("| model | type | ours to other | ours to exact | other to exact | ratio |\n|---|---|---:|---:|---:|---:|")
	for _, path := range models {
		for _, typ := range types {
			if match.MatchString(filepath.Base(path)) {
				b.row(path, typ)
			}
		}
	}
	if b.failed {
		return errors.New("not all is well, see the table")
	}
	return nil
}

// row prints the line of a model in one type.
func (b *bench) row(path, typ string) {
	name := strings.TrimSuffix(filepath.Base(path), ".gguf")
	e, err := b.compare(filepath.Base(path), typ)
	switch {
	case err != nil:
		b.failed = true
		fmt.Printf("| %s | %s | %v | | | |\n", name, typ, err)
	case typ == "F32":
		fmt.Printf("| %s | %s | %.2g | | | |\n", name, typ, e.between)
	default:
		fmt.Printf("| %s | %s | %.2g | %.2g | %.2g | %.2f |\n", name, typ, e.between, e.ours, e.other, e.ours/e.other)
	}
}

// errs are normalised squared errors.
type errs struct{ between, ours, other float64 }

func (b *bench) compare(file, typ string) (e errs, err error) {
	inside := filepath.Join(b.folder, file)
	if typ != "F32" {
		made := filepath.Join(filepath.Base(b.work), "quantised.gguf")
		if err := b.other("llama-quantize", inside, filepath.Join(b.folder, made), typ); err != nil {
			return e, err
		}
		file, inside = made, filepath.Join(b.folder, made)
	}
	f, err := gguf.Open(filepath.Join(b.models, file))
	if err != nil {
		return e, err
	}
	defer f.Close()
	tokens := b.prompt(f)
	ours, err := logits(f, tokens)
	if err != nil {
		return e, err
	}
	other, err := b.otherLogits(inside, tokens)
	if err != nil {
		return e, err
	}
	if e.between = nmse(ours, other); typ == "F32" {
		return e, nil
	}
	exact, err := b.exact(f, tokens)
	e.ours, e.other = nmse(ours, exact), nmse(other, exact)
	return e, err
}

// prompt draws tokens of the model's vocabulary.
func (b *bench) prompt(f *gguf.File) []int32 {
	words := 0
	if v, ok := f.Metadata.Get("tokenizer.ggml.tokens"); ok {
		words = v.Len()
	}
	if t, ok := f.Tensor("token_embd.weight"); words == 0 && ok {
		words = t.Dim(1)
	}
	r := rand.New(rand.NewPCG(b.seed, 0))
	tokens := make([]int32, b.tokens)
	for i := range tokens {
		tokens[i] = int32(r.IntN(max(1, words)))
	}
	return tokens
}

// other runs a tool of the other program; an error ends with the last line that it wrote.
func (b *bench) other(args ...string) error {
	out, err := exec.Command(b.vs[0], append(b.vs[1:len(b.vs):len(b.vs)], args...)...).CombinedOutput()
	if err != nil {
		lines := strings.Split(strings.TrimSpace(string(out)), "\n")
		return fmt.Errorf("%s: %w: %s", args[0], err, lines[len(lines)-1])
	}
	return nil
}
