package debug

import (
	"context"
	"errors"
	"fmt"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/llamakit/llamakit/engine/debug"
	"github.com/llamakit/llamakit/tui"
)

// work is a run under way.
type work struct {
	what   string
	cancel context.CancelFunc
	latest chan debug.Run   // what there is so far; holds the newest only
	done   chan progressMsg // the end
	hang   func(*debug.Run) // puts the run into the tree
	hung   bool
	tokens int
}

func (w *work) status() string { return fmt.Sprintf("%s: %d tokens", w.what, w.tokens) }

// progressMsg is what came of a run.
type progressMsg struct {
	work *work
	run  *debug.Run
	err  error
	done bool
}

// run runs the input; the run becomes a new tree.
func (v *View) run() tea.Cmd {
	if v.work != nil {
		return nil
	}
	if err := v.parts.err(); err != nil {
		v.failed = err
		return nil
	}
	if v.input.Prompt == "" && len(v.input.Messages) == 0 {
		v.said = "there is nothing to run: a adds a message in the template pane"
		return nil
	}
	in, keep := v.input, v.options.Keep
	return v.start("running", func(ctx context.Context, watch func(debug.Run)) (*debug.Run, error) {
		return v.runner.Run(ctx, in, keep, watch)
	}, v.adopt)
}

// start runs f in a goroutine. The screen sees it a frame at a time.
func (v *View) start(what string, f func(context.Context, func(debug.Run)) (*debug.Run, error), hang func(*debug.Run)) tea.Cmd {
	ctx, cancel := context.WithCancel(v.ctx)
	w := &work{what: what, cancel: cancel, latest: make(chan debug.Run, 1), done: make(chan progressMsg, 1), hang: hang}
	v.work, v.failed, v.said = w, nil, ""
	go func() {
		m := progressMsg{work: w, done: true}
		defer func() {
			if p := recover(); p != nil { // a panic here would leave the terminal as it is
				m.err = fmt.Errorf("internal error: %v", p)
			}
			w.done <- m
		}()
		m.run, m.err = f(ctx, w.put)
	}()
	return w.next
}

// put replaces what there was.
func (w *work) put(r debug.Run) {
	select {
	case <-w.latest:
	default:
	}
	w.latest <- r // this goroutine alone fills it
}

// next is a command: it waits for news.
func (w *work) next() tea.Msg {
	select {
	case m := <-w.done:
		return m
	case r := <-w.latest:
		time.Sleep(tui.Frame)
		return progressMsg{work: w, run: &r}
	}
}

// progress shows what there is.
func (v *View) progress(m progressMsg) tea.Cmd {
	if m.work != v.work {
		return nil
	}
	if m.run != nil && len(m.run.Prompt) > 0 {
		v.work.tokens = len(m.run.Answer)
		if !m.work.hung {
			m.work.hang(m.run)
			m.work.hung = true
		}
		v.shown.Run = m.run
		v.tokens.update(m.run)
	}
	if !m.done {
		return m.work.next
	}
	m.work.cancel()
	v.work = nil
	if m.err != nil && !errors.Is(m.err, context.Canceled) {
		v.failed = m.err
	}
	return v.askGrammar()
}
