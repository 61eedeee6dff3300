package chat

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/llamakit/llamakit/engine"
	"github.com/llamakit/llamakit/engine/demo"
	"github.com/llamakit/llamakit/engine/sample"
	"github.com/llamakit/llamakit/tools/internal/run"
	"github.com/llamakit/llamakit/tui/source"
)

// talk holds a conversation by lines with the embedded model.
func talk(t *testing.T, ctx context.Context, in io.Reader, single bool) (stdout, stderr string, err error) {
	t.Helper()
	o := &options{predict: -1, thinking: engine.ThinkingOff, conversation: true, timings: true, single: single}
	o.Embedded, o.EmbeddedName = demo.Model(), demo.Name
	m, err := o.Open(context.Background(), io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	if err := o.greedy(); err != nil {
		t.Fatal(err)
	}
	var out, log bytes.Buffer
	err = o.talk(ctx, source.Local{Model: m}, nil, streams{in, &out, &log})
	return out.String(), log.String(), err
}

// greedy makes the most likely token the next one.
func (o *options) greedy() error {
	for _, f := range o.SamplingFlags() {
		if f.Names()[0] == "temp" {
			return f.Set("temp", "0")
		}
	}
	return errors.New("no --temp")
}

func TestTalk(t *testing.T) {
	o := options{}
	if err := o.greedy(); err != nil || o.Params(sample.DefaultParams()).Temperature != 0 {
		t.Fatal("not greedy:", err)
	}
	stdout, stderr, err := talk(t, t.Context(), strings.NewReader("Hello!\n\n  \nHello!\r\nHello!"), false)
	if err != nil || strings.Count(stdout, hello) != 3 || strings.Count(stderr, " t/s | Generation: ") != 3 {
		t.Errorf("three messages, two empty lines: %q, %q, %v", stdout, stderr, err)
	}
	stdout, stderr, err = talk(t, t.Context(), strings.NewReader("Hello!\nHello!\n"), true)
	if err != nil || stdout != hello || strings.Count(stderr, "> ") != 1 {
		t.Errorf("a single turn: %q, %q, %v", stdout, stderr, err)
	}
}

// TestTalkIsInterrupted: a signal ends the wait for a line that never comes.
func TestTalkIsInterrupted(t *testing.T) {
	silent, w := io.Pipe()
	defer w.Close()
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	if _, _, err := talk(t, ctx, silent, false); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("error %v", err)
	}
}

func TestFlagsOfTheAnswer(t *testing.T) {
	greedy := []string{"--temp", "0", "-rea", "off"}
	for _, c := range []struct {
		name           string
		args           []string
		stdout, stderr string // of stderr only the end
	}{
		{"no timings", []string{"Hello!", "--no-show-timings"}, hello, ""},
		{"stop text", []string{"Hello!", "-r", "can I", "--no-show-timings"}, "Hello! How \n", ""},
		{"stop text with an escape", []string{"Hello!", "-r", `\x63an`, "--no-show-timings"}, "Hello! How \n", ""},
		{"escapes are off", []string{"Hello!", "-r", `\x63an`, "--no-escape", "--no-show-timings"}, hello, ""},
		{"raw prompt, echoed", []string{"-no-cnv", "--display-prompt", "--no-show-timings", "-p",
			`<|im_start|>user\nHello!<|im_end|>\n<|im_start|>assistant\n<think>\n\n</think>\n\n`},
			"<|im_start|>user\nHello!<|im_end|>\n<|im_start|>assistant\n<think>\n\n</think>\n\n" + hello, ""},
		{"flags of a GPU script", []string{"Hello!", "-ngl", "99", "-fa", "on", "-nkvo", "--no-warmup", "-lm", "mlock", "--no-show-timings"}, hello, ""},
	} {
		code, stdout, stderr := exec("", append(c.args, greedy...)...)
		if code != run.Done || stdout != c.stdout || !strings.HasSuffix(stderr, c.stderr) {
			t.Errorf("%s: code %d, %q, %q; want %q", c.name, code, stdout, stderr, c.stdout)
		}
	}
}

// closing is a reader of our output that has enough after a few bytes.
type closing struct{ left int }

func (c *closing) Write(p []byte) (int, error) {
	if c.left -= len(p); c.left < 0 {
		return 0, io.ErrClosedPipe
	}
	return len(p), nil
}

func TestReaderGoesAway(t *testing.T) {
	for _, args := range [][]string{{"Tell me a story"}, {"Tell me a story", "--json"}, {"-no-cnv", "-p", "Once"}} {
		var stderr bytes.Buffer
		code := run.Exec(t.Context(), Command("llama-chat"), run.Streams{In: strings.NewReader(""), Out: &closing{10}, Err: &stderr}, args)
		if code != run.BrokenPipe || stderr.Len() != 0 {
			t.Errorf("%q: code %d, stderr %q", args, code, stderr.String())
		}
	}
}

func TestInterruptedAnswer(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	var stdout, stderr bytes.Buffer
	out := writer(func(p []byte) (int, error) { cancel(); return stdout.Write(p) })
	code := run.Exec(ctx, Command("llama-chat"), run.Streams{In: strings.NewReader(""), Out: out, Err: &stderr},
		[]string{"Tell me a story", "--ignore-eos", "--context-shift", "-s", "1"})
	if code != run.Interrupted || stdout.Len() == 0 || !strings.HasSuffix(stdout.String(), "\n") || stderr.Len() != 0 {
		t.Errorf("code %d, %q, %q", code, stdout.String(), stderr.String())
	}
	code = run.Exec(ctx, Command("llama-chat"), run.Streams{In: strings.NewReader(""), Out: &stdout, Err: &stderr}, []string{"Hello!"})
	if code != run.Interrupted {
		t.Errorf("interrupted while loading: code %d, %q", code, stderr.String())
	}
}

type writer func([]byte) (int, error)

func (w writer) Write(p []byte) (int, error) { return w(p) }
