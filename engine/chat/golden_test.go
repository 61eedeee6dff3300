package chat

import (
	"bufio"
	"context"
	"encoding/json"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/llamakit/llamakit/bench/golden"
)

// testNow is the time that recorded answers were made at.
var testNow = time.Date(2026, 10, 15, 9, 30, 0, 0, time.UTC)

// goldenRow is a public template and a conversation with what Jinja2 made of them, set up as transformers sets it up.
type goldenRow struct {
	Template, Conversation string
	Input                  json.RawMessage
	Output                 *string // nil: an error there
	parsed                 *Template
}

func goldenRows(t testing.TB) []goldenRow {
	f, err := os.Open(golden.Shared(t, "golden", "templates", "renders.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<22)
	var rows []goldenRow
	parsed := map[string]*Template{}
	for lines.Scan() {
		var row goldenRow
		if err := json.Unmarshal(lines.Bytes(), &row); err != nil {
			t.Fatal(err)
		}
		if parsed[row.Template] == nil {
			source, err := os.ReadFile(golden.Shared(t, "golden", "templates", row.Template))
			if err != nil {
				t.Fatal(err)
			}
			if parsed[row.Template], err = ParseNamed(row.Template, string(source)); err != nil {
				t.Fatal(err)
			}
		}
		row.parsed = parsed[row.Template]
		rows = append(rows, row)
	}
	return rows
}

func (r *goldenRow) render(t testing.TB, change func(*Input)) (string, error) {
	in, err := ParseConversation(r.Input)
	if err != nil {
		t.Fatal(err)
	}
	in.Now = testNow
	change(&in)
	return r.parsed.Render(context.Background(), in)
}

// TestGolden renders the conversations exactly as they are; where Jinja2 fails, rendering and failing are both fine.
func TestGolden(t *testing.T) {
	for _, strict := range []bool{false, true} {
		rows, equal := 0, 0
		for _, row := range goldenRows(t) {
			got, err := row.render(t, func(in *Input) { in.Strict = strict })
			if row.Output == nil {
				if strict && err == nil {
					t.Errorf("%s, %s: renders, Jinja2 fails", row.Template, row.Conversation)
				}
				continue
			}
			rows++
			switch {
			case err != nil:
				t.Errorf("%s, %s: %v", row.Template, row.Conversation, err)
			case got != *row.Output:
				t.Errorf("%s, %s: got\n%s\nwant\n%s", row.Template, row.Conversation, got, *row.Output)
			default:
				equal++
			}
		}
		t.Logf("%d of %d renders equal", equal, rows)
	}
}

// TestGoldenForms renders the same in the form that each template wants. It may differ from the exact rendering only for the
// lists of parts, in templates that want calls in another form, and in those that do not show all there is.
func TestGoldenForms(t *testing.T) {
	equal, other, repaired := 0, 0, 0
	for _, row := range goldenRows(t) {
		got, err := row.render(t, func(in *Input) { in.Exact = false })
		switch {
		case row.Output == nil && err == nil:
			repaired++
			t.Logf("renders: %s, %s", row.Template, row.Conversation)
		case row.Output == nil:
			t.Logf("fails: %s, %s: %v", row.Template, row.Conversation, err)
		case err != nil:
			t.Errorf("%s, %s: %v", row.Template, row.Conversation, err)
		case got == *row.Output:
			equal++
		default:
			other++
			c := row.parsed.Capabilities()
			tools := strings.HasPrefix(row.Conversation, "tool") && (!c.Tools || !c.Calls || c.ShortIDs || row.parsed.CallFormat().Name == "kimi-k2")
			if row.Conversation != "parts" && !c.TextArguments && !c.NullContent && !tools {
				t.Errorf("%s, %s: got\n%s\nwant\n%s", row.Template, row.Conversation, got, *row.Output)
			}
		}
	}
	t.Logf("%d equal, %d in another form, %d render that failed", equal, other, repaired)
}
