package serve

import "testing"

func TestIndentation(t *testing.T) {
	for _, c := range []struct {
		least      int
		text, kept string
	}{
		{0, "a\nb", "a\nb"}, {2, "a\n  b\n\t\tc\n d", "a\n  b\n\t\tc\n "}, {2, "a\n  b\n\n  c", "a\n  b\n"}, {1, "a\nb", "a\n"}, {4, "no break", "no break"},
	} {
		for size := 1; size <= len(c.text); size++ { // however the text is cut into pieces
			d, kept := indentation{least: c.least}, ""
			for i := 0; i < len(c.text); i += size {
				part, ended := d.push(c.text[i:min(i+size, len(c.text))])
				if kept += part; ended {
					break
				}
			}
			if kept != c.kept {
				t.Errorf("%d of %q in pieces of %d: %q, want %q", c.least, c.text, size, kept, c.kept)
			}
		}
	}
}
