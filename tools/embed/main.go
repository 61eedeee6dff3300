// Llama-embed turns texts into vectors, or scores them with a reranker.
package main

import (
	"github.com/llamakit/llamakit/tools/internal/cmd/embed"
	"github.com/llamakit/llamakit/tools/internal/run"
)

func main() { run.Main(embed.Command("embed")) }
