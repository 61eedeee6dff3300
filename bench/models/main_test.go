package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/llamakit/llamakit/bench/golden"
)

// TestCurrent wants docs/models.md as the code says it.
func TestCurrent(t *testing.T) {
	root := filepath.Join("..", "..")
	var got bytes.Buffer
	if err := write(&got, root); err != nil {
		t.Fatal(err)
	}
	want, err := os.ReadFile(filepath.Join(root, "docs", "models.md"))
	if err != nil {
		t.Fatal(err)
	}
	if got.String() != string(want) {
		t.Error("docs/models.md is stale: go run ./bench/models > docs/models.md")
	}
}

// modelOf is what the name of a model has beside its architecture.
var modelOf = regexp.MustCompile(`-(dense|moe)\.gguf$`)

// TestRecorded wants the list of recorded architectures as the recordings are.
func TestRecorded(t *testing.T) {
	f, err := os.Open(golden.Shared(t, "golden", "archs.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var archs []string
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<24)
	for lines.Scan() {
		var row struct{ File string }
		if err := json.Unmarshal(lines.Bytes(), &row); err != nil {
			t.Fatal(err)
		}
		archs = append(archs, modelOf.ReplaceAllString(row.File, ""))
	}
	slices.Sort(archs)
	archs = slices.Compact(archs)
	if want := strings.Fields(recorded); !slices.Equal(archs, want) {
		t.Errorf("recorded.txt has %d architectures, the recordings %d: %q", len(want), len(archs), archs)
	}
}
