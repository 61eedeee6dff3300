package qr

import (
	"strings"
	"testing"
)

// TestEncode pins a code that a reader has read.
func TestEncode(t *testing.T) {
	c, err := Encode("http://a.b/")
	if err != nil {
		t.Fatal(err)
	}
	if got := c.String(); got != strings.TrimPrefix(want, "\n") {
		t.Errorf("got\n%s", got)
	}
	for n, size := range map[int]int{1: 21, 17: 21, 18: 25, 134: 41, 135: 45, 154: 45, 155: 49, 271: 57} {
		if c, err := Encode(strings.Repeat("x", n)); err != nil || c.size != size {
			t.Errorf("%d bytes: %v, want %d modules", n, err, size)
		}
	}
	if _, err := Encode(strings.Repeat("x", 272)); err == nil {
		t.Error("272 bytes are a code")
	}
}

// TestRemainder: data with its check is divisible, so that its own check is zero.
func TestRemainder(t *testing.T) {
	data := []byte("any bytes")
	for _, r := range remainder(append(data, remainder(data, 10)...), 10) {
		if r != 0 {
			t.Fatal("the remainder is not one")
		}
	}
}

const want = `
█████████████████████████
██ ▄▄▄▄▄ █▄█  ▄█ ▄▄▄▄▄ ██
██ █   █ █  █▄▀█ █   █ ██
██ █▄▄▄█ █▄▀▀ ▀█ █▄▄▄█ ██
██▄▄▄▄▄▄▄█▄█▄▀ █▄▄▄▄▄▄▄██
██    ▀█▄█  ▄  ▄█▀   ▀ ██
████▄▀ ▄▄▄▀▄  █ ▄ █ █ ▄██
███▄█▄▄█▄█ ▀ ▀▄▀▄█ ▄██▄██
██ ▄▄▄▄▄ ██▀ ▄▄ ▄█ ▀▀▀▀██
██ █   █ █▀▄▄█▄▀█▄▄█▄▀███
██ █▄▄▄█ █ █▄█ █ ▄▀▀▄█▀██
██▄▄▄▄▄▄▄█▄██▄▄▄▄██▄▄████
▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀
`
