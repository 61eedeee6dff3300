// Llama-chat talks to a model; see docs/chat.md.
package main

import (
	"github.com/llamakit/llamakit/tools/internal/cmd/chat"
	"github.com/llamakit/llamakit/tools/internal/run"
)

func main() { run.Main(chat.Command("llama-chat")) }
