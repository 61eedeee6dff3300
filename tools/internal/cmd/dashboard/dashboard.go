// Package dashboard is the command that watches a running server.
//
//	llama dashboard --url http://127.0.0.1:9931
package dashboard

import (
	"context"
	"fmt"
	"io"

	"github.com/urfave/cli/v3"

	"github.com/llamakit/llamakit/tools/internal/asjson"
	"github.com/llamakit/llamakit/tools/internal/flags"
	"github.com/llamakit/llamakit/tools/internal/run"
	"github.com/llamakit/llamakit/tools/internal/terminal"
	"github.com/llamakit/llamakit/tui"
	"github.com/llamakit/llamakit/tui/client"
	"github.com/llamakit/llamakit/tui/dashboard"
	"github.com/llamakit/llamakit/tui/printable"
)

type options struct {
	url, key string
	json     bool
}

// Command returns the command under a name.
func Command(name string) *cli.Command {
	o := &options{url: "http://127.0.0.1:9931"}
	return &cli.Command{
		Name:  name,
		Usage: "watch a running llama-server: slots, cache, queue, speed",
		Description: "Without a terminal, or with --json, the state of the server is printed once.\n" +
			"llama.cpp's servers are shown as far as they tell; start them with --metrics to see more.",
		Flags: flags.Group("Server",
			flags.New("--url ADDRESS", "where the server is (default: http://127.0.0.1:9931)", flags.Text(&o.url)),
			flags.New("--api-key KEY", "its API key", flags.Text(&o.key)).Env("LLAMA_API_KEY"),
			flags.New("--json", "print the state once, as JSON", flags.Switch(&o.json)),
		),
		Action: func(ctx context.Context, c *cli.Command) error {
			if c.Args().Len() > 0 {
				return run.Usagef("unexpected operand %q", c.Args().First())
			}
			return o.run(ctx, c.Root().Writer)
		},
	}
}

func (o *options) run(ctx context.Context, out io.Writer) error {
	c, err := client.New(o.url, o.key)
	if err != nil {
		return run.Usagef("--url: %v", err)
	}
	source := dashboard.NewRemote(c)
	if o.json || !terminal.Is(out) {
		return o.print(ctx, out, source)
	}
	return tui.Run(ctx, []tui.View{dashboard.New(source)})
}

func (o *options) print(ctx context.Context, out io.Writer, source dashboard.Source) error {
	s, err := source.Snapshot(ctx)
	if err != nil {
		return err
	}
	if o.json {
		return asjson.Write(out, s)
	}
	for _, slot := range s.Slots {
		state := "idle"
		if slot.Busy {
			state = "busy"
		}
		if _, err := fmt.Fprintf(out, "slot %d\t%s\tprompt %d of %d\tcached %d\tanswer %d\n", slot.ID, state, slot.Done, slot.Prompt, slot.Cached, slot.Answer); err != nil {
			return err
		}
	}
	_, err = fmt.Fprintf(out, "%s: %d waiting, %d of %d pages in use, %d cached\n", printable.Line(s.Model), s.Waiting, s.Pages.Used, s.Pages.Total, s.Pages.Cached)
	return err
}
