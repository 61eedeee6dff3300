// Llama-fit says whether a model fits into memory; see docs/fit.md.
package main

import (
	"github.com/llamakit/llamakit/tools/internal/cmd/fit"
	"github.com/llamakit/llamakit/tools/internal/run"
)

func main() { run.Main(fit.Command("llama-fit")) }
