package chat

import (
	"context"
	"io"

	"github.com/urfave/cli/v3"

	"github.com/llamakit/llamakit/tools/internal/flags"
	"github.com/llamakit/llamakit/tools/internal/run"
	"github.com/llamakit/llamakit/tui/source"
)

// server is one that answers in the place of a model in this process.
type server struct{ url, key string }

func (s *server) serverFlags() []cli.Flag {
	return flags.Group("Server",
		flags.New("--url ADDRESS", "talk to the model of a running llama-server, such as http://127.0.0.1:9931", flags.Text(&s.url)),
		flags.New("--api-key KEY", "its API key", flags.Text(&s.key)).Env("LLAMA_API_KEY"),
	)
}

// open opens the model, or connects to the server. shut must be called at the end.
func (o *options) open(ctx context.Context, stderr io.Writer) (from source.Source, shut func(), err error) {
	if o.url != "" {
		switch {
		case o.Path != "":
			return nil, nil, run.Usagef("-m and --url exclude each other: the server has a model")
		case o.Options.Template != "":
			return nil, nil, run.Usagef("a server has its own chat template: start it with --chat-template")
		}
		from, err = source.Connect(ctx, o.url, o.key)
		return from, func() {}, err
	}
	m, err := o.Open(ctx, stderr)
	if err != nil {
		return nil, nil, err
	}
	if err := o.Bind(m.Vocab()); err != nil {
		m.Close()
		return nil, nil, err
	}
	if o.verbose {
		describe(stderr, m)
	}
	return source.Local{Model: m}, func() { m.Close() }, nil
}
