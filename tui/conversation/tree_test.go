package conversation

import (
	"strings"
	"testing"

	"github.com/llamakit/llamakit/engine/chat"
)

func say(role, text string) chat.Message { return chat.Message{Role: role, Content: text} }

// spell writes the contents of a path.
func spell(path []*Turn) string {
	var texts []string
	for _, turn := range path {
		texts = append(texts, turn.Message.Content)
	}
	return strings.Join(texts, " ")
}

// grown is a talk with two branches of the first answer, the second of which goes on.
func grown() *Tree {
	t := &Tree{}
	q := t.Add(0, say("user", "q"))
	t.Add(q.ID, say("assistant", "a1"))
	a2 := t.Add(q.ID, say("assistant", "a2"))
	r := t.Add(a2.ID, say("user", "r"))
	t.Add(r.ID, say("assistant", "b"))
	return t
}

func TestWalk(t *testing.T) {
	tree := grown()
	if got := spell(tree.Path()); got != "q a2 r b" {
		t.Fatalf("path %q", got)
	}
	answer := tree.Path()[1]
	if tree.Walk(answer, 1) != nil || tree.Place(answer) != 1 || len(tree.Branches(answer)) != 2 {
		t.Error("there is nothing behind the last branch")
	}
	first := tree.Walk(answer, -1)
	if got := spell(tree.Path()); first == nil || got != "q a1" {
		t.Errorf("the other branch: %q", got)
	}
	tree.Walk(first, 1)
	if got := spell(tree.Path()); got != "q a2 r b" {
		t.Errorf("back, where it was left: %q", got)
	}
	tree.Cut(1)
	tree.Add(1, say("assistant", "a3"))
	if got := spell(tree.Path()); got != "q a3" || len(tree.Branches(tree.Leaf())) != 3 {
		t.Errorf("a third branch: %q", got)
	}
	tree.Drop()
	tree.Look(1)
	if got := spell(tree.Path()); got != "q a2 r b" {
		t.Errorf("after dropping it: %q", got)
	}
	tree.Look(0)
	if len(tree.Path()) != 0 || tree.Leaf() != nil {
		t.Error("before the first turn there is none")
	}
	tree.Add(0, say("user", "other"))
	if len(tree.Branches(tree.Leaf())) != 2 {
		t.Error("a talk may begin in two ways")
	}
}

func TestBuild(t *testing.T) {
	tree := grown()
	tree.Walk(tree.Path()[1], -1)
	built := Build(append(tree.Turns(), &Turn{ID: 9, Parent: 77}, &Turn{ID: 2, Parent: 1}, &Turn{ID: 6, Parent: 6}))
	if len(built.Turns()) != 5 {
		t.Errorf("%d turns: those without a place belong nowhere", len(built.Turns()))
	}
	if built.Look(1); spell(built.Path()) != "q a1" {
		t.Errorf("looked at: %q", spell(built.Path()))
	}
	if b := Build(nil); b.Leaf() != nil || len(b.Path()) != 0 {
		t.Error("nothing is not empty")
	}
}
