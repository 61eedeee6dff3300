// Llama-tokenize shows the tokens of a text; see docs/inspect.md.
package main

import (
	"github.com/llamakit/llamakit/tools/internal/cmd/tokenize"
	"github.com/llamakit/llamakit/tools/internal/run"
)

func main() { run.Main(tokenize.Command("llama-tokenize")) }
