// Llama has all tools in one binary, a subcommand each.
package main

import (
	"github.com/urfave/cli/v3"

	"github.com/llamakit/llamakit/tools/internal/cmd/chat"
	"github.com/llamakit/llamakit/tools/internal/cmd/convert"
	"github.com/llamakit/llamakit/tools/internal/cmd/gguf"
	"github.com/llamakit/llamakit/tools/internal/cmd/logits"
	"github.com/llamakit/llamakit/tools/internal/cmd/template"
	"github.com/llamakit/llamakit/tools/internal/cmd/tokenize"
	"github.com/llamakit/llamakit/tools/internal/run"
)

func main() {
	talk := chat.Command("chat")
	talk.Aliases = []string{"cli"}
	run.Main(&cli.Command{
		Name:  "llama",
		Usage: "local language models: convert, inspect, chat",
		Commands: []*cli.Command{talk, convert.Command("convert"), tokenize.Command("tokenize"), template.Command("template"),
			logits.Command("logits"), gguf.Command("gguf")},
	})
}
