package serve

// indentation ends an answer before a line that is indented less than another (n_indent of llama.cpp): code that is completed within a
// function ends where the function does. The first line goes on from the prompt, and counts for nothing.
type indentation struct {
	least int // blanks and tabs; 0: any will do
	begun bool
	here  int // of the line that begins
}

// push takes the next text and returns what is kept of it.
func (d *indentation) push(text string) (kept string, ended bool) {
	if d.least == 0 {
		return text, false
	}
	for i, r := range text {
		switch {
		case d.begun && (r == ' ' || r == '\t'):
			d.here++
			continue
		case d.begun && d.here < d.least:
			return text[:i], true
		}
		d.begun, d.here = r == '\n', 0
	}
	return text, false
}
