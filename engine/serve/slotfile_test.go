package serve_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/llamakit/llamakit/engine/serve"
)

func TestSlotFiles(t *testing.T) {
	dir := t.TempDir()
	_, h := start(t, serve.Options{SlotPath: dir})
	prompt := `{"prompt":"` + strings.Repeat("slot file ", 40) + `","n_predict":1,"id_slot":3}`
	post(t, h, "/completion", prompt)
	act := func(action, file string) (int, string) {
		return post(t, h, "/slots/3?action="+action, fmt.Sprintf(`{"filename":%q}`, file))
	}
	code, body := act("save", "a.bin")
	if n, _ := at(decode(t, body), "n_saved").(float64); code != 200 || n < 40 {
		t.Fatalf("save: %d %s", code, body)
	}
	data, err := os.ReadFile(filepath.Join(dir, "a.bin"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "torn.bin"), data[:len(data)/2], 0o644); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		action, file string
		code         int
	}{{"restore", "torn.bin", 400}, {"restore", "none.bin", 400}, {"restore", "../a.bin", 400}, {"save", "b/c", 400}, {"save", "", 400},
		{"restore", "a.bin", 200}, {"erase", "", 200}, {"save", "empty.bin", 400}} {
		if code, body := act(c.action, c.file); code != c.code {
			t.Errorf("%s %q: %d %s", c.action, c.file, code, body)
		}
	}
	if files, _ := os.ReadDir(dir); len(files) != 2 {
		t.Errorf("files left: %v", files)
	}
}
