package chat

import (
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"

	"github.com/urfave/cli/v3"

	enginechat "github.com/llamakit/llamakit/engine/chat"
	"github.com/llamakit/llamakit/tools/internal/flags"
	"github.com/llamakit/llamakit/tools/internal/run"
	"github.com/llamakit/llamakit/tui/export"
	"github.com/llamakit/llamakit/tui/printable"
	"github.com/llamakit/llamakit/tui/session"
	"github.com/llamakit/llamakit/tui/source"
)

// keeping is what the command line says of sessions.
type keeping struct {
	resume        string
	list, discard bool
	format        string
}

func (k *keeping) keepFlags() []cli.Flag {
	return flags.Group("Sessions",
		flags.New("--resume ID|FILE|last", "go on with a session", flags.Text(&k.resume)),
		flags.New("--sessions", "list the sessions, the latest first; with --json as JSON lines", flags.Switch(&k.list)),
		flags.New("--no-save", "keep neither the session nor what is typed", flags.Switch(&k.discard)),
		flags.New("--export FORMAT", "print the session of --resume, or the request of the prompt, and answer nothing: markdown, jsonl, json, curl, go or python", flags.OneOf(&k.format, export.Names()...)),
	)
}

func store() (*session.Store, string, error) {
	dir, err := session.StateDir()
	return &session.Store{Dir: filepath.Join(dir, "sessions")}, dir, err
}

// kept is where sessions and what is typed are kept; nil with --no-save.
func (k *keeping) kept() (*session.Store, *session.History, error) {
	if k.discard {
		return nil, nil, nil
	}
	s, dir, err := store()
	return s, &session.History{Path: filepath.Join(dir, "history")}, err
}

// resumed is the session of --resume, under the system message of -sys where there is one, or nil.
func (o *options) resumed() (*session.Session, error) {
	if o.resume == "" {
		return nil, nil
	}
	s, err := o.stored()
	if err == nil && o.system != "" {
		s.System = o.text(o.system)
	}
	return s, err
}

func (k *keeping) stored() (*session.Session, error) {
	s, _, err := store()
	if err != nil {
		return nil, err
	}
	return s.Find(k.resume)
}

// saveTurn keeps a conversation by lines that was resumed.
func (k *keeping) saveTurn(c *conversing) error {
	if !c.save {
		return nil
	}
	s, _, err := store()
	if err != nil {
		return err
	}
	write, err := s.Save(c.talk)
	if err != nil {
		return err
	}
	return write()
}

// listSessions prints a line a session.
func (o *options) listSessions(w io.Writer) error {
	s, _, err := store()
	if err != nil {
		return err
	}
	list, err := s.List()
	if err != nil {
		return err
	}
	for _, e := range list {
		if o.json {
			err = json.NewEncoder(w).Encode(e)
		} else {
			_, err = fmt.Fprintf(w, "%s  %s  %3d turns  %s\n", e.ID, e.Changed.Format("2006-01-02 15:04"), e.Turns, printable.Line(e.Title))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// export prints a conversation, or a request, and asks nothing.
func (o *options) export(w io.Writer, from source.Source, talk *session.Session, prompt string) error {
	r := o.request(from)
	t := &export.Talk{Source: from.Info(), Key: o.key != ""}
	if !o.conversation {
		if r.Prompt = prompt; o.format == "markdown" || o.format == "jsonl" {
			return run.Usagef("--export %s needs a conversation", o.format)
		}
	} else {
		c := o.begun(from, talk)
		t.Title = c.talk.Title
		if prompt != "" {
			c.add(enginechat.Message{Role: "user", Content: prompt})
		}
		t.Messages = c.messages()
		r.Messages = t.Messages
		if n := len(r.Messages); n > 0 && r.Messages[n-1].Role == "assistant" { // the request of the last answer
			if r.Messages = r.Messages[:n-1]; c.talk.Tree.Leaf().Made != nil {
				r.Sampling.Seed = c.talk.Tree.Leaf().Made.Seed
			}
		}
	}
	t.Request = r
	text, err := t.Write(o.format)
	if err != nil {
		return err
	}
	_, err = io.WriteString(w, text)
	return err
}
