// Llama-convert makes a GGUF file of a Hugging Face model folder; see docs/convert.md.
package main

import (
	"github.com/llamakit/llamakit/tools/internal/cmd/convert"
	"github.com/llamakit/llamakit/tools/internal/run"
)

func main() { run.Main(convert.Command("llama-convert")) }
