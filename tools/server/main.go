// Llama-server answers HTTP requests with a model; see docs/server.md.
package main

import (
	"github.com/llamakit/llamakit/tools/internal/cmd/server"
	"github.com/llamakit/llamakit/tools/internal/run"
)

func main() { run.Main(server.Command("llama-server")) }
