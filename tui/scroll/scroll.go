// Package scroll keeps the position in a list of lines or items that is longer than its window.
package scroll

// List is a window on items, one of which is chosen. The zero value is at the first.
type List struct {
	Cursor int // the chosen item
	top    int // the first one in view
}

// Press moves by a key, with page items a page key, and reports whether the key means anything here.
func (l *List) Press(key string, items, page int) bool {
	page = max(page-1, 1)
	step, ok := map[string]int{"up": -1, "down": 1, "ctrl+p": -1, "ctrl+n": 1, "pgup": -page, "pgdown": page,
		"home": -items, "end": items, "ctrl+home": -items, "ctrl+end": items}[key]
	if ok {
		l.Cursor = max(0, min(l.Cursor+step, items-1))
	}
	return ok
}

// Arrow is the key that a letter stands for where letters are no text: k is up, j is down.
func Arrow(key string) string {
	switch key {
	case "k":
		return "up"
	case "j":
		return "down"
	}
	return key
}

// Window is the range of items in view: at most height, the chosen one among them.
func (l *List) Window(items, height int) (from, to int) {
	height = max(height, 1)
	l.Cursor = max(0, min(l.Cursor, items-1))
	l.top = max(min(l.top, l.Cursor, items-height), l.Cursor-height+1, 0)
	return l.top, min(l.top+height, items)
}

// Text is a window on lines, none of which is chosen. The zero value is at the first.
type Text struct{ top int }

// Press scrolls by a key and reports whether the key means anything here.
func (t *Text) Press(key string, lines, height int) bool {
	page := max(height-1, 1)
	step, ok := map[string]int{"up": -1, "down": 1, "k": -1, "j": 1, "pgup": -page, "pgdown": page, " ": page,
		"home": -lines, "end": lines, "ctrl+home": -lines, "ctrl+end": lines}[key]
	if ok {
		t.top = max(0, min(t.top+step, lines-height))
	}
	return ok
}

// Window is the range of lines in view.
func (t *Text) Window(lines, height int) (from, to int) {
	t.top = max(0, min(t.top, lines-height))
	return t.top, min(t.top+height, lines)
}
