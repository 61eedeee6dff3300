package inspect

import (
	"context"
	"fmt"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/llamakit/llamakit/engine/vocab"
	"github.com/llamakit/llamakit/formats/gguf"
	"github.com/llamakit/llamakit/tui"
	"github.com/llamakit/llamakit/tui/cells"
	"github.com/llamakit/llamakit/tui/editor"
	"github.com/llamakit/llamakit/tui/inspect/probe"
	"github.com/llamakit/llamakit/tui/printable"
	"github.com/llamakit/llamakit/tui/scroll"
)

// templates are the chat templates of the shown file, rendered on a sample conversation.
type templates struct {
	*files
	job      *job
	template int
	sample   int
	source   bool // the template itself is shown
	rendered *rendering
	scroll   scroll.Text
	visible  int
	width    int // that lines were wrapped for
	lines    []string
}

// rendering is what a job makes.
type rendering struct {
	of     request
	list   []probe.Template
	pieces []piece
	tokens int // 0: not known
	err    error
}

// request is what a rendering depends on.
type request struct{ file, template, sample int }

func newTemplates(f *files) *templates { return &templates{files: f, job: f.newJob()} }

func (t *templates) name() string { return "template" }

func (t *templates) want() request { return request{t.shown, t.template, t.sample} }

func (t *templates) open() tea.Cmd {
	want, f, tokens := t.want(), t.here(), t.files.tokens[t.shown]
	if t.rendered != nil && t.rendered.of == want {
		return nil
	}
	return t.job.start(0, func(ctx context.Context) (any, error) { return render(ctx, f, tokens, want), nil })
}

// render is the work of the job.
func render(ctx context.Context, f *gguf.File, tokens func() (*probe.Tokens, error), want request) *rendering {
	r := &rendering{of: want, list: probe.Templates(f.Metadata)}
	if len(r.list) == 0 {
		return r
	}
	r.of.template %= len(r.list)
	var v *vocab.Vocab // without one the text is shown without its tokens
	if all, err := tokens(); err == nil {
		v = all.Vocab
	}
	text, err := probe.Render(ctx, r.list[r.of.template].Source, probe.Conversations[want.sample], v)
	if r.err = err; err != nil {
		return r
	}
	if v == nil {
		r.pieces = []piece{{text, false}}
		return r
	}
	opt := vocab.EncodeOptions{AddSpecial: true, ParseSpecial: true, Rendered: true}
	ids := v.Encode(text, opt)
	r.tokens, r.pieces = len(ids), pieces(v, text, ids, v.Locate(text, ids, opt))
	return r
}

// pieces cuts a text where control tokens are.
func pieces(v *vocab.Vocab, text string, tokens []vocab.Token, at []vocab.Range) (list []piece) {
	from := 0
	for i, token := range tokens {
		if v.IsControl(token) && at[i].To > at[i].From {
			list = append(list, piece{text[from:at[i].From], false}, piece{text[at[i].From:at[i].To], true})
			from = at[i].To
		}
	}
	return append(list, piece{text[from:], false})
}

func (t *templates) update(msg tea.Msg) tea.Cmd {
	if f, ok := t.job.take(msg); ok {
		t.rendered = f.value.(*rendering)
		t.template, t.width, t.scroll = t.rendered.of.template, 0, scroll.Text{}
	}
	return nil
}

func (t *templates) press(k tea.KeyMsg) tea.Cmd {
	switch key := editor.KeyName(k); key {
	case "s", "right":
		t.sample = (t.sample + 1) % len(probe.Conversations)
	case "left":
		t.sample = (t.sample + len(probe.Conversations) - 1) % len(probe.Conversations)
	case "t":
		t.template++ // render begins anew after the last
	case "r", "enter":
		t.source, t.width, t.scroll = !t.source, 0, scroll.Text{}
	default:
		t.scroll.Press(key, len(t.lines), t.visible)
	}
	return t.open()
}

func (t *templates) back() { t.source, t.width = false, 0 }

func (t *templates) typing() bool { return false }
func (t *templates) stop()        { t.job.stop() }

func (t *templates) status() string {
	return "← → sample conversation  Enter: its source  Tab: next section"
}

func (t *templates) keys() []tui.Key {
	return []tui.Key{{Name: "← →, s", Does: "the next sample conversation"}, {Name: "t", Does: "the next template, where there are several"},
		{Name: "Enter, r", Does: "the template itself, or what it renders"}, {Name: "↑ ↓ PgUp PgDn", Does: "scroll"}}
}

func (t *templates) render(width, height int) []string {
	r := t.rendered
	switch {
	case r == nil:
		return []string{"", "reading ..."}
	case len(r.list) == 0:
		return cells.Wrap("The file has no chat template (key tokenizer.chat_template).", width)
	}
	head := []string{t.head(width), ""}
	if t.width != width {
		t.width, t.lines = width, t.text(width)
	}
	t.visible = max(height-len(head), 1)
	from, to := t.scroll.Window(len(t.lines), t.visible)
	return append(head, t.lines[from:to]...)
}

// head says what is shown.
func (t *templates) head(width int) string {
	r := t.rendered
	what := gguf.Printable(r.list[t.template].Name)
	if len(r.list) > 1 {
		what += fmt.Sprintf(" (%d of %d)", t.template+1, len(r.list))
	}
	if t.source {
		return t.theme.Key.Render(cells.Truncate("template "+what, width))
	}
	c := probe.Conversations[t.sample]
	count := ""
	if r.tokens > 0 {
		count = fmt.Sprintf("%d tokens", r.tokens)
	}
	return cells.Ends(t.theme.Key.Render("template "+what+" on "+c.Name)+t.theme.Faint.Render("  "+c.About), count, width)
}

// text is the template, or what it renders, in lines. Control tokens stand out.
func (t *templates) text(width int) []string {
	r := t.rendered
	switch {
	case t.source:
		return cells.Wrap(printable.Text(shortened(r.list[t.template].Source)), width)
	case r.err != nil:
		return t.failure(r.err, width)
	}
	return flow(r.pieces, width, func(s string) string { return t.theme.User.Render(s) })
}
