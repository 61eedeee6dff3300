package terminal

import (
	"bytes"
	"os"
	"testing"
)

// TestNone: neither memory nor a file is a terminal.
func TestNone(t *testing.T) {
	f, err := os.Create(t.TempDir() + "/file")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for _, stream := range []any{&bytes.Buffer{}, f, nil} {
		if Is(stream) || Draws(stream) || Colours(stream) || Width(stream) != 0 {
			t.Errorf("%T is a terminal", stream)
		}
	}
}
