// Archs prints how many lines each architecture takes: the files of engine/arch that register one, shortest first, and what
// they share.
//
//	go run ./bench/archs
package main

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"text/tabwriter"
)

// file is one source file.
type file struct {
	name  string
	lines int
	archs []string // that it registers
}

var registered = regexp.MustCompile(`register\("([^"]+)"`)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "archs:", err)
		os.Exit(1)
	}
}

func run() error {
	paths, err := filepath.Glob("engine/arch/*.go")
	if err != nil || len(paths) == 0 {
		return fmt.Errorf("engine/arch is not here: run it in the repository's root")
	}
	shared, err := filepath.Glob("engine/arch/blocks/*.go")
	if err != nil {
		return err
	}
	var files []file
	common, archs, lines := 0, 0, 0
	for _, path := range append(paths, shared...) {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		f, err := read(path)
		if err != nil {
			return err
		}
		if len(f.archs) == 0 {
			common += f.lines
			continue
		}
		files = append(files, f)
		archs, lines = archs+len(f.archs), lines+f.lines
	}
	slices.SortFunc(files, func(a, b file) int { return cmp.Or(cmp.Compare(a.lines, b.lines), cmp.Compare(a.name, b.name)) })
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	for _, f := range files {
		fmt.Fprintf(w, "%d\t%s\t%s\n", f.lines, f.name, strings.Join(f.archs, " "))
	}
	if err := w.Flush(); err != nil {
		return err
	}
	_, err = fmt.Printf("%d architectures in %d files of %d lines, %d each; %d lines shared\n", archs, len(files), lines, lines/max(archs, 1), common)
	return err
}

func read(path string) (file, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return file{}, err
	}
	f := file{name: filepath.Base(path), lines: strings.Count(string(text), "\n")}
	for _, m := range registered.FindAllSubmatch(text, -1) {
		f.archs = append(f.archs, string(m[1]))
	}
	return f, nil
}
