package probe

import (
	"path"
	"slices"
	"strings"
)

// Table is a list that is filtered and sorted: a choice of the rows of a source, in an order. The zero value shows nothing;
// NewTable shows all.
type Table struct {
	rows   []string // of each row what the filter looks at, in lower case; the name is up to the first newline
	orders []Order

	filter   string
	changed  func(row int) bool // nil: all rows are shown
	order    int
	backward bool
	shown    []int
}

// Order is a way to sort: less compares rows by number.
type Order struct {
	Name    string
	Compare func(a, b int) int // nil: the order of the file
}

// NewTable makes a table of rows, each of a name and further text that may be looked for.
func NewTable(names, texts []string, orders ...Order) *Table {
	t := &Table{rows: make([]string, len(names)), orders: append([]Order{{Name: "file"}}, orders...)}
	for i, name := range names {
		t.rows[i] = strings.ToLower(name + "\n" + texts[i])
	}
	t.update()
	return t
}

// Len is the number of rows that are shown, and Row the number in the source of the i-th of them.
func (t *Table) Len() int      { return len(t.shown) }
func (t *Table) Row(i int) int { return t.shown[i] }

// Total is the number of all rows.
func (t *Table) Total() int { return len(t.rows) }

// Filter shows the rows that match all words of a text. A word matches where it stands in a row; with * or ?, where it is the
// pattern of the whole name; with ! before it, where it would not match.
func (t *Table) Filter(text string) {
	t.filter = text
	t.update()
}

// Only shows those rows alone for which keep is true; nil shows all again.
func (t *Table) Only(keep func(row int) bool) {
	t.changed = keep
	t.update()
}

// NextOrder sorts by the next way, and Turn the other way round.
func (t *Table) NextOrder() {
	t.order, t.backward = (t.order+1)%len(t.orders), false
	t.update()
}

// Turn reverses the order.
func (t *Table) Turn() {
	t.backward = !t.backward
	t.update()
}

// Order says how the rows are sorted.
func (t *Table) Order() (name string, backward bool) { return t.orders[t.order].Name, t.backward }

func (t *Table) update() {
	words := strings.Fields(strings.ToLower(t.filter))
	t.shown = make([]int, 0, len(t.rows))
	for i, row := range t.rows {
		if (t.changed == nil || t.changed(i)) && matches(row, words) {
			t.shown = append(t.shown, i)
		}
	}
	if compare := t.orders[t.order].Compare; compare != nil {
		slices.SortStableFunc(t.shown, compare)
	}
	if t.backward {
		slices.Reverse(t.shown)
	}
}

func matches(row string, words []string) bool {
	for _, w := range words {
		w, not := strings.CutPrefix(w, "!")
		found := strings.Contains(row, w)
		if strings.ContainsAny(w, "*?") {
			name, _, _ := strings.Cut(row, "\n")
			found, _ = path.Match(w, name)
		}
		if w != "" && found == not {
			return false
		}
	}
	return true
}

// Natural compares names as people do: blk.2 comes before blk.10.
func Natural(a, b string) int {
	for a != "" && b != "" {
		x, y := digits(a), digits(b)
		if x == "" || y == "" {
			if a[0] != b[0] {
				return int(a[0]) - int(b[0])
			}
			a, b = a[1:], b[1:]
			continue
		}
		m, n := strings.TrimLeft(x, "0"), strings.TrimLeft(y, "0")
		if len(m) != len(n) {
			return len(m) - len(n)
		}
		if c := strings.Compare(m, n); c != 0 {
			return c
		}
		a, b = a[len(x):], b[len(y):]
	}
	return len(a) - len(b)
}

// digits is the number that s begins with.
func digits(s string) string {
	n := 0
	for n < len(s) && s[n] >= '0' && s[n] <= '9' {
		n++
	}
	return s[:n]
}
