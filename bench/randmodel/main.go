// Randmodel writes a GGUF model of a real shape with random weights.
//
//	go run ./bench/randmodel -shape qwen3-0.6b -type q8_0 -o model.gguf
package main

import (
	"flag"
	"fmt"
	"os"
	"strings"

	"github.com/llamakit/llamakit/bench/model"
	"github.com/llamakit/llamakit/formats/quant"
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
	typ := fs.String("type", "f16", "type of the matrices")
	out := fs.String("o", "", "file to write")
	seed := fs.Uint64("seed", 42, "seed of the weights")
	fs.Parse(args)
	if *out == "" {
		return fmt.Errorf("-o FILE is missing")
	}
	shape, err := model.Named(*name)
	if err != nil {
		return err
	}
	t, err := quant.ParseType(*typ)
	if err != nil {
		return err
	}
	return model.Write(*out, shape, t, *seed)
}
