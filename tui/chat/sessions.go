package chat

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/llamakit/llamakit/tui/conversation"
	"github.com/llamakit/llamakit/tui/export"
	"github.com/llamakit/llamakit/tui/picker"
	"github.com/llamakit/llamakit/tui/session"
)

// save is a command that writes the session, as it is now.
func (v *View) save() tea.Cmd {
	if v.options.Store == nil || len(v.tree().Turns()) == 0 {
		return nil
	}
	write, err := v.options.Store.Save(v.session)
	return func() tea.Msg {
		if err == nil {
			err = write()
		}
		if err != nil {
			return failedMsg{fmt.Errorf("the session was not saved: %w", err)}
		}
		return nil
	}
}

// keep writes the session at the end, with what there is of an answer under way.
func (v *View) keep() error {
	if v.options.Store == nil || len(v.tree().Turns()) == 0 {
		return nil
	}
	if turn := v.script.running; turn != nil && turn.Message.Content == "" && turn.Message.Reasoning == "" {
		v.tree().Drop()
	}
	write, err := v.options.Store.Save(v.session)
	if err != nil {
		return err
	}
	return write()
}

// begin starts a new session; the old one is kept.
func (v *View) begin() tea.Cmd {
	if v.Busy() {
		return nil
	}
	system := v.session.System
	fresh := session.New(v.source.Info().Name, time.Now())
	fresh.System = system
	v.open(fresh)
	return nil
}

// open shows a session.
func (v *View) open(s *session.Session) {
	v.leaveTurns()
	if !v.asks.free() {
		v.leaveInput()
	}
	theme, unfold := v.script.theme, v.script.unfold
	v.session, v.script = s, newTranscript()
	v.script.theme, v.script.unfold = theme, unfold
	v.speed, v.rounds = "", 0
	v.show()
}

// chooseSession lists the sessions that were kept.
func (v *View) chooseSession() tea.Cmd {
	if v.Busy() {
		return nil
	}
	if v.options.Store == nil {
		v.note("sessions are not kept here (--no-save)")
		return nil
	}
	list, err := v.options.Store.List()
	if err != nil {
		v.note(err.Error())
		return nil
	}
	var items []picker.Item
	for _, e := range list {
		items = append(items, picker.Item{ID: e.ID, Name: e.Title, Note: fmt.Sprintf("%s  %d turns  %s", e.Changed.Format("2006-01-02 15:04"), e.Turns, e.Model)})
	}
	v.choose("Session", items, func(i picker.Item) tea.Cmd { return v.load(i.ID) })
	return nil
}

// load opens a session by its ID, or a file.
func (v *View) load(name string) tea.Cmd {
	s, err := v.options.Store.Find(name)
	if err != nil {
		v.note(err.Error())
		return nil
	}
	v.open(s)
	return v.answerCalls()
}

// saveAs writes the session, with all its branches, into a file.
func (v *View) saveAs(path string) tea.Cmd {
	data, err := v.session.Encode()
	if err == nil {
		err = writeNew(path, data)
	}
	v.report(err, "the session is in "+path)
	return nil
}

// talk is the conversation for exports.
func (v *View) talk() *export.Talk {
	request := v.present()
	all := v.requestFor(v.tree().Path())
	return &export.Talk{Title: v.session.Title, Messages: all.Messages, Request: request, Source: v.source.Info(), Key: v.options.Key}
}

// export writes the conversation in a format: into a file, or where none is named into the transcript, to be copied.
func (v *View) export(format, path string) tea.Cmd {
	text, err := v.talk().Write(format)
	switch {
	case err != nil:
		v.note(err.Error())
	case path == "":
		v.note(text)
		return v.copied(text)
	default:
		v.report(writeNew(path, []byte(text)), format+" is in "+path)
	}
	return nil
}

func (v *View) report(err error, done string) {
	if err != nil {
		v.note(err.Error())
		return
	}
	v.note(done)
}

// writeNew writes a file that must not be there yet. ~/ is the home folder.
func writeNew(path string, data []byte) error {
	if rest, ok := strings.CutPrefix(path, "~/"); ok {
		if home, err := os.UserHomeDir(); err == nil {
			path = filepath.Join(home, rest)
		}
	}
	if _, err := os.Lstat(path); err == nil {
		return fmt.Errorf("%s is there already; give another name", path)
	}
	if info, err := os.Stat(filepath.Dir(path)); err != nil || !info.IsDir() {
		return fmt.Errorf("%s: the folder does not exist", path)
	}
	return session.WriteFile(path, data)
}

// lastCode is the last block of code that the model wrote.
func lastCode(turn *conversation.Turn) (code string, ok bool) {
	if turn == nil {
		return "", false
	}
	var lines []string
	fence := ""
	for line := range strings.SplitSeq(turn.Message.Text(), "\n") {
		mark := strings.TrimSpace(line)
		switch {
		case fence == "" && strings.HasPrefix(mark, "```"):
			fence, lines = mark[:len(mark)-len(strings.TrimLeft(mark, "`"))], nil
		case fence != "" && mark == fence:
			fence, code, ok = "", strings.Join(lines, "\n")+"\n", true
		case fence != "":
			lines = append(lines, line)
		}
	}
	return code, ok
}
