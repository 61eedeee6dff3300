package chat

import (
	"context"
	"errors"
	"fmt"

	tea "github.com/charmbracelet/bubbletea"

	enginechat "github.com/llamakit/llamakit/engine/chat"
	"github.com/llamakit/llamakit/tui/toolcall"
)

// pending is the first call of the conversation's end that has no result; all says that every call there was has one.
func (v *View) pending() (call enginechat.ToolCall, open, all bool) {
	path := v.tree().Path()
	at := len(path) - 1
	for at >= 0 && path[at].Message.Role == "tool" {
		at--
	}
	if at < 0 || path[at].Err != "" {
		return call, false, false
	}
	calls, answered := path[at].Message.ToolCalls, len(path)-1-at
	if answered < len(calls) {
		return calls[answered], true, false
	}
	return call, false, len(calls) > 0
}

// resultMsg is the answer to a call that a command gave.
type resultMsg struct {
	call enginechat.ToolCall
	text string
	err  error
}

// answerCalls answers the calls of the last turn: by the command of the tool, or by hand. When all are, the model goes on.
func (v *View) answerCalls() tea.Cmd {
	call, open, all := v.pending()
	switch {
	case v.Busy():
		return nil
	case all && v.rounds >= toolcall.MaxRounds:
		v.note(fmt.Sprintf("%d answers in a row called tools; Ctrl-G goes on", v.rounds))
		v.rounds = 0
		return nil
	case all:
		return v.answer()
	case !open:
		return nil
	}
	if _, ok := v.tools.Commands[call.Name]; !ok {
		v.ask("result of "+call.Name, "", true, func(text string) tea.Cmd { return v.addResult(call, text) })
		return nil
	}
	ctx, cancel := context.WithCancel(v.ctx)
	v.calling = cancel
	tools := v.tools
	return func() tea.Msg {
		text, _, err := tools.Run(ctx, call)
		return resultMsg{call, text, err}
	}
}

// takeResult ends the work of a command. One that was stopped leaves its call to be answered by hand.
func (v *View) takeResult(msg resultMsg) tea.Cmd {
	v.calling()
	v.calling = nil
	if msg.err != nil {
		if !errors.Is(msg.err, context.Canceled) {
			v.note(msg.err.Error())
		}
		v.ask("result of "+msg.call.Name, "", true, func(text string) tea.Cmd { return v.addResult(msg.call, text) })
		return nil
	}
	return v.addResult(msg.call, msg.text)
}

// addResult adds the answer to a call.
func (v *View) addResult(call enginechat.ToolCall, text string) tea.Cmd {
	leaf := v.tree().Leaf()
	v.tree().Add(leaf.ID, enginechat.Message{Role: "tool", Content: text, Name: call.Name, ToolCallID: call.ID})
	v.show()
	return tea.Batch(v.save(), v.answerCalls())
}
