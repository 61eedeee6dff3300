// Llama-gguf-split cuts a GGUF file into shards and puts them together again; see docs/split.md.
package main

import (
	"github.com/llamakit/llamakit/tools/internal/cmd/split"
	"github.com/llamakit/llamakit/tools/internal/run"
)

func main() { run.Main(split.Command("llama-gguf-split")) }
