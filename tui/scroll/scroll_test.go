package scroll

import "testing"

func TestList(t *testing.T) {
	var l List
	for _, c := range []struct {
		key              string
		cursor, from, to int
	}{{"down", 1, 0, 4}, {"pgdown", 4, 1, 5}, {"end", 9, 6, 10}, {"down", 9, 6, 10}, {"up", 8, 6, 10}, {"pgup", 5, 5, 9}, {"home", 0, 0, 4}, {"up", 0, 0, 4}} {
		if !l.Press(c.key, 10, 4) {
			t.Fatalf("%s means nothing", c.key)
		}
		if from, to := l.Window(10, 4); l.Cursor != c.cursor || from != c.from || to != c.to {
			t.Errorf("%s: at %d, lines %d to %d, want %+v", c.key, l.Cursor, from, to, c)
		}
	}
	l.Cursor = 9
	if from, to := l.Window(3, 4); l.Cursor != 2 || from != 0 || to != 3 {
		t.Errorf("of a list that became shorter: %d, %d to %d", l.Cursor, from, to)
	}
	if from, to := l.Window(0, 4); from != 0 || to != 0 || l.Press("x", 3, 3) {
		t.Errorf("of nothing: %d to %d", from, to)
	}
}

func TestText(t *testing.T) {
	var w Text
	for _, c := range []struct {
		key      string
		from, to int
	}{{"down", 1, 5}, {" ", 4, 8}, {"end", 6, 10}, {"j", 6, 10}, {"k", 5, 9}, {"home", 0, 4}} {
		w.Press(c.key, 10, 4)
		if from, to := w.Window(10, 4); from != c.from || to != c.to {
			t.Errorf("%s: %d to %d, want %+v", c.key, from, to, c)
		}
	}
	if from, to := w.Window(2, 4); from != 0 || to != 2 || w.Press("x", 2, 4) {
		t.Errorf("less than a window: %d to %d", from, to)
	}
}
