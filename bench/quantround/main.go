// Quantround takes a model through llama-quantize and another one, type by type, and has both programs load both files
// and continue a text, most likely token by token.
//
//	go run ./bench/quantround -m models/demo-f16.gguf -imatrix models/demo.imatrix -vs 'path/to/run' -vs-folder /models
//
// The command of -vs is completed by llama-quantize and llama-simple. A row says, for the file of each program, whether both
// continue the text alike ("same"), where they part ("at 12": after 12 bytes; a near tie can do that), or what went wrong. The exit code is 1 where a file does not load or generate, or where the programs choose different tensor types
// or refuse different requests.
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/llamakit/llamakit/formats/gguf"
)

const allTypes = "Q1_0,Q2_0,Q4_0,Q4_1,MXFP4_MOE,Q5_0,Q5_1,IQ2_XXS,IQ2_XS,IQ2_S,IQ2_M,IQ1_S,IQ1_M,TQ1_0,TQ2_0,Q2_K,Q2_K_S,IQ3_XXS,IQ3_S,IQ3_M," +
	"IQ3_XS,Q3_K_S,Q3_K_M,Q3_K_L,IQ4_NL,IQ4_XS,Q4_K_S,Q4_K_M,Q5_K_S,Q5_K_M,Q6_K,Q8_0,F16,BF16,F32,COPY"

// program is one of the two: commands that quantise and generate. folder is the model's as it sees it, work a folder in that.
type program struct {
	quantize, generate []string
	folder, work       string
}

type bench struct {
	model, matrix, prompt string
	tokens                string
	ours, other           program
	failed                bool
}

func main() {
	var b bench
	var types, vs, folder string
	flag.StringVar(&b.model, "m", "", "model in F16, BF16 or F32")
	flag.StringVar(&b.matrix, "imatrix", "", "importance matrix in the model's folder; every type is made without and with it")
	flag.StringVar(&b.prompt, "p", "Once there was a", "text to continue")
	flag.StringVar(&b.tokens, "n", "24", "tokens to generate")
	flag.StringVar(&types, "types", allTypes, "file types")
	flag.StringVar(&vs, "vs", "", "command that runs a tool of the other program")
	flag.StringVar(&folder, "vs-folder", "", "the model's folder as the other program sees it")
	flag.Parse()
	if err := b.run(strings.Split(types, ","), strings.Fields(vs), folder); err != nil {
		fmt.Fprintln(os.Stderr, "quantround:", err)
		os.Exit(1)
	}
}

func (b *bench) run(types, vs []string, folder string) error {
	if b.model == "" || len(vs) == 0 {
		return fmt.Errorf("-m and -vs are missing")
	}
	work, err := os.MkdirTemp(filepath.Dir(b.model), "quantround-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	if folder == "" {
		folder = filepath.Dir(b.model)
	}
	if out, err := exec.Command("go", "build", "-o", work, "./tools/llama").CombinedOutput(); err != nil {
		return fmt.Errorf("go build: %w\n%s", err, out)
	}
	llama := filepath.Join(work, "llama")
	b.ours = program{[]string{llama, "quantize"}, []string{llama, "chat", "-no-cnv", "--single-turn", "--temp", "0", "--display-prompt"}, filepath.Dir(b.model), work}
	b.other = program{append(slices.Clone(vs), "llama-quantize"), append(slices.Clone(vs), "llama-simple"), folder, filepath.Join(folder, filepath.Base(work))}
	fmt.Println("| type | matrix | tensor types | our file | the other's |\n|---|---|---|---|---|")
	for _, typ := range types {
		b.row(work, typ, "")
		if b.matrix != "" {
			b.row(work, typ, filepath.Base(b.matrix))
		}
	}
	if b.failed {
		return errors.New("not all is well, see the table")
	}
	return nil
}

// row makes a type with both programs, and has both read both files.
func (b *bench) row(work, typ, matrix string) {
	errOurs := b.ours.make(b.model, "ours.gguf", typ, matrix)
	errOther := b.other.make(b.model, "other.gguf", typ, matrix)
	types, ours, other := "", "", ""
	switch {
	case errOurs != nil && errOther != nil:
		types = "both refuse"
	case errOurs != nil || errOther != nil:
		types, b.failed = fmt.Sprintf("ours: %v; the other: %v", errOurs, errOther), true
	default:
		types = b.compareTypes(filepath.Join(work, "ours.gguf"), filepath.Join(work, "other.gguf"))
		ours, other = b.compareTexts("ours.gguf"), b.compareTexts("other.gguf")
	}
	fmt.Printf("| %s | %s | %s | %s | %s |\n", typ, matrix, types, ours, other)
}

// make quantises the model to a file in the work folder.
func (p *program) make(model, out, typ, matrix string) error {
	var args []string
	if matrix != "" {
		args = append(args, "--imatrix", filepath.Join(p.folder, matrix))
	}
	args = append(args, filepath.Join(p.folder, filepath.Base(model)), filepath.Join(p.work, out), typ, "2")
	_, err := output(p.quantize, args...)
	return err
}

// text is the prompt and what the program generates from a file in the work folder.
func (p *program) text(file, prompt, tokens string) (string, error) {
	text, err := output(p.generate, "-m", filepath.Join(p.work, file), "-n", tokens, prompt)
	if err == nil && len(text) <= len(prompt) {
		err = errors.New("no text")
	}
	return text, err
}

// output runs a command without standard input; an error ends with the last line that it wrote.
func output(command []string, args ...string) (string, error) {
	c := exec.Command(command[0], append(slices.Clone(command[1:]), args...)...)
	text, err := c.Output()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		lines := strings.Split(strings.TrimSpace(string(exit.Stderr)), "\n")
		err = fmt.Errorf("%w: %s", err, lines[len(lines)-1])
	}
	return strings.TrimSpace(string(text)), err
}

// compareTypes reports whether two files have the same tensors in the same order and types.
func (b *bench) compareTypes(ours, other string) string {
	a, err := types(ours)
	if err == nil {
		var o []string
		if o, err = types(other); err == nil && slices.Equal(a, o) {
			return "same"
		}
	}
	b.failed = true
	if err != nil {
		return err.Error()
	}
	return "differ"
}

// types lists the tensors of a file, each with its type.
func types(path string) (list []string, err error) {
	f, err := gguf.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	for i := range f.Tensors {
		list = append(list, f.Tensors[i].Name+" "+f.Tensors[i].Type.String())
	}
	return list, nil
}

// compareTexts has both programs continue the text with the same file.
func (b *bench) compareTexts(file string) string {
	ours, err := b.ours.text(file, b.prompt, b.tokens)
	if err != nil {
		b.failed = true
		return fmt.Sprint("ours: ", err)
	}
	other, err := b.other.text(file, b.prompt, b.tokens)
	if err != nil {
		b.failed = true
		return fmt.Sprint("the other: ", err)
	}
	n := 0
	for n < min(len(ours), len(other)) && ours[n] == other[n] {
		n++
	}
	if n == len(ours) && n == len(other) {
		return "same"
	}
	return fmt.Sprintf("at %d", n-len(b.prompt))
}
