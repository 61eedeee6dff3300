// Llama-bench measures how fast models are computed.
package main

import (
	"github.com/llamakit/llamakit/tools/internal/cmd/bench"
	"github.com/llamakit/llamakit/tools/internal/run"
)

func main() { run.Main(bench.Command("bench")) }
