// Randmodel writes a GGUF model of a real shape with random weights, so that speed can be measured without a download.
//
//	go run ./bench/randmodel -shape qwen3-0.6b -type q4_k_m -o model.gguf
package main

import (
	"flag"
	"fmt"
	"os"
	"strings"

	"github.com/llamakit/llamakit/bench/model"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "randmodel:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	fs := flag.NewFlagSet("randmodel", flag.ExitOnError)
	name := fs.String("shape", "qwen3-0.6b", "one of "+strings.Join(model.Names(), " "))
	typ := fs.String("type", "f16", "type of the file as llama-quantize knows it (q4_k_m), or of all matrices (q4_k)")
	pure := fs.Bool("pure", false, "the same type for all matrices, also in a file type that is a mixture")
	layers := fs.Int("layers", 0, "number of layers instead of the shape's")
	out := fs.String("o", "", "file to write")
	seed := fs.Uint64("seed", 42, "seed of the weights")
	fs.Parse(args)
	switch {
	case fs.NArg() > 0:
		return fmt.Errorf("%q: there is nothing but flags", fs.Arg(0))
	case *out == "":
		return fmt.Errorf("-o FILE is missing")
	case *layers < 0:
		return fmt.Errorf("-layers %d: want 1 or more, or 0 for the shape's", *layers)
	}
	shape, err := model.Named(*name)
	if err != nil {
		return err
	}
	if *layers > 0 {
		shape.Layers = *layers
	}
	types, err := model.ParseTypes(*typ, *pure)
	if err != nil {
		return err
	}
	return model.WriteAs(*out, shape, types, *seed)
}
