package flags

import "testing"

func TestSize(t *testing.T) {
	for text, want := range map[string]int64{"100": 100, "100b": 100, "4k": 4096, "1.5KiB": 1536, "700M": 700 << 20, "4GiB": 4 << 30, "2 t": 2 << 40} {
		if got, err := parseSize(text); err != nil || got != want {
			t.Errorf("%q: %d, %v, want %d", text, got, err, want)
		}
	}
	for _, text := range []string{"", "x", "-1", "0", "4X", "4kk", "1e400", "99999999t"} {
		if got, err := parseSize(text); err == nil {
			t.Errorf("%q: %d", text, got)
		}
	}
}
