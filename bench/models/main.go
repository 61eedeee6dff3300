// Models prints docs/models.md: every architecture, the classes of the transformers library that llama-convert makes it of, and
// how both were checked.
//
//	go run ./bench/models > docs/models.md
package main

import (
	_ "embed"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/llamakit/llamakit/engine/arch"
	"github.com/llamakit/llamakit/formats/hf"
)

// recorded lists the architectures whose logits llama.cpp recorded for engine/arch's test.
//
//go:embed recorded.txt
var recorded string

func main() {
	if err := write(os.Stdout, "."); err != nil {
		fmt.Fprintln(os.Stderr, "models:", err)
		os.Exit(1)
	}
}

const intro = `# Architectures

Made by ` + "`go run ./bench/models > docs/models.md`" + `.

- **logits**: "recorded" where a random model's logits agree with those that llama.cpp recorded (engine/arch, TestGolden); "+ N" where
  N copies of it with other hyper-parameters do too (TestCopies and its kin).
- **converter**: "round trip" where a model of llama.cpp's goes to a Hugging Face checkpoint and back with the name, shape and bytes of every
  tensor (formats/hf, TestRoundTripArchs); "names" where the rules were only read against the format; "none" where no folder becomes one, and why.

| architecture | logits | converter | model classes |
|---|---|---|---|
`

// write prints the page; root is the repository's.
func write(w io.Writer, root string) error {
	copies, err := countCopies(root)
	if err != nil {
		return err
	}
	made := map[string]hf.Architecture{}
	for _, a := range hf.Architectures() {
		made[a.Name] = a
	}
	logits := strings.Fields(recorded)
	var b strings.Builder
	b.WriteString(intro)
	for _, name := range arch.Names() {
		a := made[name]
		fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", name, logitsOf(slices.Contains(logits, name), copies[name]), converterOf(a), strings.Join(a.Classes, ", ")+a.Why)
	}
	_, err = io.WriteString(w, b.String())
	return err
}

func logitsOf(recorded bool, copies int) string {
	switch {
	case !recorded && copies == 0:
		return "own tests"
	case copies > 0:
		return fmt.Sprintf("recorded + %d", copies)
	}
	return "recorded"
}

func converterOf(a hf.Architecture) string {
	switch {
	case len(a.Classes) == 0:
		return "none"
	case a.RoundTrip:
		return "round trip"
	}
	return "names"
}

// copyOf is an entry of the tables of changed models in engine/arch's tests; a model is named after its architecture, and what
// its layers have.
var copyOf = regexp.MustCompile(`\bfile:\s*"(.+?)-(?:dense|moe)"`)

// countCopies counts the changed models of each architecture.
func countCopies(root string) (map[string]int, error) {
	paths, err := filepath.Glob(filepath.Join(root, "engine", "arch", "*copies*_test.go"))
	if err != nil || len(paths) == 0 {
		return nil, fmt.Errorf("engine/arch is not here: run it in the repository's root")
	}
	out := map[string]int{}
	for _, path := range paths {
		data, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		for _, m := range copyOf.FindAllStringSubmatch(string(data), -1) {
			out[m[1]]++
		}
	}
	return out, nil
}
