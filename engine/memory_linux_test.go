package engine

import (
	"os"
	"path/filepath"
	"testing"
)

func TestFreeMemory(t *testing.T) {
	if n := freeMemory(); n < 1<<20 || n > 1<<50 {
		t.Errorf("%d bytes are free", n)
	}
}

func TestCgroupFree(t *testing.T) {
	root := t.TempDir()
	for path, files := range map[string]map[string]string{
		"":           {},
		"slice":      {"memory.max": "1000\n", "memory.current": "700\n", "memory.stat": "anon 100\nactive_file 20\ninactive_file 30\n"},
		"slice/a":    {"memory.max": "max\n", "memory.current": "600\n"},
		"slice/a/b":  {"memory.max": "500\n", "memory.current": "450\n"},
		"slice/full": {"memory.max": "100\n", "memory.current": "110\n", "memory.stat": ""},
	} {
		dir := filepath.Join(root, path)
		if err := os.MkdirAll(dir, 0o777); err != nil {
			t.Fatal(err)
		}
		for name, text := range files {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, c := range []struct {
		membership string
		free       int64
		limited    bool
	}{
		{"0::/\n", 0, false},
		{"0::/slice\n", 350, true},
		{"0::/slice/a\n", 350, true},
		{"1:cpu:/x\n0::/slice/a/b\n", 50, true},
		{"0::/slice/full\n", 0, true},
		{"0::/none\n", 0, false},
		{"4:memory:/slice\n", 0, false},
		{"", 0, false},
	} {
		if free, limited := cgroupFree(root, c.membership); free != c.free || limited != c.limited {
			t.Errorf("%q: %d, %t; want %d, %t", c.membership, free, limited, c.free, c.limited)
		}
	}
}
