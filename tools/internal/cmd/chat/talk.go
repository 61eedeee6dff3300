package chat

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/llamakit/llamakit/engine"
	enginechat "github.com/llamakit/llamakit/engine/chat"
)

// talk is the conversation without a full screen: a line is a message, the end of the input is the end. It serves
// terminals that know no cursor movement, and those whose output goes elsewhere.
func (o *options) talk(ctx context.Context, m *engine.Model, s streams) error {
	messages := o.messages("")
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
		r := o.request(m)
		r.Messages = append(messages, enginechat.Message{Role: "user", Content: text})
		said, err := o.answer(ctx, m, r, s)
		if err != nil {
			return err
		}
		if o.single {
			return nil
		}
		messages = append(r.Messages, said)
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
