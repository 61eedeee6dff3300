package chat

import (
	"context"
	"strings"
	"testing"
)

// wordy marks the letter e in texts of several words, so that many marks go through the templates.
func wordy(text string, _ []string) (at []int) {
	if !strings.Contains(strings.TrimSpace(text), " ") {
		return nil
	}
	for i := range text {
		if text[i] == 'e' {
			at = append(at, i)
		}
	}
	return at
}

// TestGuardedGolden: marks change no text of the public templates, and come back at the letters that they stood before.
func TestGuardedGolden(t *testing.T) {
	rows, marks := 0, 0
	for _, row := range goldenRows(t) {
		want, err := row.render(t, func(in *Input) { in.Exact = false })
		if err != nil {
			continue
		}
		in, err := ParseConversation(row.Input)
		if err != nil {
			t.Fatal(err)
		}
		in.Now, in.Exact, in.Guard = testNow, false, wordy
		got, at, err := row.parsed.RenderGuarded(context.Background(), in)
		if err != nil || got != want {
			t.Errorf("%s, %s: %v\n%s\nwant\n%s", row.Template, row.Conversation, err, got, want)
		}
		for _, i := range at {
			if got[i] != 'e' {
				t.Errorf("%s, %s: a mark at %q", row.Template, row.Conversation, got[i:])
			}
		}
		rows, marks = rows+1, marks+len(at)
	}
	t.Logf("%d texts with %d marks", rows, marks)
}

func TestGuard(t *testing.T) {
	tmpl, err := Parse(`{% for m in messages %}<{{ m.role }}>{{ m.content | trim | upper }}{% for c in m.tool_calls %}{{ c.function.name }}{{ c.function.arguments | tojson }}{% endfor %}{% endfor %}{{ tools | tojson }}{{ extra }}`)
	if err != nil {
		t.Fatal(err)
	}
	in := Input{Messages: []Message{{Role: "user", Content: " one\U00013000 day "}, {Role: "assistant", ToolCalls: []ToolCall{{Name: "see me", Arguments: []byte(`{"the key": "\u0065 𓀁"}`)}}}},
		Tools: []byte(`[{"a e": 1}]`), Kwargs: map[string]any{"extra": "not these"}, Guard: wordy, Exact: true}
	got, at, err := tmpl.RenderGuarded(context.Background(), in)
	if err != nil {
		t.Fatal(err)
	}
	var marked strings.Builder
	for i, c := range []byte(got) {
		if len(at) > 0 && at[0] == i {
			marked.WriteByte('|')
			at = at[1:]
		}
		marked.WriteByte(c)
	}
	if want := "<user>ON|E\U00013000 DAY<assistant>s|e|e m|e{\"th|e k|ey\": \"|e \U00013001\"}[{\"a |e\": 1}]not these"; marked.String() != want {
		t.Errorf("%q, want %q", marked.String(), want)
	}
}
