package arch

import (
	"fmt"

	"github.com/llamakit/llamakit/engine/graph"
	"github.com/llamakit/llamakit/formats/gguf"
)

// Head is what the forward pass makes of the last hidden states.
type Head int

// The heads.
const (
	HeadTokens Head = iota // logits of tokens; encoders have no such head
	HeadNone               // nothing: embeddings are the hidden states, after the dense layers of models that have some
	HeadRank               // logits of classes, by which a reranker judges a text
)

// Classes describes the results of HeadRank.
type Classes struct {
	Labels  []string // one a class; nil where the file has no names for them
	Softmax bool     // scores are a softmax over the logits
	Last    bool     // they are at the last row of a text, not at the first
}

// The numbers of the key classifier.pooling_type.
const (
	poolMean = 1
	poolCLS  = 2
)

// embedding replaces the head of g by what a file has for embeddings: dense layers after the hidden states, as Sentence
// Transformers have them (arXiv:1908.10084). They are linear: it is the same to pool before them or after.
func (s *source) embedding(g *graph.Graph) *graph.Graph {
	b := g.Continue()
	x := g.Hidden
	for _, name := range []string{"dense_2", "dense_3"} {
		if s.has(name + ".weight") {
			x = b.Name(b.Linear(x, s.ownRows(name, x.Width)), name)
		}
	}
	return b.Finish(x, nil)
}

// rank replaces the head of g by the classifier of a reranker, on the pooled row h: out·(norm(act(cls·h + bias))) + bias,
// each part where the file has it.
func (s *source) rank(g *graph.Graph) (*graph.Graph, *Classes) {
	if !s.has("cls.weight") && !s.has("cls.output.weight") {
		s.fail(fmt.Errorf("%w: tensors cls.weight and cls.output.weight are missing: the model is no reranker", gguf.ErrNotFound))
		return g, nil
	}
	c, mean := s.classes()
	b := g.Continue()
	x := s.judged(b, g, mean)
	if s.has("cls.weight") {
		x = b.Activate(b.Linear(x, s.ownRows("cls", x.Width)), s.classifierActivation())
		if s.has("cls.norm.weight") {
			x = b.Norm(x, s.layerNorm("cls.norm", x.Width))
		}
	}
	if s.has("cls.output.weight") {
		x = b.Linear(x, s.ownRows("cls.output", x.Width))
	}
	if c.Labels != nil && len(c.Labels) != x.Width {
		s.fail(fmt.Errorf("%w: %d labels for %d classes", gguf.ErrCorrupt, len(c.Labels), x.Width))
	}
	return b.Finish(g.Hidden, b.Name(x, "result_classes")), c
}

// judged is the row that the classifier sees.
func (s *source) judged(b *graph.Builder, g *graph.Graph, mean bool) *graph.Tensor {
	if !mean {
		return g.Hidden
	}
	rows, ok := g.Rows()
	if !ok || g.Causal() {
		s.fail(fmt.Errorf("%w: key %s.classifier.pooling_type asks for the mean of a model that does not see a text at once", gguf.ErrUnsupported, s.arch))
		return g.Hidden
	}
	return b.Mean(rows)
}

// classes reads what files say of a classifier, and whether it judges by the mean of all rows, which is ModernBERT's way, or by
// one row: the first, but the last in Qwen3's rerankers, where the answer would stand.
func (s *source) classes() (c *Classes, mean bool) {
	qwen := s.arch == "qwen3" || s.arch == "qwen3vl"
	standard := poolCLS
	if s.arch == "modern-bert" {
		standard = poolMean
	}
	v, _ := s.file.Metadata.Get(s.arch + ".classifier.output_labels")
	labels, _ := v.StrSlice()
	return &Classes{Labels: labels, Softmax: qwen, Last: qwen}, s.IntOr("classifier.pooling_type", standard) == poolMean
}

func (s *source) classifierActivation() graph.Activation {
	standard := "tanh"
	if s.arch == "modern-bert" {
		standard = "gelu"
	}
	return s.activation("classifier.activation", standard)
}

// activation reads the name of an activation.
func (s *source) activation(key, standard string) graph.Activation {
	switch name := s.StrOr(key, standard); name {
	case "tanh":
		return graph.Tanh
	case "gelu":
		return graph.GELU
	case "silu":
		return graph.SiLU
	default:
		s.fail(fmt.Errorf("%w: key %s.%s is %q, want tanh, gelu or silu", gguf.ErrUnsupported, s.arch, key, gguf.Printable(name)))
	}
	return graph.Tanh
}

// ownRows binds a matrix with a bias, of as many rows as the file has.
func (s *source) ownRows(name string, in int) graph.Linear {
	out := 1
	if t, ok := s.file.Tensor(name + ".weight"); ok && len(t.Shape) > 1 {
		out = t.Shape[1]
	}
	return graph.Linear{W: s.matrix(name+".weight", in, out), Bias: s.vectorOr(name+".bias", out)}
}
