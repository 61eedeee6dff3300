// Package export writes conversations and requests for use elsewhere.
package export

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/llamakit/llamakit/engine/chat"
	"github.com/llamakit/llamakit/tui/source"
)

// Formats are the names that Write knows, with what they are.
var Formats = []struct{ Name, Does string }{
	{"markdown", "the conversation, to read"},
	{"jsonl", "the conversation as a line of training data"},
	{"curl", "the request as a command"},
	{"go", "the request as a Go program"},
	{"python", "the request as a Python program"},
	{"json", "the body of the request"},
}

// Names are those of the formats.
func Names() (names []string) {
	for _, f := range Formats {
		names = append(names, f.Name)
	}
	return names
}

// Talk is what is written.
type Talk struct {
	Title    string
	Messages []chat.Message // the whole conversation, the system message first where there is one
	Request  source.Request // the request of the latest answer
	Source   source.Info
	Key      bool // the server wants an API key, which programs take from LLAMA_API_KEY
}

// defaultAddress is where llama-server listens unless it is told otherwise.
const defaultAddress = "http://127.0.0.1:9931"

func (t *Talk) url() string {
	address := t.Source.Address
	if address == "" {
		address = defaultAddress
	}
	return address + t.Request.Endpoint()
}

// Write writes a talk in a format.
func (t *Talk) Write(format string) (string, error) {
	switch format {
	case "markdown":
		return t.markdown(), nil
	case "jsonl":
		return t.jsonl()
	}
	write, ok := map[string]func(*Talk, string) string{"curl": (*Talk).curl, "go": (*Talk).golang, "python": (*Talk).python,
		"json": func(_ *Talk, body string) string { return body + "\n" }}[format]
	if !ok {
		return "", fmt.Errorf("there is no format %q; there are: %s", format, strings.Join(Names(), ", "))
	}
	body, err := t.body()
	if err != nil {
		return "", err
	}
	return write(t, body), nil
}

// body is the JSON of the request, indented.
func (t *Talk) body() (string, error) {
	if len(t.Request.Messages) == 0 && t.Request.Prompt == "" {
		return "", fmt.Errorf("nothing was asked yet")
	}
	body, err := t.Request.Body(t.Source.Sampling)
	if err != nil {
		return "", err
	}
	data, err := body.MarshalJSON()
	if err != nil {
		return "", err
	}
	var out bytes.Buffer
	err = json.Indent(&out, data, "", "  ")
	return out.String(), err
}

// jsonl is the conversation as a line of {"messages": [...], "tools": [...]}.
func (t *Talk) jsonl() (string, error) {
	line := source.Body{{Name: "messages", Value: t.Messages}}
	if tools := t.Request.Template.Tools; len(tools) > 0 {
		line = append(line, source.Field{Name: "tools", Value: json.RawMessage(tools)})
	}
	data, err := line.MarshalJSON()
	return string(data) + "\n", err
}
