package printable

import "testing"

func TestQuoted(t *testing.T) {
	for s, want := range map[string]string{"": `""`, " a\n\t": `" a\n\t"`, `\n`: `"\\n"`, "👩‍👧 e\u0301": "\"👩‍👧 e\u0301\"", "\x1b[2J\r": `"␛[2J\r"`} {
		if got := Quoted(s); got != want {
			t.Errorf("Quoted(%q) = %s, want %s", s, got, want)
		}
	}
}
