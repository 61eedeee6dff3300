package debug

import (
	"context"
	"fmt"
	"slices"

	"github.com/llamakit/llamakit/engine"
)

// Branch goes on from token at of a run's answer with another token in its place. The past is shared: the model computes the
// new token and what follows. The samplers begin anew behind it, with the run's seed.
//
// A branch is a run of its own, whose file says which tokens were given.
func (s *Session) Branch(ctx context.Context, from *Run, at int, t engine.Token, watch func(Run)) (*Run, error) {
	if at < 0 || at >= len(from.Answer) {
		return nil, fmt.Errorf("there is no token %d in an answer of %d", at, len(from.Answer))
	}
	if !s.model.Vocab().Valid(t) {
		return nil, fmt.Errorf("%w: %d", engine.ErrBadToken, t)
	}
	run := &Run{Format: Format, Engine: s.version, Model: s.Model(), Input: from.Input, Options: from.Options}
	run.Surprise = false // what was measured of the prompt holds
	err := s.execute(ctx, run, append(slices.Clone(from.Answer[:at]), s.token(t)), watch)
	if run.Surprise = from.Surprise; parts(run.Prompt, from.Prompt) < 0 {
		run.Prompt = from.Prompt
	}
	return run, err
}

// Tree is a run with the branches that were made of it.
type Tree struct {
	Run      *Run
	At       int // token of the parent's answer where it branched off; of the root 0
	Branches []*Tree
}

// Add hangs a branch under its parent, in the order of the tokens.
func (t *Tree) Add(run *Run, at int) *Tree {
	b := &Tree{Run: run, At: at}
	i, _ := slices.BinarySearchFunc(t.Branches, at+1, func(x *Tree, at int) int { return x.At - at })
	t.Branches = slices.Insert(t.Branches, i, b)
	return b
}

// Walk visits the tree, parents first.
func (t *Tree) Walk(visit func(t *Tree, depth int)) { t.walk(visit, 0) }

func (t *Tree) walk(visit func(t *Tree, depth int), depth int) {
	visit(t, depth)
	for _, b := range t.Branches {
		b.walk(visit, depth+1)
	}
}
