package debug

import (
	"errors"
	"fmt"
	"strings"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/llamakit/llamakit/engine/debug"
	"github.com/llamakit/llamakit/tui/cells"
	"github.com/llamakit/llamakit/tui/pane"
	"github.com/llamakit/llamakit/tui/printable"
	"github.com/llamakit/llamakit/tui/scroll"
)

// whyState is the grammar's state at a token.
type whyState struct {
	run    *debug.Run // that was asked about
	at     int
	state  *debug.GrammarState
	err    error
	scroll scroll.Text
}

// grammarMsg is an answer about a run and a token.
type grammarMsg whyState

func (w *whyState) take(m grammarMsg) {
	if m.run == w.run && m.at == w.at {
		w.state, w.err = m.state, m.err
	}
}

// askGrammar asks for the state at the token that was chosen, or else at the end, while that can be seen.
func (v *View) askGrammar() tea.Cmd {
	run, at := v.current(), v.tokens.answer()
	if run == nil || v.pane != whyPane || v.work != nil {
		return nil
	}
	if at < 0 || v.tokens.first || v.tokens.list.Cursor >= v.tokens.len()-1 {
		at = len(run.Answer)
	}
	if v.why.run == run && v.why.at == at {
		return nil
	}
	v.why.run, v.why.at, v.why.state, v.why.err = run, at, nil, nil
	return func() tea.Msg {
		state, err := v.runner.Grammar(run, at)
		return grammarMsg{run: run, at: at, state: state, err: err}
	}
}

// whyBlock says why the answer ended, and what the grammar allowed.
func (v *View) whyBlock(width, height int) []string {
	r := v.current()
	if r == nil {
		return v.nothing(width)
	}
	b := &block{v: v, width: width}
	b.rule("why it ended")
	b.text(v.theme.Key.Render, r.Stop.String())
	b.rule("answer")
	if r.Reasoning != "" {
		b.text(v.theme.Faint.Render, fmt.Sprintf("reasoning, %d characters: %s", len([]rune(r.Reasoning)), r.Reasoning))
	}
	b.text(plain, r.Content)
	for _, c := range r.ToolCalls {
		b.text(plain, "call: "+c.Name+" "+string(c.Arguments))
	}
	b.grammar(&v.why)
	b.rule("run")
	b.text(plain, fmt.Sprintf("seed %d, temperature %g, engine %s", r.Input.Sampling.Seed, r.Input.Sampling.Temperature, r.Engine))
	b.text(plain, fmt.Sprintf("%d of %d prompt tokens came from the cache; prompt %s, answer %s", r.Cached, len(r.Prompt), seconds(r.Prefill), seconds(r.Decode)))
	if r.Reuse != "" {
		b.text(plain, r.Reuse)
	}
	if r.Past > 0 {
		b.text(plain, fmt.Sprintf("a branch: the answer was given up to token +%d", r.Past-1))
	}
	for _, w := range warnings(&debug.Prompt{Attempts: r.Attempts, Notes: r.Notes}) {
		b.text(v.theme.Error.Render, w)
	}
	from, to := v.why.scroll.Window(len(b.lines), height)
	return b.lines[from:to]
}

func seconds(d time.Duration) string { return fmt.Sprintf("%.2f s", d.Seconds()) }

func plain(parts ...string) string { return strings.Join(parts, "") }

// block collects lines under headings.
type block struct {
	v     *View
	width int
	lines []string
}

func (b *block) rule(title string) {
	b.lines = append(b.lines, b.v.theme.Faint.Render(pane.Rule(title, b.width)))
}

func (b *block) text(style func(...string) string, text string) {
	for _, l := range cells.Wrap(printable.Text(text), b.width) {
		b.lines = append(b.lines, style(l))
	}
}

// grammar says what the grammar allows at a token.
func (b *block) grammar(w *whyState) {
	if errors.Is(w.err, debug.ErrNoGrammar) || w.err == nil && w.state == nil {
		return
	}
	place := fmt.Sprintf("the grammar before token +%d", w.at)
	if w.run != nil && w.at == len(w.run.Answer) {
		place = "the grammar at the end"
	}
	b.rule(place)
	if w.err != nil {
		b.text(b.v.theme.Error.Render, w.err.Error())
		return
	}
	b.state(w.state)
}

func (b *block) state(g *debug.GrammarState) {
	switch {
	case g.Free != "":
		b.text(plain, g.Free)
		return
	case g.CanEnd && g.Next == "":
		b.text(plain, "the answer is complete, nothing can follow")
	case g.CanEnd:
		b.text(plain, "the answer may end here")
	default:
		b.text(plain, "the answer must go on")
	}
	if g.Next != "" {
		b.text(plain, "characters that may follow: "+g.Next)
	}
	if g.Allowed > 0 {
		b.text(plain, fmt.Sprintf("%d tokens of the vocabulary may follow", g.Allowed))
	}
	if g.Path != "" {
		b.text(plain, "in the value at "+g.Path)
	}
	if g.Forced != "" {
		b.text(plain, "must follow: "+printable.Quoted(g.Forced))
	}
	for _, a := range g.Rules {
		b.text(plain, strings.Join(a.Rules, " › ")+" wants "+a.Next)
	}
}
