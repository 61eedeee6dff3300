package section

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestSection(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.md")
	const begin, end = "a\n<!-- x: begin -->\n", "<!-- x: end -->\nb\n"
	if err := os.WriteFile(path, []byte(begin+"old\n"+end), 0o644); err != nil {
		t.Fatal(err)
	}
	if text, err := Read(path, "x"); err != nil || text != "old\n" {
		t.Errorf("%q, %v", text, err)
	}
	for _, text := range []string{"new\n", "newer\n"} {
		if err := Write(path, "x", text); err != nil {
			t.Fatal(err)
		}
		if data, err := os.ReadFile(path); err != nil || string(data) != begin+"\n"+text+"\n"+end {
			t.Errorf("%q, %v", data, err)
		}
	}
	if err := Write(path, "y", "z\n"); err == nil || !strings.Contains(err.Error(), "<!-- y: begin -->") {
		t.Errorf("a section that is not there: %v", err)
	}
}
