package server

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"github.com/llamakit/llamakit/engine/serve"
	"github.com/llamakit/llamakit/tui/printable"
)

// logger writes a line for every request, and for what else happens.
type logger struct {
	mu    sync.Mutex
	w     io.Writer
	jsonl bool
}

func newLogger(w io.Writer, jsonl bool) *logger { return &logger{w: w, jsonl: jsonl} }

func (l *logger) line(text string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	fmt.Fprintln(l.w, text)
}

// note logs an event that is no request.
func (l *logger) note(text string) {
	if l.jsonl {
		l.json(map[string]any{"time": time.Now(), "note": text})
		return
	}
	l.line(text)
}

func (l *logger) json(v any) {
	if data, err := json.Marshal(v); err == nil {
		l.line(string(data))
	}
}

func (l *logger) request(e serve.Entry) {
	if l.jsonl {
		l.json(e)
		return
	}
	text := fmt.Sprintf("%s %s %s %s %d %.3fs", e.Time.Format(time.TimeOnly), e.Client, e.Method, printable.Line(e.Path), e.Status, e.Seconds)
	for _, a := range e.Answers {
		text += fmt.Sprintf(" | slot %d: %d+%d tokens, %d cached, %s", a.Slot, a.Prompt, a.Generated, a.Cached, a.Stop)
	}
	if e.Error != "" {
		text += " | " + printable.Line(e.Error)
	}
	l.line(text)
	for _, a := range e.Answers {
		if a.Text != "" {
			l.line(indent("prompt: ", a.Text) + "\n" + indent("answer: ", a.Output))
		}
	}
	if e.Stack != "" {
		l.line(e.Stack)
	}
}

// indent makes a foreign text of many lines harmless, and sets it off.
func indent(head, text string) string {
	var lines []string
	for line := range strings.SplitSeq(text, "\n") {
		lines = append(lines, printable.Line(line))
	}
	return "    " + head + strings.Join(lines, "\n            ")
}
