package editor

import (
	"slices"
	"strings"
	"testing"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/llamakit/llamakit/tui/cells"
)

// press types a script: words in angle brackets are keys, the rest is text.
func press(e *Editor, script string) {
	keys := map[string]tea.KeyMsg{
		"left": {Type: tea.KeyLeft}, "right": {Type: tea.KeyRight}, "up": {Type: tea.KeyUp}, "down": {Type: tea.KeyDown},
		"home": {Type: tea.KeyHome}, "end": {Type: tea.KeyEnd}, "back": {Type: tea.KeyBackspace}, "del": {Type: tea.KeyDelete},
		"nl": {Type: tea.KeyCtrlJ}, "^w": {Type: tea.KeyCtrlW}, "^u": {Type: tea.KeyCtrlU}, "^k": {Type: tea.KeyCtrlK},
		"wleft": {Type: tea.KeyCtrlLeft}, "wright": {Type: tea.KeyCtrlRight},
	}
	for script != "" {
		if script[0] == '<' {
			name, rest, _ := strings.Cut(script[1:], ">")
			e.Press(keys[name])
			script = rest
			continue
		}
		text, _, _ := strings.Cut(script, "<")
		e.Press(tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune(text)})
		script = script[len(text):]
	}
}

// state is the text with a bar at the cursor.
func state(e *Editor) string { return e.text[:e.cursor] + "|" + e.text[e.cursor:] }

func TestPress(t *testing.T) {
	for _, c := range []struct{ script, want string }{
		{"", "|"},
		{"hello", "hello|"},
		{"hello<left><left>XY", "helXY|lo"},
		{"ab<home>c<end>d", "cabd|"},
		{"日本<back>", "日|"},
		{"a👩‍👩‍👧<back>", "a|"},
		{"🇫🇷🇩🇪<back>", "🇫🇷|"},
		{"e<nl>f<left><left>\u0301", "e\u0301|\nf"},
		{"e\u0301x<left><back>", "|x"},
		{"e\u0301x<home><del>", "|x"},
		{"one two  <^w>", "one |"},
		{"one two<wleft><wleft>X<wright>Y", "XoneY| two"},
		{"a<nl>bc<^u>", "a\n|"},
		{"a<nl>bc<up><home><^k><^k>", "|bc"},
		{"abc<nl>d<nl>efg<up><up>", "a|bc\nd\nefg"},
		{"abc<nl>日本<up>", "abc|\n日本"},
		{"日本<nl>abc<left><left><up>", "|日本\nabc"},
		{"a<left><left><left>b", "b|a"},
		{"a<right><right>b", "ab|"},
		{"a<nl><back>", "a|"},
		{"<back><del><^w><^u><^k>", "|"},
	} {
		var e Editor
		press(&e, c.script)
		if got := state(&e); got != c.want {
			t.Errorf("%s = %q, want %q", c.script, got, c.want)
		}
	}
}

func TestPasteIsTamed(t *testing.T) {
	var e Editor
	e.Insert("a\r\nb\rc\x1b[2J\u202e")
	if want := "a\nb\nc␛[2J<202e>"; e.Text() != want {
		t.Errorf("text = %q, want %q", e.Text(), want)
	}
	e.Insert(strings.Repeat("x", MaxText))
	if len(e.Text()) > MaxText {
		t.Errorf("text has %d bytes", len(e.Text()))
	}
}

func TestHistory(t *testing.T) {
	var e Editor
	for _, s := range []string{"first", "second", "second"} {
		e.Set(s)
		if got := e.Take(); got != s {
			t.Fatalf("Take = %q, then %q", got, e.Text())
		}
	}
	press(&e, "new<up>")
	for i, want := range []string{"second|", "first|", "first|"} {
		if got := state(&e); got != want {
			t.Errorf("%d up = %q, want %q", i+1, got, want)
		}
		press(&e, "<up>")
	}
	press(&e, "<down><down><down>")
	if got := state(&e); got != "new|" {
		t.Errorf("down again = %q, want the draft", got)
	}
}

func TestRender(t *testing.T) {
	look := Look{
		Prompt: "> ", Placeholder: "Type a message",
		Dim: func(s string) string { return s }, Cursor: func(s string) string { return "[" + s + "]" },
	}
	for _, c := range []struct {
		script        string
		width, height int
		want          []string
	}{
		{"", 20, 3, []string{"> [ ]Type a message"}},
		{"", 12, 3, []string{"> [ ]Type a m…"}},
		{"hi", 20, 3, []string{"> hi[ ]"}},
		{"hi<left>", 20, 3, []string{"> h[i]"}},
		{"a<nl>b", 20, 3, []string{"> a", "  b[ ]"}},
		{"abcdefgh", 8, 3, []string{"> abcde", "  fgh[ ]"}},
		{"日本語<left>", 8, 3, []string{"> 日本", "  [語]"}},
		{"a<nl>b<nl>c<nl>d", 20, 2, []string{"  c", "  d[ ]"}},
		{"a<nl>b<nl>c<nl>d<up><up><up>", 20, 2, []string{"> a[ ]", "  b"}},
	} {
		var e Editor
		press(&e, c.script)
		if got := e.Render(c.width, c.height, look); !slices.Equal(got, c.want) {
			t.Errorf("%s at %dx%d = %q, want %q", c.script, c.width, c.height, got, c.want)
		}
	}
}

// FuzzEditor presses random keys and checks that the cursor stays at a border and rows stay narrow.
func FuzzEditor(f *testing.F) {
	f.Add("👩‍👩‍👧e\u0301日\n\tx", "lrbuhdewx", 9)
	f.Fuzz(func(t *testing.T, text, moves string, width int) {
		if width < 6 || width > 100 || len(text) > 200 || len(moves) > 100 {
			t.Skip()
		}
		same := func(s string) string { return s }
		actions := []func(*Editor){
			(*Editor).Left, (*Editor).Right, (*Editor).Up, (*Editor).Down, (*Editor).Backspace, (*Editor).Delete,
			(*Editor).DeleteWord, (*Editor).WordLeft, (*Editor).WordRight, func(e *Editor) { e.Insert(text) },
		}
		var e Editor
		e.Insert(text)
		for i := range len(moves) {
			actions[int(moves[i])%len(actions)](&e)
			if e.border(e.cursor) != e.cursor {
				t.Fatalf("the cursor is inside a character: %q", state(&e))
			}
		}
		for _, line := range e.Render(width, 5, Look{Prompt: "> ", Dim: same, Cursor: same}) {
			if cells.Width(line) > width {
				t.Fatalf("%q is wider than %d", line, width)
			}
		}
	})
}
