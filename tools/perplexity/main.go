// Llama-perplexity measures how well models predict a text, and how far they are from one another.
package main

import (
	"github.com/llamakit/llamakit/tools/internal/cmd/perplexity"
	"github.com/llamakit/llamakit/tools/internal/run"
)

func main() { run.Main(perplexity.Command("perplexity")) }
