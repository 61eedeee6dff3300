package toolcall

import (
	"bytes"
	"context"
	"fmt"
	"os/exec"
	"runtime"
	"strings"
	"time"

	"github.com/llamakit/llamakit/engine/chat"
)

// maxOutput is how much of a command's output is kept, in bytes: more would not fit into a context.
const maxOutput = 256 << 10

// Run answers a call by the command of its tool: the arguments are its standard input, its standard output is the result. A
// command that fails has an answer too, so that the model learns of it; err is only set when ctx ended. ok is false for a tool
// without a command.
func (t *Tools) Run(ctx context.Context, call chat.ToolCall) (result string, ok bool, err error) {
	command, ok := t.Commands[call.Name]
	if !ok {
		return "", false, nil
	}
	cmd := exec.CommandContext(ctx, "sh", "-c", command)
	if runtime.GOOS == "windows" {
		cmd = exec.CommandContext(ctx, "cmd", "/c", command)
	}
	var out, errs limited
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(call.Object()), &out, &errs
	cmd.WaitDelay = time.Second
	ownGroup(cmd)
	err = cmd.Run()
	if ctx.Err() != nil {
		return "", true, ctx.Err()
	}
	if err != nil {
		return strings.TrimSpace(fmt.Sprintf("error: %v\n%s%s", err, out.String(), errs.String())), true, nil
	}
	return strings.TrimRight(out.String(), "\r\n"), true, nil
}

// limited keeps the beginning of what is written.
type limited struct{ b bytes.Buffer }

func (l *limited) Write(p []byte) (int, error) {
	l.b.Write(p[:min(len(p), maxOutput-l.b.Len())])
	return len(p), nil
}

func (l *limited) String() string { return strings.ToValidUTF8(l.b.String(), "\ufffd") }
