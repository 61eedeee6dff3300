// Package arch turns a GGUF file into the forward pass of its architecture.
//
// One file holds one architecture, named as general.architecture has it, always in the same order: what the model is and
// how it differs from llama, its hyper-parameters, its weights, the block, registration. What several architectures
// share under a name of the literature is in package blocks; everything else is written out, so that a file reads like
// the paper. docs/architecture.md says how a tensor finds its way from here to a device.
package arch

import (
	"fmt"
	"sort"
	"strings"

	"github.com/llamakit/llamakit/engine/graph"
	"github.com/llamakit/llamakit/formats/gguf"
)

// Model is a forward pass with the facts about it that others need.
type Model struct {
	Architecture string
	Graph        *graph.Graph
	NLayer       int
	NEmbd        int
	NVocab       int
	TrainContext int      // tokens the model was trained for; 0: unknown
	Unused       []string // tensors of the file that the forward pass does not read
	Classes      *Classes // of HeadRank; nil with another head
}

// Options are what the forward pass depends on beside the file.
type Options struct {
	Context int // tokens a sequence will hold; 0: the training context. It chooses between longrope's factors.
	Head    Head
	AllRows bool // every row goes through every layer, also those whose logits nobody wants
}

// architecture is a bound model: it can record its forward pass.
type architecture interface{ forward() *graph.Graph }

// constructor reads the hyper-parameters of one architecture and binds its weights. It reads straight through: errors
// are kept by the source, and forward is not called then.
type constructor func(*source) architecture

var constructors = map[string]constructor{}

// register is called by each architecture's init.
func register(name string, c constructor) { constructors[name] = c }

// Names lists the architectures that Build knows.
func Names() []string {
	names := make([]string, 0, len(constructors))
	for name := range constructors {
		names = append(names, name)
	}
	sort.Strings(names)
	return names
}

// Build reads the hyper-parameters of f, binds its weights and records the forward pass. The weights alias f, which must
// stay open. Errors name the key or tensor: missing, of another type or shape.
func Build(f *gguf.File, o Options) (*Model, error) {
	name, err := architectureName(f.Metadata)
	if err != nil {
		return nil, err
	}
	construct, ok := constructors[name]
	if !ok {
		return nil, fmt.Errorf("%w: architecture %q; known: %s", gguf.ErrUnsupported, gguf.Printable(name), strings.Join(Names(), " "))
	}
	s, err := newSource(f, name, o)
	if err != nil {
		return nil, err
	}
	m := construct(s)
	if err := s.err(); err != nil {
		return nil, err
	}
	out := &Model{Architecture: name, NLayer: s.NLayer, NEmbd: s.NEmbd, NVocab: s.NVocab, TrainContext: s.TrainContext}
	if out.Graph, out.Classes, err = s.record(m); err != nil {
		return nil, err
	}
	out.Unused = s.unused()
	return out, nil
}

// record records the forward pass of m with the head that was asked for.
func (s *source) record(m architecture) (*graph.Graph, *Classes, error) {
	g, classes := m.forward(), (*Classes)(nil)
	switch s.Head {
	case HeadNone:
		g = s.embedding(g)
	case HeadRank:
		g, classes = s.rank(g)
	}
	if !s.AllRows {
		g.Narrow()
	}
	return g, classes, s.err()
}

func architectureName(md *gguf.Metadata) (string, error) {
	v, ok := md.Get("general.architecture")
	if !ok {
		return "", fmt.Errorf("%w: key general.architecture is missing (not a language model?)", gguf.ErrNotFound)
	}
	name, ok := v.Str()
	if !ok {
		return "", fmt.Errorf("%w: key general.architecture is not a string", gguf.ErrCorrupt)
	}
	return name, nil
}
