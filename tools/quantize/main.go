// Llama-quantize makes a smaller model of a GGUF file by rounding its weights.
package main

import (
	"github.com/llamakit/llamakit/tools/internal/cmd/quantize"
	"github.com/llamakit/llamakit/tools/internal/run"
)

func main() { run.Main(quantize.Command("llama-quantize")) }
