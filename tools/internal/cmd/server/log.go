package server

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/llamakit/llamakit/engine/serve"
	"github.com/llamakit/llamakit/tui/printable"
)

// logger writes a line for every request, and for what else happens.
type logger struct {
	mu    sync.Mutex
	w     io.Writer // nil: the dashboard has the terminal
	file  *os.File  // nil: none is wanted
	jsonl bool
}

// openLog makes the logger of the options.
func (o *options) openLog(stderr io.Writer) (*logger, error) {
	l := &logger{w: stderr, jsonl: o.jsonLines}
	if o.watched() {
		l.w = nil
	}
	if o.logFile == "" {
		return l, nil
	}
	f, err := os.OpenFile(o.logFile, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600) // there may be prompts in it
	if err != nil {
		return nil, fmt.Errorf("--log-file: %w", err)
	}
	l.file = f
	return l, nil
}

func (l *logger) close() {
	if l.file != nil {
		l.file.Close()
	}
}

func (l *logger) line(text string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.w != nil {
		fmt.Fprintln(l.w, text)
	}
	if l.file != nil {
		fmt.Fprintln(l.file, text)
	}
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

// watched are paths that programs ask again and again, several times a second.
var watched = []string{"/health", "/metrics", "/slots", "/status"}

// quiet reports a request that is of no interest as long as it is answered.
func quiet(e serve.Entry) bool {
	return e.Method == http.MethodGet && e.Status == http.StatusOK &&
		slices.ContainsFunc(watched, func(path string) bool { return strings.HasSuffix(e.Path, path) })
}

func (l *logger) request(e serve.Entry) {
	if quiet(e) {
		return
	}
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
