package chat

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"

	"github.com/urfave/cli/v3"

	enginechat "github.com/llamakit/llamakit/engine/chat"
	"github.com/llamakit/llamakit/tools/internal/flags"
	"github.com/llamakit/llamakit/tools/internal/run"
	"github.com/llamakit/llamakit/tui/printable"
	"github.com/llamakit/llamakit/tui/toolcall"
)

// calling is what the command line says of tools.
type calling struct {
	toolFile string
	commands []string
	tools    toolcall.Tools
}

func (c *calling) callFlags() []cli.Flag {
	return flags.Group("Tools",
		flags.New("--tools FILE", "tools that the model may call: JSON, as the chat completions API has it", flags.Text(&c.toolFile)),
		flags.New("--tool NAME=COMMAND", "answer calls of a tool by a shell command: arguments on standard input, the result on standard output; may be given again", flags.Append(&c.commands)),
	)
}

// loadTools reads the definitions.
func (c *calling) loadTools() error {
	if c.toolFile == "" {
		if len(c.commands) > 0 {
			return run.Usagef("--tool needs the definitions of the tools: --tools FILE")
		}
		return nil
	}
	data, err := flags.ReadFile(c.toolFile)
	if err != nil {
		return err
	}
	if c.tools, err = toolcall.Parse(data); err != nil {
		return fmt.Errorf("%s: %w", c.toolFile, err)
	}
	for _, setting := range c.commands {
		if err := c.tools.Answer(setting); err != nil {
			return run.Usagef("--tool %v", err)
		}
	}
	return nil
}

// jsonCall is a call as it is printed, with its result where a command gave one.
type jsonCall struct {
	Name      string          `json:"name"`
	Arguments json.RawMessage `json:"arguments"`
	Result    *string         `json:"result,omitempty"`
}

// runCalls answers calls by commands, and returns the results as messages. A call of a tool without a command is printed: it is
// the answer then, and nothing follows it.
func (o *options) runCalls(ctx context.Context, calls []enginechat.ToolCall, s streams) (results []enginechat.Message, err error) {
	complete := true
	for _, call := range calls {
		text, ok, err := o.tools.Run(ctx, call)
		if err != nil {
			return nil, err
		}
		complete = complete && ok
		if err := o.printCall(call, text, ok, s); err != nil {
			return nil, err
		}
		results = append(results, enginechat.Message{Role: "tool", Name: call.Name, ToolCallID: call.ID, Content: text})
	}
	if !complete {
		return nil, nil
	}
	return results, nil
}

func (o *options) printCall(call enginechat.ToolCall, result string, answered bool, s streams) error {
	c := jsonCall{Name: call.Name, Arguments: json.RawMessage(call.Object())}
	if answered {
		c.Result = &result
	}
	switch {
	case o.json:
		return (&jsonPrinter{w: bufio.NewWriter(s.out)}).line(map[string]any{"tool_call": c})
	case answered:
		fmt.Fprintf(s.err, "[ %s %s: %d bytes ]\n", printable.Line(call.Name), printable.Line(call.Object()), len(result))
		return nil
	}
	return (&jsonPrinter{w: bufio.NewWriter(s.out)}).line(c)
}
