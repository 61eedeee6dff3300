// Llama-imatrix measures on a text which columns of a model's matrices matter, for llama-quantize.
package main

import (
	"github.com/llamakit/llamakit/tools/internal/cmd/imatrix"
	"github.com/llamakit/llamakit/tools/internal/run"
)

func main() { run.Main(imatrix.Command("llama-imatrix")) }
