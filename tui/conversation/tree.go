// Package conversation is a talk with a model as a tree of turns: where a turn was said otherwise, or an answer was asked for
// again, the talk branches, and what was said before stays.
package conversation

import (
	"slices"
	"time"

	"github.com/llamakit/llamakit/engine"
	"github.com/llamakit/llamakit/engine/chat"
)

// Turn is a message at its place in the tree.
type Turn struct {
	ID      int          `json:"id"`               // from 1 on, in the order in which turns came
	Parent  int          `json:"parent,omitempty"` // the turn before; 0: this is a first one
	Next    int          `json:"next,omitempty"`   // of the turns that follow, the one that was looked at last
	Message chat.Message `json:"message"`
	Made    *Made        `json:"made,omitempty"`  // of an answer: how it came about
	Err     string       `json:"error,omitempty"` // why an answer broke off
}

// Made is how an answer came about.
type Made struct {
	At        time.Time         `json:"at"`
	Seed      int64             `json:"seed"`
	Stop      engine.StopReason `json:"stop,omitempty"`
	StopText  string            `json:"stop_text,omitempty"`
	Prompt    int               `json:"prompt_tokens"`
	Cached    int               `json:"cached_tokens"`
	Generated int               `json:"generated_tokens"`
	Speed     float64           `json:"tokens_per_second,omitempty"`
	Tokens    []engine.Token    `json:"tokens,omitempty"` // of the answer, where they are known
}

// Tree holds the turns. The way from a first turn to the leaf is the conversation that is looked at. The zero value is empty.
type Tree struct {
	turns    []*Turn
	children map[int][]*Turn // by parent, in the order in which they came
	leaf     int
}

// Build makes a tree of turns that were kept. A turn without a place in the tree is left out, with all that follow it.
func Build(turns []*Turn) *Tree {
	t := &Tree{}
	ids := map[int]int{0: 0}
	for _, turn := range turns {
		parent, ok := ids[turn.Parent]
		if _, twice := ids[turn.ID]; !ok || twice {
			continue
		}
		n := t.Add(parent, turn.Message)
		n.Made, n.Err = turn.Made, turn.Err
		ids[turn.ID] = n.ID
	}
	for _, turn := range turns {
		if next := t.Turn(ids[turn.Next]); next != nil && next.Parent == ids[turn.ID] && next.Parent > 0 {
			t.Turn(next.Parent).Next = next.ID
		}
	}
	return t
}

// Turns are all turns, in the order in which they came.
func (t *Tree) Turns() []*Turn { return t.turns }

// Turn is the one with an ID, or nil.
func (t *Tree) Turn(id int) *Turn {
	if id < 1 || id > len(t.turns) {
		return nil
	}
	return t.turns[id-1]
}

// Leaf is the last turn that is looked at; nil in an empty tree.
func (t *Tree) Leaf() *Turn { return t.Turn(t.leaf) }

// Add puts a message behind a turn (0: at the beginning), and looks at it.
func (t *Tree) Add(parent int, m chat.Message) *Turn {
	turn := &Turn{ID: len(t.turns) + 1, Parent: parent, Message: m}
	t.turns = append(t.turns, turn)
	if t.children == nil {
		t.children = map[int][]*Turn{}
	}
	t.children[parent] = append(t.children[parent], turn)
	t.look(turn.ID)
	return turn
}

// look makes a turn the leaf, and every turn on the way to it the one that its branch leads to.
func (t *Tree) look(id int) {
	t.leaf = id
	for turn := t.Turn(id); turn != nil && turn.Parent > 0; turn = t.Turn(turn.Parent) {
		t.Turn(turn.Parent).Next = turn.ID
	}
}

// Path is the conversation that is looked at, the first turn first.
func (t *Tree) Path() []*Turn { return t.PathTo(t.leaf) }

// PathTo is the way to a turn.
func (t *Tree) PathTo(id int) (path []*Turn) {
	for turn := t.Turn(id); turn != nil; turn = t.Turn(turn.Parent) {
		path = append(path, turn)
	}
	slices.Reverse(path)
	return path
}

// Branches are the turns that stand where this one does, itself among them.
func (t *Tree) Branches(turn *Turn) []*Turn { return t.children[turn.Parent] }

// Place is the number of a turn among its branches, from 0 on.
func (t *Tree) Place(turn *Turn) int { return slices.Index(t.Branches(turn), turn) }

// Walk looks at another branch of a turn, by how many places, and at what followed there. It returns the turn there, or nil at
// the end.
func (t *Tree) Walk(turn *Turn, by int) *Turn {
	at := t.Place(turn) + by
	if at < 0 || at >= len(t.Branches(turn)) {
		return nil
	}
	other := t.Branches(turn)[at]
	t.Look(other.ID)
	return other
}

// Look goes to a turn and on to the last one that was looked at behind it. 0 is before the first turn.
func (t *Tree) Look(id int) {
	for turn := t.Turn(id); turn != nil && turn.Next > 0; turn = t.Turn(id) {
		id = turn.Next
	}
	t.look(id)
}

// Cut goes to a turn, whatever follows it.
func (t *Tree) Cut(id int) { t.leaf = id }

// Drop removes the turn that came last, for an answer that never began.
func (t *Tree) Drop() {
	last := t.turns[len(t.turns)-1]
	t.turns = t.turns[:len(t.turns)-1]
	t.children[last.Parent] = slices.DeleteFunc(t.children[last.Parent], func(o *Turn) bool { return o == last })
	if parent := t.Turn(last.Parent); parent != nil && parent.Next == last.ID {
		parent.Next = 0
		if others := t.children[last.Parent]; len(others) > 0 {
			parent.Next = others[len(others)-1].ID
		}
	}
	t.leaf = last.Parent
}
