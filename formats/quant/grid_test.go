package quant

import (
	"fmt"
	"hash/crc32"
	"testing"
)

// TestCodebooks pins every entry: the checksums were taken when all of them had been seen to decode as in ggml 0.27.0.
func TestCodebooks(t *testing.T) {
	ternaries := make([]uint64, len(iq1Grid))
	for i, digits := range iq1Grid {
		ternaries[i] = uint64(digits)
	}
	for _, c := range []struct {
		name string
		grid []uint64
		want uint32
	}{
		{"iq1", ternaries, 0xfafeffb9},
		{"iq2_xxs", iq2xxsGrid, 0x9924ff02},
		{"iq2_xs", iq2xsGrid, 0xfa1e1bfd},
		{"iq2_s", iq2sGrid, 0x25ae5bf1},
		{"iq3_xxs", iq3xxsGrid, 0x02d7b5c2},
		{"iq3_s", iq3sGrid, 0x42b41739},
	} {
		var raw []byte
		seen := map[uint64]bool{}
		for _, entry := range c.grid {
			raw = le.AppendUint64(raw, entry)
			seen[entry] = true
		}
		if got := crc32.ChecksumIEEE(raw); got != c.want {
			t.Errorf("%s: checksum %#08x, want %#08x", c.name, got, c.want)
		}
		if len(seen) != len(c.grid) {
			t.Errorf("%s: %d different entries of %d", c.name, len(seen), len(c.grid))
		}
	}
}

// TestUnpack shows the order of digits on one entry.
func TestUnpack(t *testing.T) {
	got := fmt.Sprintf("%016x", unpack([]uint16{0x8001}, 8, []byte{8, 25, 43}))
	if got != "[2b08080808080819]" {
		t.Errorf("unpack: %s", got)
	}
}

func TestEvenSigns(t *testing.T) {
	for code, want := range map[uint32]uint32{0: 0, 1: 0x81, 2: 0x82, 3: 3, 0x7f: 0xff, 0x7e: 0x7e} {
		if got := evenSigns(code); got != want {
			t.Errorf("evenSigns(%#x) = %#x, want %#x", code, got, want)
		}
	}
}
