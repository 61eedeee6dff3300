package chat

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	enginechat "github.com/llamakit/llamakit/engine/chat"
	"github.com/llamakit/llamakit/tui/session"
	"github.com/llamakit/llamakit/tui/source"
	"github.com/llamakit/llamakit/tui/toolcall"
)

// talk is the conversation without a full screen: a line is a message, the end of the input is the end. It serves
// terminals that know no cursor movement, and those whose output goes elsewhere.
func (o *options) talk(ctx context.Context, from source.Source, talk *session.Session, s streams) error {
	c := o.begun(from, talk)
	lines := readLines(s.in)
	for {
		fmt.Fprint(s.err, "> ")
		text, err := nextMessage(ctx, lines)
		switch {
		case errors.Is(err, io.EOF):
			fmt.Fprintln(s.err)
			return nil
		case err != nil:
			return err
		case strings.TrimSpace(text) == "":
			continue
		}
		if err := o.turn(ctx, from, c, text, s); err != nil || o.single {
			return err
		}
	}
}

// conversing is a conversation by lines.
type conversing struct {
	talk *session.Session
	save bool // it was resumed, and is kept
}

// begun is the conversation that goes on, or a new one.
func (o *options) begun(from source.Source, talk *session.Session) *conversing {
	if talk != nil {
		return &conversing{talk, !o.discard}
	}
	c := &conversing{talk: session.New(from.Info().Name, time.Now())}
	c.talk.System = o.text(o.system)
	return c
}

// messages are those of the conversation so far.
func (c *conversing) messages() []enginechat.Message { return c.talk.Messages(c.talk.Tree.Path()) }

func (c *conversing) add(m enginechat.Message) {
	parent := 0
	if leaf := c.talk.Tree.Leaf(); leaf != nil {
		parent = leaf.ID
	}
	c.talk.Tree.Add(parent, m)
}

// turn answers a message; calls are answered by the commands of their tools, and the model goes on.
func (o *options) turn(ctx context.Context, from source.Source, c *conversing, text string, s streams) error {
	c.add(enginechat.Message{Role: "user", Content: text})
	for round := 0; ; round++ {
		r := o.request(from)
		r.Messages = c.messages()
		said, err := o.answer(ctx, from, r, s)
		if err != nil {
			return err
		}
		c.add(said)
		results, err := o.runCalls(ctx, said.ToolCalls, s)
		for _, m := range results {
			c.add(m)
		}
		if err != nil || len(results) == 0 {
			return errors.Join(err, o.saveTurn(c))
		}
		if round == toolcall.MaxRounds {
			return fmt.Errorf("%d answers in a row called tools", round)
		}
	}
}

// line is what a read brought.
type line struct {
	text string
	err  error
}

// readLines reads lines in the background, so that a signal ends waiting for one.
func readLines(r io.Reader) <-chan line {
	out := make(chan line)
	go func() {
		in := bufio.NewReader(r)
		for {
			text, err := in.ReadString('\n')
			if text != "" && errors.Is(err, io.EOF) {
				err = nil
			}
			out <- line{strings.TrimRight(text, "\r\n"), err}
			if err != nil {
				return
			}
		}
	}()
	return out
}

func nextMessage(ctx context.Context, lines <-chan line) (string, error) {
	select {
	case l := <-lines:
		return l.text, l.err
	case <-ctx.Done():
		return "", ctx.Err()
	}
}
