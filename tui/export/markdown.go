package export

import (
	"fmt"
	"strings"

	"github.com/llamakit/llamakit/engine/chat"
)

// markdown is the conversation with a heading a turn. What a model wrote stays as it is; the rest is made harmless.
func (t *Talk) markdown() string {
	var b strings.Builder
	title := t.Title
	if title == "" {
		title = "Conversation"
	}
	fmt.Fprintf(&b, "# %s\n", title)
	if t.Source.Name != "" {
		fmt.Fprintf(&b, "\nModel: %s\n", t.Source.Name)
	}
	for _, m := range t.Messages {
		writeTurn(&b, m)
	}
	return b.String()
}

// headings are the names of roles.
var headings = map[string]string{"system": "System", "user": "You", "assistant": "Model", "tool": "Result"}

func writeTurn(b *strings.Builder, m chat.Message) {
	heading := headings[m.Role]
	if heading == "" {
		heading = m.Role
	}
	if m.Role == "tool" && m.Name != "" {
		heading += " of " + m.Name
	}
	fmt.Fprintf(b, "\n## %s\n", heading)
	if m.Reasoning != "" {
		fmt.Fprintf(b, "\n> %s\n", strings.ReplaceAll(strings.TrimSpace(m.Reasoning), "\n", "\n> "))
	}
	switch text := m.Text(); {
	case m.Role == "tool":
		b.WriteString("\n" + fenced("", text))
	case text != "":
		b.WriteString("\n" + strings.TrimRight(text, "\n") + "\n")
	}
	for _, c := range m.ToolCalls {
		fmt.Fprintf(b, "\nCall of `%s`:\n\n%s", c.Name, fenced("json", c.Object()))
	}
}

// fenced is a code block whose fence does not occur in the text.
func fenced(language, text string) string {
	fence := "```"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	return fence + language + "\n" + strings.TrimRight(text, "\n") + "\n" + fence + "\n"
}
