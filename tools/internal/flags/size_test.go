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

func TestDecimalSize(t *testing.T) {
	for text, want := range map[string]int64{"100K": 100e3, "3M": 3e6, "2G": 2e9, "9223372036G": 9223372036e9} {
		if got, err := parseDecimalSize(text); err != nil || got != want {
			t.Errorf("%s: %d, %v", text, got, err)
		}
	}
	for _, text := range []string{"", "M", "5", "0M", "-1M", "1.5M", "1GB", "1 M", "1MM", "9223372037G", "99999999999999999999M"} {
		if got, err := parseDecimalSize(text); err == nil {
			t.Errorf("%q is %d", text, got)
		}
	}
}
