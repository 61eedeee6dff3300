// Llama has all tools in one binary, a subcommand each.
package main

import (
	"github.com/urfave/cli/v3"

	"github.com/llamakit/llamakit/tools/internal/cmd/bench"
	"github.com/llamakit/llamakit/tools/internal/cmd/chat"
	"github.com/llamakit/llamakit/tools/internal/cmd/convert"
	"github.com/llamakit/llamakit/tools/internal/cmd/dashboard"
	"github.com/llamakit/llamakit/tools/internal/cmd/debug"
	"github.com/llamakit/llamakit/tools/internal/cmd/embed"
	"github.com/llamakit/llamakit/tools/internal/cmd/fit"
	"github.com/llamakit/llamakit/tools/internal/cmd/gguf"
	"github.com/llamakit/llamakit/tools/internal/cmd/grammar"
	"github.com/llamakit/llamakit/tools/internal/cmd/imatrix"
	"github.com/llamakit/llamakit/tools/internal/cmd/logits"
	"github.com/llamakit/llamakit/tools/internal/cmd/perplexity"
	"github.com/llamakit/llamakit/tools/internal/cmd/quantize"
	"github.com/llamakit/llamakit/tools/internal/cmd/server"
	"github.com/llamakit/llamakit/tools/internal/cmd/split"
	"github.com/llamakit/llamakit/tools/internal/cmd/template"
	"github.com/llamakit/llamakit/tools/internal/cmd/tokenize"
	"github.com/llamakit/llamakit/tools/internal/run"
)

func main() {
	talk := chat.Command("chat")
	talk.Aliases = []string{"cli"}
	serve := server.Command("serve")
	serve.Aliases = []string{"server"}
	run.Main(&cli.Command{
		Name:  "llama",
		Usage: "local language models: convert, quantise, inspect, chat",
		Commands: []*cli.Command{
			talk, convert.Command("convert"), quantize.Command("quantize"), imatrix.Command("imatrix"), perplexity.Command("perplexity"),
			bench.Command("bench"), gguf.Command("gguf"), split.Command("gguf-split"), fit.Command("fit"), serve,
			debug.Command("debug"), dashboard.Command("dashboard"), grammar.Command("grammar"), embed.Command("embed"), tokenize.Command("tokenize"),
			template.Command("template"), logits.Command("logits"),
		},
	})
}
