package chat

import (
	"errors"
	"io"
	"os"
	"strings"

	"github.com/llamakit/llamakit/tools/internal/flags"
	"github.com/llamakit/llamakit/tools/internal/run"
	"github.com/llamakit/llamakit/tools/internal/terminal"
)

// firstMessage takes the prompt from the one place that the command line names, or from a pipe.
func (o *options) firstMessage(args []string, stdin io.Reader) (string, error) {
	sources := 0
	for _, given := range []bool{len(args) > 0, o.prompt != "", o.file != ""} {
		if given {
			sources++
		}
	}
	switch {
	case sources > 1 || len(args) > 1:
		return "", run.Usagef("give one prompt: as one argument, with -p, or with -f")
	case len(args) == 1:
		return args[0], nil
	case o.prompt != "":
		return o.text(o.prompt), nil
	case o.file != "":
		data, err := flags.ReadFile(o.file)
		return strings.TrimSuffix(string(data), "\n"), err
	case terminal.Is(stdin):
		return "", nil
	}
	data, err := flags.ReadAll("standard input", stdin)
	if errors.Is(err, os.ErrClosed) {
		err = nil
	}
	return strings.TrimSuffix(string(data), "\n"), err
}

// text is a text of the command line with its escapes resolved.
func (o *options) text(s string) string {
	if o.escape {
		return flags.Unescape(s)
	}
	return s
}

func (o *options) texts(list []string) []string {
	out := make([]string, len(list))
	for i := range list {
		out[i] = o.text(list[i])
	}
	return out
}
