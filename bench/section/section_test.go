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
	if err := Check(path, "x"); err != nil {
		t.Error(err)
	}
	if err := Check(path, "y"); err == nil {
		t.Error("a section that is not there passes")
	}
	if os.Geteuid() != 0 { // to root nothing is read-only
		if err := os.Chmod(path, 0o400); err != nil {
			t.Fatal(err)
		}
		if err := Check(path, "x"); err == nil {
			t.Error("a file that cannot be written passes")
		}
	}
	if err := Write(path, "y", "z\n"); err == nil || !strings.Contains(err.Error(), "<!-- y: begin -->") {
		t.Errorf("a section that is not there: %v", err)
	}
}

// TestWriteFails: what cannot be written whole leaves the document as it is.
func TestWriteFails(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.md")
	const text = "<!-- x: begin -->\nold\n<!-- x: end -->\n"
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(path+".new", 0o755); err != nil { // in the way
		t.Fatal(err)
	}
	err := Write(path, "x", "new\n")
	if data, readErr := os.ReadFile(path); err == nil || readErr != nil || string(data) != text {
		t.Errorf("%v, %v, %q", err, readErr, data)
	}
}
