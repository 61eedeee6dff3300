package grammar

import (
	"context"
	"encoding/json"
	"fmt"
	"io"

	"github.com/urfave/cli/v3"

	"github.com/llamakit/llamakit/engine/grammar"
	"github.com/llamakit/llamakit/engine/grammar/schema"
	"github.com/llamakit/llamakit/tools/internal/flags"
	"github.com/llamakit/llamakit/tools/internal/run"
)

func checkCommand() *cli.Command {
	var s source
	return &cli.Command{
		Name:      "check",
		Usage:     "say whether texts are of a grammar, a JSON object a line",
		ArgsUsage: "TEXT-FILE...",
		Description: "Exit code 0: all texts are accepted; 1: one is not, or the grammar cannot be enforced.\n" +
			"Of a schema, white space around a text does not count; not_enforced lists its keywords that are left unchecked.",
		Flags: s.flags(),
		Action: func(_ context.Context, c *cli.Command) error {
			if !c.Args().Present() {
				return run.Usagef("give at least one file with a text")
			}
			g, err := s.open()
			if err != nil {
				return err
			}
			return s.check(c.Root().Writer, g, c.Args().Slice())
		},
	}
}

// verdict is what check says of a text.
type verdict struct {
	File        string          `json:"file"`
	Accepted    bool            `json:"accepted"`
	Offset      *int            `json:"offset,omitempty"` // bytes that are accepted before what is not
	Reason      string          `json:"reason,omitempty"`
	NotEnforced []schema.Notice `json:"not_enforced,omitempty"`
}

func (s *source) check(w io.Writer, g *grammar.Grammar, files []string) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	refused := 0
	for _, name := range files {
		data, err := flags.ReadFile(name)
		if err != nil {
			return err
		}
		v := judge(g, s.text(data))
		v.File, v.NotEnforced = name, g.Notices()
		if !v.Accepted {
			refused++
		}
		if err := enc.Encode(v); err != nil {
			return err
		}
	}
	if refused > 0 {
		return fmt.Errorf("%d of %d texts are not accepted", refused, len(files))
	}
	return nil
}

func judge(g *grammar.Grammar, text []byte) verdict {
	m := g.Matcher(nil)
	n, err := m.AcceptBytes(text)
	switch {
	case err != nil:
		return verdict{Offset: &n, Reason: err.Error()}
	case !m.CanStop():
		return verdict{Offset: &n, Reason: "the text is not complete"}
	}
	return verdict{Accepted: true}
}
