// Llama-gguf shows, compares, checks and changes GGUF files; see docs/gguf.md.
package main

import (
	"github.com/llamakit/llamakit/tools/internal/cmd/gguf"
	"github.com/llamakit/llamakit/tools/internal/run"
)

func main() { run.Main(gguf.Command("llama-gguf")) }
