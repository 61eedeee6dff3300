package serve_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
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
	if err := os.Mkdir(filepath.Join(dir, "folder"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		action, file string
		code         int
	}{{"save", ".", 400}, {"restore", ".", 400}, {"save", "folder", 400}, {"restore", "folder", 400}, {"save", "a\nb", 400},
		{"restore", strings.Repeat("x", 300), 400}, {"restore", "torn.bin", 400}, {"restore", "none.bin", 400}, {"restore", "../a.bin", 400}, {"save", "b/c", 400}, {"save", "", 400},
		{"restore", "a.bin", 200}, {"erase", "", 200}, {"save", "empty.bin", 400}} {
		if code, body := act(c.action, c.file); code != c.code {
			t.Errorf("%s %q: %d %s", c.action, c.file, code, body)
		}
	}
	if files, _ := os.ReadDir(dir); len(files) != 3 {
		t.Errorf("files left: %v", files)
	}
	if code, body := post(t, h, "/slots/3?action=erase", ""); code != 200 {
		t.Errorf("erase without a body: %d %s", code, body)
	}
}

// TestSlotFilesOfOneName: whoever saves under a name at the same time as others, the file is one of theirs, whole.
func TestSlotFilesOfOneName(t *testing.T) {
	_, h := start(t, serve.Options{SlotPath: t.TempDir()})
	for slot, n := range []int{10, 60} {
		post(t, h, "/completion", fmt.Sprintf(`{"prompt":"%s","n_predict":1,"id_slot":%d}`, strings.Repeat("one name ", n), slot))
	}
	for range 8 {
		var wg sync.WaitGroup
		for i := range 4 {
			wg.Go(func() {
				if code, body := post(t, h, fmt.Sprintf("/slots/%d?action=save", i%2), `{"filename":"one"}`); code != 200 {
					t.Errorf("save: %d %s", code, body)
				}
			})
		}
		wg.Wait()
		if code, body := post(t, h, "/slots/2?action=restore", `{"filename":"one"}`); code != 200 {
			t.Fatalf("restore: %d %s", code, body)
		}
	}
}
