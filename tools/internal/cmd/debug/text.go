package debug

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/llamakit/llamakit/engine/debug"
	"github.com/llamakit/llamakit/tools/internal/table"
	"github.com/llamakit/llamakit/tui/printable"
)

// lines collects what is printed; the first error of writing stays.
type lines struct {
	w   io.Writer
	err error
}

func (l *lines) print(format string, args ...any) {
	if l.err == nil {
		_, l.err = fmt.Fprintf(l.w, format+"\n", args...)
	}
}

func (l *lines) table(columns []table.Column, rows [][]string) {
	if l.err == nil {
		l.err = table.Write(l.w, false, columns, rows)
	}
}

// promptText prints the rendered text and its tokens.
func (o *options) promptText(p *debug.Prompt) error {
	l := &lines{w: o.stdout}
	l.print("rendered by %s:\n", p.Template)
	l.print("%s\n", printable.Text(p.Text))
	l.table(promptHead, promptRows(p.Tokens, 0))
	l.warnings(p.Attempts, p.Notes)
	return l.err
}

func (l *lines) warnings(attempts []debug.Attempt, notes []string) {
	for _, a := range attempts {
		what := "stays text"
		if a.Taken {
			what = "becomes the control token"
		}
		l.print("attempt: messages[%d] (%s) spells %s, which %s (byte %d)", a.Message, printable.Line(a.Role), printable.Line(a.Text), what, a.Offset)
	}
	for _, n := range notes {
		l.print("note: %s", printable.Line(n))
	}
}

var promptHead = []table.Column{table.Right("token"), table.Right("id"), table.Left("kind"), table.Right("p"), table.Right("rank"), table.Left("text")}

func promptRows(tokens []debug.Token, cached int) [][]string {
	var rows [][]string
	for i := range tokens {
		t := &tokens[i]
		rows = append(rows, []string{fmt.Sprint(i), fmt.Sprint(t.ID), kind(t, i < cached), probability(t), rank(t.Rank), quoted(t)})
	}
	return rows
}

// kind is that of a token, with what else there is to it.
func kind(t *debug.Token, cached bool) string {
	var k []string
	if t.Kind != "" { // a server does not tell it
		k = append(k, t.Kind)
	}
	if t.User {
		k = append(k, "attempt")
	}
	if cached {
		k = append(k, "cached")
	}
	return strings.Join(k, ", ")
}

func probability(t *debug.Token) string {
	if t.Logprob == nil {
		return "-"
	}
	return strconv.FormatFloat(t.P(), 'f', 4, 64)
}

func rank(n int) string {
	if n == 0 {
		return "-"
	}
	return fmt.Sprint(n)
}

// quoted is the text of a token, with its bytes where they are no text by themselves.
func quoted(t *debug.Token) string {
	if t.Bytes == nil {
		return printable.Quoted(t.Text)
	}
	hex := make([]string, len(t.Bytes))
	for i, b := range t.Bytes {
		hex[i] = fmt.Sprintf("%02x", b)
	}
	return "bytes " + strings.Join(hex, " ")
}

var answerHead = []table.Column{table.Right("token"), table.Right("id"), table.Right("p"), table.Right("rank"), table.Right("margin"), table.Left("text"), table.Left("candidates")}

func answerRows(r *debug.Run) [][]string {
	var rows [][]string
	for i := range r.Answer {
		t := &r.Answer[i]
		margin := "-"
		if t.Margin != nil {
			margin = strconv.FormatFloat(float64(*t.Margin), 'f', 2, 64)
		}
		text := quoted(t)
		if i < r.Past {
			text += " (given)"
		}
		rows = append(rows, []string{fmt.Sprint(i), fmt.Sprint(t.ID), probability(t), rank(t.Rank), margin, text, candidates(t)})
	}
	return rows
}

// candidates lists the others, and who removed them.
func candidates(t *debug.Token) string {
	var list []string
	for _, c := range t.Candidates {
		if c.ID == t.ID {
			continue
		}
		text := fmt.Sprintf("%s %.3f", printable.Quoted(c.Text), c.P)
		if c.Removed != "" {
			text += " -" + c.Removed
		}
		list = append(list, text)
	}
	return strings.Join(list, "  ")
}

// runText prints a run.
func (o *options) runText(runner debug.Runner, r *debug.Run) error {
	l := &lines{w: o.stdout}
	l.print("model %s, seed %d, %s", printable.Line(r.Model.Name), r.Input.Sampling.Seed, r.Template)
	l.print("\nprompt: %d tokens%s%s\n", len(r.Prompt), cached(r), perplexity(r))
	l.table(promptHead, promptRows(r.Prompt, r.Cached))
	l.warnings(r.Attempts, r.Notes)
	l.print("\nanswer: %d tokens\n", len(r.Answer))
	l.table(answerHead, answerRows(r))
	if r.Reasoning != "" {
		l.print("\nreasoning:\n%s", printable.Text(r.Reasoning))
	}
	l.print("\ntext:\n%s", printable.Text(r.Content))
	for _, c := range r.ToolCalls {
		l.print("call: %s %s", printable.Line(c.Name), printable.Line(string(c.Arguments)))
	}
	l.print("\nstopped: %s", printable.Line(r.Stop.String()))
	if g, err := runner.Grammar(r, len(r.Answer)); err == nil {
		l.grammar(g)
	}
	return l.err
}

func cached(r *debug.Run) string {
	if r.Cached == 0 {
		return ""
	}
	return fmt.Sprintf(", %d from the cache", r.Cached)
}

func perplexity(r *debug.Run) string {
	ppl, n := r.Perplexity()
	if n == 0 {
		return ""
	}
	return fmt.Sprintf(", perplexity %.2f", ppl)
}

// grammar prints what a grammar allows at the end of an answer.
func (l *lines) grammar(g *debug.GrammarState) {
	if g.Free != "" {
		l.print("grammar: %s", g.Free)
		return
	}
	end := "must go on"
	if g.CanEnd {
		end = "may end"
	}
	l.print("grammar: the answer %s", end)
	if g.Next != "" {
		l.print("  characters that may follow: %s", printable.Line(g.Next))
	}
	if g.Allowed > 0 {
		l.print("  tokens that may follow: %d", g.Allowed)
	}
	if g.Path != "" {
		l.print("  at %s", printable.Line(g.Path))
	}
	if g.Forced != "" {
		l.print("  must follow: %s", printable.Quoted(g.Forced))
	}
	for _, a := range g.Rules {
		l.print("  %s wants %s", printable.Line(strings.Join(a.Rules, " > ")), printable.Line(a.Next))
	}
}
