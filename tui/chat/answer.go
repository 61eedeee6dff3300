package chat

import (
	"fmt"
	"math/rand/v2"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/llamakit/llamakit/engine"
	enginechat "github.com/llamakit/llamakit/engine/chat"
	"github.com/llamakit/llamakit/tui/conversation"
	"github.com/llamakit/llamakit/tui/source"
	"github.com/llamakit/llamakit/tui/toolcall"
)

// requestFor is the request for what follows a path.
func (v *View) requestFor(path []*conversation.Turn) source.Request {
	r := v.request
	r.Messages = v.session.Messages(path)
	if r.Template.Tools = nil; len(v.tools.JSON) > 0 {
		r.Template.Tools = v.tools.JSON
	}
	return r
}

// present is the request for the latest answer, or for the answer to what is typed.
func (v *View) present() source.Request {
	path := v.tree().Path()
	text := v.input.Text()
	if v.asks.free() && text != "" && !isCommand(text) {
		r := v.requestFor(path)
		r.Messages = append(r.Messages, enginechat.Message{Role: "user", Content: text})
		return r
	}
	if n := len(path); n > 0 && path[n-1].Message.Role == "assistant" {
		r := v.requestFor(path[:n-1])
		if m := path[n-1].Made; m != nil {
			r.Sampling.Seed = m.Seed
		}
		return r
	}
	return v.requestFor(path)
}

// answer asks for an answer to the conversation. Its parts arrive as messages.
func (v *View) answer() tea.Cmd {
	saved := v.save()
	if v.focus == onTurns {
		v.leaveTurns()
	}
	path := v.tree().Path()
	r := v.requestFor(path)
	parent := 0
	if len(path) > 0 {
		parent = path[len(path)-1].ID
		path[len(path)-1].Err = ""
	}
	turn := v.tree().Add(parent, enginechat.Message{Role: "assistant"})
	if r.Sampling.Seed < 0 { // chosen here, so that it is known
		r.Sampling.Seed = int64(rand.Uint32() >> 1)
	} else { // the same question once more wants another answer
		r.Sampling.Seed += int64(v.tree().Place(turn))
	}
	turn.Made = &conversation.Made{At: time.Now(), Seed: r.Sampling.Seed}
	used := v.used
	v.show()
	v.used = used
	v.script.running, v.script.follow = turn, true
	v.meter, v.speed = meter{}, ""
	v.rounds++
	v.running = newStream(v.ctx, v.source, r)
	return tea.Batch(saved, v.running.next)
}

// take adds what came since the last frame.
func (v *View) take(b batch) tea.Cmd {
	if b.from != v.running {
		return nil
	}
	turn := v.script.running
	m := turn.Made
	turn.Message.Content += b.text
	turn.Message.Reasoning += b.reasoning
	v.running.calls = append(v.running.calls, b.calls...)
	m.Tokens = append(m.Tokens, b.tokens...)
	m.Prompt, m.Generated = max(m.Prompt, b.prompt), max(m.Generated, b.generated)
	v.used = m.Prompt + m.Generated
	if speed := v.meter.add(b); speed > 0 {
		v.speed = fmt.Sprintf("generation %.1f t/s", speed)
	}
	if !b.done {
		return v.running.next
	}
	return v.finish(turn, b)
}

// finish ends an answer.
func (v *View) finish(turn *conversation.Turn, b batch) tea.Cmd {
	v.running.cancel()
	calls, cut := toolcall.Calls(v.running.calls, v.session.Messages(v.tree().PathTo(turn.Parent)))
	turn.Message.ToolCalls = calls
	v.running, v.script.running = nil, nil
	m := turn.Made
	switch {
	case b.err != nil:
		turn.Err = b.err.Error()
	case cut != "":
		turn.Err = "a call of " + cut + " was cut off"
	}
	if r := b.result; r != nil {
		m.Stop, m.StopText, m.Prompt, m.Cached, m.Generated = r.Stop, r.StopText, r.PromptTokens, r.CachedTokens, r.GeneratedTokens
		m.Speed = r.GenerateSpeed()
		v.speed = fmt.Sprintf("prompt %.1f t/s, generation %.1f t/s, %s", r.PromptSpeed(), r.GenerateSpeed(), ended(r))
	}
	if len(m.Tokens) != m.Generated { // a server did not tell all of them
		m.Tokens = nil
	}
	if said := turn.Message; said.Content == "" && said.Reasoning == "" && len(said.ToolCalls) == 0 {
		v.dropAnswer(turn)
		v.show()
		return v.save()
	}
	v.show()
	return tea.Batch(v.save(), v.answerCalls(), v.preview())
}

// dropAnswer removes an answer of which nothing came; why stands at the question, which may be asked again.
func (v *View) dropAnswer(turn *conversation.Turn) {
	reason := turn.Err
	if reason == "" && turn.Made.Stop != "" {
		reason = "the model said nothing"
	}
	v.tree().Drop()
	if leaf := v.tree().Leaf(); leaf != nil {
		leaf.Err = reason
	} else if reason != "" {
		v.note(reason)
	}
}

// ended tells why an answer ended.
func ended(r *engine.Result) string {
	switch r.Stop {
	case engine.StopText:
		return fmt.Sprintf("stopped at %q", r.StopText)
	case engine.StopContext:
		return "the context is full"
	case engine.StopLimit:
		return "limit"
	}
	return string(r.Stop)
}

// again asks for the last answer another time: a new branch.
func (v *View) again() tea.Cmd {
	if v.Busy() {
		return nil
	}
	if leaf := v.tree().Leaf(); leaf != nil && leaf.Message.Role != "assistant" {
		return v.answer()
	}
	return v.againAt(v.lastOf("assistant"))
}

// againAt is again for an answer further up.
func (v *View) againAt(turn *conversation.Turn) tea.Cmd {
	if turn == nil {
		return nil
	}
	v.tree().Cut(turn.Parent)
	v.rounds = 0
	return v.answer()
}
