package chat

import (
	"bufio"
	"context"
	"encoding/json"
	"os"
	"testing"
	"time"

	"github.com/llamakit/llamakit/bench/golden"
)

// TestGolden renders real templates as Jinja2 did, set up as the transformers library sets it up.
func TestGolden(t *testing.T) {
	f, err := os.Open(golden.Shared(t, "golden", "templates", "renders.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<22)
	rows, equal := 0, 0
	for lines.Scan() {
		var row struct {
			Template, Conversation string
			Input                  json.RawMessage
			Output                 *string
		}
		if err := json.Unmarshal(lines.Bytes(), &row); err != nil {
			t.Fatal(err)
		}
		source, err := os.ReadFile(golden.Shared(t, "golden", "templates", row.Template))
		if err != nil {
			t.Fatal(err)
		}
		got, err := renderGolden(string(source), row.Input)
		if row.Output == nil {
			continue // an error there: rendering or failing are both fine, hanging is not
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

func renderGolden(source string, input []byte) (string, error) {
	t, err := Parse(source)
	if err != nil {
		return "", err
	}
	in, err := ParseConversation(input)
	if err != nil {
		return "", err
	}
	in.BOS, in.EOS = "<s>", "</s>"
	in.Kwargs = map[string]any{"pad_token": "<pad>", "unk_token": "<unk>"}
	in.Now = time.Date(2026, 10, 15, 9, 30, 0, 0, time.UTC)
	return t.Render(context.Background(), in)
}

