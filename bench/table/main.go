// Table measures this engine beside llama.cpp on models of real shapes with random weights, and writes the table of
// docs/performance.md.
//
//	go run ./bench/table -peer /path/to/run -update docs/performance.md
//
// The peer is a command that is followed by the name of one of llama.cpp's tools and its arguments: env, for tools on the PATH, or a
// script. Where it sees files under another name than we do, -peer-models says under which. Models are made once and kept.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"regexp"
	"syscall"

	"github.com/llamakit/llamakit/bench/section"
)

// options are what the command line says.
type options struct {
	peer, peerAVX2     string
	models, peerModels string
	repetitions        int
	only               string
	update             string
	quick, list        bool
}

func main() {
	var o options
	flag.StringVar(&o.peer, "peer", "env", "command that runs a tool of llama.cpp")
	flag.StringVar(&o.peerAVX2, "peer-avx2", "", "the same with AVX2 only; without it these rows are left out")
	flag.StringVar(&o.models, "models", filepath.Join(os.TempDir(), "llamakit-models"), "folder of the models")
	flag.StringVar(&o.peerModels, "peer-models", "", "the folder's name for the peer (default: the same)")
	flag.IntVar(&o.repetitions, "r", 10, "repetitions")
	flag.StringVar(&o.only, "rows", "", "regular expression: only the rows whose name matches")
	flag.StringVar(&o.update, "update", "", "file whose table gets the rows (default: print them)")
	flag.BoolVar(&o.quick, "quick", false, "short tests, to see that every row works; the numbers mean nothing")
	flag.BoolVar(&o.list, "list", false, "print the commands and end")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := o.run(ctx, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "table:", err)
		os.Exit(1)
	}
}

func (o *options) run(ctx context.Context, operands []string) error {
	if len(operands) > 0 {
		return fmt.Errorf("%q: there is nothing but flags", operands[0])
	}
	only, err := regexp.Compile(o.only)
	if err != nil {
		return fmt.Errorf("-rows: %w", err)
	}
	if o.peerModels == "" {
		o.peerModels = o.models
	}
	if o.quick {
		o.repetitions = min(o.repetitions, 2)
	}
	var chosen []command
	for _, c := range commands() {
		if only.MatchString(c.title()) && !(c.avx2 && o.peerAVX2 == "" && !o.list) {
			chosen = append(chosen, c)
		}
	}
	if len(chosen) == 0 {
		return fmt.Errorf("-rows %q: no row has such a name; -list prints them all", o.only)
	}
	if o.list {
		for _, c := range chosen {
			fmt.Printf("%s: %s\n", c.title(), c.text(o))
		}
		return nil
	}
	if o.update != "" { // better known now than after the first row
		if err := section.Check(o.update, "table"); err != nil {
			return err
		}
	}
	dir, err := os.MkdirTemp("", "llamakit-table-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	t := &tester{options: o, binary: filepath.Join(dir, "llama-bench")}
	return t.run(ctx, chosen)
}
