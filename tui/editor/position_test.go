package editor

import "testing"

func TestPosition(t *testing.T) {
	var e Editor
	e.Set("one\ntwö 日本\n")
	for _, c := range []struct{ line, column, wantLine, wantColumn int }{
		{1, 1, 1, 1}, {2, 4, 2, 4}, {2, 6, 2, 6}, {2, 99, 2, 7}, {99, 1, 3, 1}, {0, 0, 1, 1},
	} {
		e.Go(c.line, c.column)
		if line, column := e.Position(); line != c.wantLine || column != c.wantColumn {
			t.Errorf("Go(%d, %d): at %d, %d", c.line, c.column, line, column)
		}
	}
}
