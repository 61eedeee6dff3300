package remote_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/llamakit/llamakit/engine"
	"github.com/llamakit/llamakit/engine/chat"
	"github.com/llamakit/llamakit/engine/debug"
	"github.com/llamakit/llamakit/engine/demo"
	"github.com/llamakit/llamakit/engine/serve"
	"github.com/llamakit/llamakit/tui/debug/remote"
	"github.com/llamakit/llamakit/tui/source"
)

// both are a session on the demo model, and a server with it.
func both(t *testing.T) (*debug.Session, *remote.Runner) {
	t.Helper()
	m, err := engine.OpenBytes(context.Background(), demo.Name, demo.Model(), engine.Options{Context: 512})
	if err != nil {
		t.Fatal(err)
	}
	s, err := serve.New(serve.Options{})
	if err == nil {
		err = s.Load(func() (*engine.Model, error) { return m, nil })
	}
	if err != nil {
		t.Fatal(err)
	}
	h := httptest.NewServer(s)
	t.Cleanup(func() { h.Close(); m.Close() })
	from, err := source.Connect(t.Context(), h.URL, "")
	if err != nil {
		t.Fatal(err)
	}
	local, err := debug.New(m, demo.Name, "test")
	if err != nil {
		t.Fatal(err)
	}
	return local, remote.New(from, "test")
}

func ask(t *testing.T, r debug.Runner) debug.Input {
	t.Helper()
	in := r.Defaults()
	var err error
	if in.Messages, err = debug.Encode([]chat.Message{{Role: "user", Content: "What is the capital of France?"}}); err != nil {
		t.Fatal(err)
	}
	in.Sampling.Temperature, in.Sampling.Seed, in.MaxTokens = 0, 3, 32
	return in
}

// TestServerLikeModel: a server tells the same tokens, with the same probabilities.
func TestServerLikeModel(t *testing.T) {
	local, server := both(t)
	in := ask(t, server)
	a, err := local.Run(t.Context(), in, debug.Options{Candidates: 3}, nil)
	if err != nil {
		t.Fatal(err)
	}
	b, err := server.Run(t.Context(), in, debug.Options{Candidates: 3}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if p := debug.Compare(a, b); p.Prompt != -1 || p.Answer != -1 || a.Text != b.Text || a.Content != b.Content || b.Stop.Reason != "eos" {
		t.Errorf("%+v, %q and %q, %+v", p, a.Content, b.Content, b.Stop)
	}
	for i := range b.Answer {
		x, y := &a.Answer[i], &b.Answer[i]
		if d := *x.Logprob - *y.Logprob; d > 1e-4 || d < -1e-4 || y.Rank != x.Rank || len(y.Candidates) != 3 {
			t.Errorf("token %d: %+v, want %+v", i, y, x)
		}
	}
	for i, tok := range b.Prompt {
		if got := b.Text[tok.Offset : tok.Offset+tok.Length]; got != tok.Text {
			t.Errorf("token %d is %q, and at its place is %q", i, tok.Text, got)
		}
	}
	if len(b.Notes) == 0 || !strings.Contains(b.Notes[0], "from a server") {
		t.Errorf("%q", b.Notes)
	}
}

func TestServerBranch(t *testing.T) {
	_, server := both(t)
	a, err := server.Run(t.Context(), ask(t, server), debug.Options{Candidates: 3}, nil)
	if err != nil {
		t.Fatal(err)
	}
	other := a.Answer[0].Candidates[1].ID
	b, err := server.Branch(t.Context(), a, 0, other, nil)
	if err != nil || b.Answer[0].ID != other || len(b.Answer) < 3 || b.Past != 1 {
		t.Errorf("%+v, %v", b, err)
	}
}

// TestServerForms: a grammar, a template of one's own, and what a server cannot do.
func TestServerForms(t *testing.T) {
	local, server := both(t)
	in := ask(t, server)
	in.Schema = json.RawMessage(`{"const": {"a": 7}}`)
	r, err := server.Run(t.Context(), in, debug.Options{}, nil)
	if err != nil || strings.Join(strings.Fields(r.Content), "") != `{"a":7}` {
		t.Errorf("%q, %v", r.Content, err)
	}
	if g, err := server.Grammar(r, len(r.Answer)); err != nil || !g.CanEnd {
		t.Errorf("%+v, %v", g, err)
	}
	in = ask(t, server)
	in.Grammar = `root ::= !<think> "!"?`
	if r, err := server.Run(t.Context(), in, debug.Options{}, nil); err != nil || len(r.Answer) == 0 {
		t.Errorf("a grammar that names a token: %+v, %v", r, err)
	}
	in = ask(t, server)
	in.Template = "{{ messages[0].content | upper }}"
	if p, err := server.Render(t.Context(), in); err != nil || p.Text != "WHAT IS THE CAPITAL OF FRANCE?" {
		t.Errorf("%+v, %v", p, err)
	}
	in.Template = "{{"
	if _, err := server.Render(t.Context(), in); err == nil {
		t.Error("a broken template")
	}
	var changed *debug.ChangedModel
	if _, _, err := local.Replay(t.Context(), r, nil); !errors.As(err, &changed) || !strings.Contains(err.Error(), "server") {
		t.Errorf("a server's run is replayed: %v", err)
	}
}
