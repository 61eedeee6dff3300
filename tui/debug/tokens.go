package debug

import (
	"fmt"
	"strconv"

	"github.com/charmbracelet/lipgloss"

	"github.com/llamakit/llamakit/engine/debug"
	"github.com/llamakit/llamakit/tui/cells"
	"github.com/llamakit/llamakit/tui/plot"
	"github.com/llamakit/llamakit/tui/printable"
	"github.com/llamakit/llamakit/tui/scroll"
)

// tokenList is the prompt and the answer of a run, one token of which is chosen.
type tokenList struct {
	run    *debug.Run
	list   scroll.List
	height int  // of the list when it was drawn last
	first  bool // the cursor is at the first token of the answer, until it is moved
}

// reset begins with a run: at the first token of its answer.
func (l *tokenList) reset(run *debug.Run) {
	*l = tokenList{height: l.height, first: true}
	l.update(run)
}

// update shows another run, or more of it. The cursor stays.
func (l *tokenList) update(run *debug.Run) {
	if l.run = run; l.first {
		l.list.Cursor = len(run.Prompt)
	}
}

func (l *tokenList) len() int {
	if l.run == nil {
		return 0
	}
	return len(l.run.Prompt) + len(l.run.Answer)
}

// at is a token of the list.
func (l *tokenList) at(i int) *debug.Token {
	if n := len(l.run.Prompt); i >= n {
		return &l.run.Answer[i-n]
	}
	return &l.run.Prompt[i]
}

// chosen is the token under the cursor, or nil.
func (l *tokenList) chosen() *debug.Token {
	if l.len() == 0 {
		return nil
	}
	l.list.Cursor = max(0, min(l.list.Cursor, l.len()-1))
	return l.at(l.list.Cursor)
}

// answer is the index of the chosen token in the answer; -1: it is in the prompt.
func (l *tokenList) answer() int {
	if l.chosen() == nil {
		return -1
	}
	return max(-1, l.list.Cursor-len(l.run.Prompt))
}

func (l *tokenList) press(key string) {
	l.first = false
	switch key = scroll.Arrow(key); key {
	case "n":
		l.surprise(1)
	case "N":
		l.surprise(-1)
	}
	l.list.Press(key, l.len(), l.height)
}

// surprising is the probability below which a token surprises.
const surprising = 0.05

// surprise goes to the next token that surprises.
func (l *tokenList) surprise(by int) {
	for i := l.list.Cursor + by; i >= 0 && i < l.len(); i += by {
		if t := l.at(i); t.Logprob != nil && t.P() < surprising {
			l.list.Cursor = i
			return
		}
	}
}

// scale is the style of a token by its probability.
func (v *View) scale(t *debug.Token) lipgloss.Style {
	p := t.P()
	switch {
	case t.User:
		return v.theme.Error
	case t.Logprob == nil && t.Special():
		return v.theme.User
	case t.Logprob == nil || p >= 0.5:
		return v.theme.Scale[0]
	case p >= 0.1:
		return v.theme.Scale[1]
	case p >= 0.01:
		return v.theme.Scale[2]
	}
	return v.theme.Scale[3]
}

// wide is the width from which lists have all their columns.
const wide = 60

// tokensBlock lists the tokens.
func (v *View) tokensBlock(width, height int) []string {
	l := &v.tokens
	if l.len() == 0 {
		return v.nothing(width)
	}
	head := fmt.Sprintf("  %5s %6s %-7s %6s %5s %-8s %s", "token", "id", "kind", "p", "rank", "", "text")
	if width < wide {
		head = fmt.Sprintf("  %5s %-7s %6s  %s", "token", "kind", "p", "text")
	}
	lines := []string{v.theme.Faint.Render(cells.Fit(head, width))}
	l.height = max(1, height-2)
	from, to := l.list.Window(l.len(), l.height)
	for i := from; i < to; i++ {
		lines = append(lines, v.tokenLine(i, width))
	}
	return append(cells.Block(lines, height-1), v.theme.Faint.Render(cells.Fit(v.tokensSummary(), width)))
}

// tokenLine draws a token: those of the answer are numbered from 0 again.
func (v *View) tokenLine(i, width int) string {
	t, mark, number := v.tokens.at(i), "  ", fmt.Sprint(i)
	if n := len(v.tokens.run.Prompt); i >= n {
		number = "+" + strconv.Itoa(i-n)
	}
	if i == v.tokens.list.Cursor {
		mark = "› "
	}
	p, rank, bar := "-", "-", ""
	if t.Logprob != nil {
		p, bar = fmt.Sprintf("%.4f", t.P()), plot.Fraction(t.P(), 7)
	}
	if t.Rank > 0 { // a server does not tell those beyond its candidates
		rank = strconv.Itoa(t.Rank)
	}
	head := fmt.Sprintf("%s%5s %6d %-7s %6s %5s %-7s  ", mark, number, t.ID, v.kind(i, t), p, rank, bar)
	if width < wide {
		head = cells.Truncate(fmt.Sprintf("%s%5s %-7s %6s  ", mark, number, v.kind(i, t), p), width)
	}
	text := cells.Truncate(quoted(t), width-cells.Width(head))
	if i == v.tokens.list.Cursor {
		return v.theme.Key.Render(head) + v.scale(t).Bold(true).Render(text)
	}
	return head + v.scale(t).Render(text)
}

// kind says in a word or two what a token is.
func (v *View) kind(i int, t *debug.Token) string {
	kind := ""
	switch {
	case t.User:
		kind = "attempt"
	case t.Special():
		kind = "ctrl"
	case t.Kind != "normal":
		kind = map[string]string{"user-defined": "userdef", "undefined": "undef"}[t.Kind]
		if kind == "" {
			kind = t.Kind
		}
	}
	switch n := len(v.tokens.run.Prompt); {
	case t.User:
	case i < v.tokens.run.Cached:
		kind = "c " + kind
	case i >= n && i-n < v.tokens.run.Past:
		kind = "past"
	}
	return kind
}

// quoted is the text of a token in quotes, or its bytes.
func quoted(t *debug.Token) string {
	if t.Bytes != nil {
		return visible(t)
	}
	return printable.Quoted(t.Text)
}

func (v *View) tokensSummary() string {
	r := v.tokens.run
	s := fmt.Sprintf("prompt %d tokens", len(r.Prompt))
	if r.Cached > 0 {
		s += fmt.Sprintf(" (c: %d from the cache)", r.Cached)
	}
	if ppl, n := r.Perplexity(); n > 0 {
		s += fmt.Sprintf(", perplexity %.2f", ppl)
	}
	s += fmt.Sprintf(" · answer %d tokens", len(r.Answer))
	if r.Stop.Reason != "" {
		s += ", " + r.Stop.Reason
	}
	return s
}

// nothing is what there is to see before the first run.
func (v *View) nothing(width int) []string {
	return []string{"", v.theme.Faint.Render(cells.Truncate("  there is no run yet: g runs the input", width))}
}
