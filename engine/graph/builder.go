package graph

import (
	"fmt"
	"slices"
)

// Layer is what one attention layer keeps of every token.
type Layer struct {
	HeadsKV    int
	DimK, DimV int // values a head; DimV is 0 where the keys are the values, too
	Ratio      int // tokens that have one key together; 0: 1
	Window     int // as in AttentionSpec
}

// Graph is a finished forward pass.
type Graph struct {
	Ops     []Op
	Tensors []*Tensor
	Layers  []Layer
	States  []State
	Hidden  *Tensor // after the last norm, Outputs rows: embeddings
	Logits  *Tensor // Outputs rows; nil: the graph ends with Hidden
}

// Causal says whether every row sees earlier rows alone. Where it does not, a sequence must be whole in each batch, from its
// position 0 on, and no prefix of it can be reused.
func (g *Graph) Causal() bool {
	return !slices.ContainsFunc(g.Ops, func(op Op) bool { a, ok := op.(*Attention); return ok && a.Full })
}

// Builder records ops. Its methods check widths and panic where they do not fit: the file's shapes were checked when the
// weights were bound, so a mismatch is a mistake in the architecture.
type Builder struct {
	g     Graph
	layer int
}

// SetLayer gives the names of the following tensors the suffix of layer i; -1 ends it.
func (b *Builder) SetLayer(i int) { b.layer = i + 1 }

// Name names a tensor as llama.cpp does, so that two engines can be compared value by value.
func (b *Builder) Name(t *Tensor, name string) *Tensor {
	t.Name = name
	if b.layer > 0 {
		t.Name = fmt.Sprintf("%s-%d", name, b.layer-1)
	}
	return t
}

// Finish closes the graph; hidden and logits are its results. logits may be nil.
func (b *Builder) Finish(hidden, logits *Tensor) *Graph {
	b.g.Hidden, b.g.Logits = hidden, logits
	return &b.g
}

func (b *Builder) tensor(width int, like *Tensor) *Tensor {
	t := &Tensor{Width: width, id: len(b.g.Tensors), Outputs: like != nil && like.Outputs}
	b.g.Tensors = append(b.g.Tensors, t)
	return t
}

func (b *Builder) add(op Op) *Tensor {
	b.g.Ops = append(b.g.Ops, op)
	return op.Writes()
}

func check(ok bool, op string, args ...any) {
	if !ok {
		panic(fmt.Sprintf("graph: %s does not fit: %v", op, args))
	}
}

// View names the columns [from, from+width) of x.
func (b *Builder) View(x *Tensor, from, width int) *Tensor {
	check(from >= 0 && from+width <= x.Width, "view", x, from, width)
	t := b.tensor(width, x)
	t.Base, t.Offset = x.Root(), x.Offset+from
	return t
}

// Embed starts from the token embeddings.
func (b *Builder) Embed(w *Weight) *Tensor {
	return b.add(&Embed{b.tensor(w.In, nil), w})
}

// Linear is the matrix product with scale and bias as l says.
func (b *Builder) Linear(x *Tensor, l Linear) *Tensor {
	check(x.Width == l.W.In, "linear", x, l.W.Name, l.W.In)
	return b.add(&MatMul{Unary{b.tensor(l.W.Out, x), x}, l})
}

// Select keeps the rows whose logits are wanted.
func (b *Builder) Select(x *Tensor) *Tensor {
	t := b.tensor(x.Width, x)
	t.Outputs = true
	return b.add(&Select{Unary{t, x}})
}

// Add is a + c.
func (b *Builder) Add(a, c *Tensor) *Tensor {
	check(a.Width == c.Width, "add", a, c)
	return b.add(&Add{Binary{b.tensor(a.Width, a), a, c}})
}

// AddVector is x + v in every row.
func (b *Builder) AddVector(x *Tensor, v []float32) *Tensor {
	check(x.Width == len(v), "add vector", x, len(v))
	return b.add(&AddVector{Unary{b.tensor(x.Width, x), x}, v})
}

// Pad puts columns of value fill in front of x, so that there are width.
func (b *Builder) Pad(x *Tensor, width int, fill float32) *Tensor {
	check(width >= x.Width, "pad", x, width)
	return b.add(&Pad{Unary{b.tensor(width, x), x}, fill})
}

// Mul is a ⊙ c.
func (b *Builder) Mul(a, c *Tensor) *Tensor {
	check(a.Width == c.Width, "mul", a, c)
	return b.add(&Mul{Binary{b.tensor(a.Width, a), a, c}})
}

// Scale is x·by.
func (b *Builder) Scale(x *Tensor, by float32) *Tensor {
	return b.add(&Scale{Unary{b.tensor(x.Width, x), x}, by})
}

// SoftCap bounds x to ±limit smoothly.
func (b *Builder) SoftCap(x *Tensor, limit float32) *Tensor {
	return b.add(&SoftCap{Unary{b.tensor(x.Width, x), x}, limit})
}

// GLU is act(gate) ⊙ up; a gate of fewer columns has one for each head of up.
func (b *Builder) GLU(act Activation, gate, up *Tensor) *Tensor {
	return b.BoundedGLU(act, 0, 0, gate, up)
}

// BoundedGLU is GLU with bounds: see GLU.Limit and GLU.Beta.
func (b *Builder) BoundedGLU(act Activation, limit, beta float32, gate, up *Tensor) *Tensor {
	check(gate.Width > 0 && up.Width%gate.Width == 0, "glu", gate, up)
	return b.add(&GLU{Binary{b.tensor(up.Width, up), gate, up}, act, limit, beta})
}

// RoPE rotates each head of headDim columns.
func (b *Builder) RoPE(x *Tensor, headDim int, spec *RopeSpec) *Tensor {
	check(x.Width%headDim == 0 && spec.Dims <= headDim && spec.Dims%2 == 0, "rope", x, headDim, spec.Dims)
	return b.add(&Rope{Unary{b.tensor(x.Width, x), x}, headDim, spec})
}

// PosScale multiplies a row by 1 + a·ln(floor((pos + offset)/length) + 1).
func (b *Builder) PosScale(x *Tensor, a, length, offset float32) *Tensor {
	return b.add(&PosScale{Unary{b.tensor(x.Width, x), x}, a, length, offset})
}

// AttentionSpec are the parameters of one attention layer.
type AttentionSpec struct {
	Heads, HeadsKV int
	DimK, DimV     int
	Window         int       // rows see so many positions, their own the last; with Full, up to Window/2 on each side; 0: all
	Chunk          int       // rows see nothing before their own chunk of so many positions; 0: no chunks
	Full           bool      // rows see later ones as well; see Attention.Full
	Scale          float32   // of q·k
	Cap            float32   // soft cap of the scaled scores; 0: none
	Sinks          []float32 // by head: a logit beside the scores whose value is dropped; nil: none
	ALiBi          float32   // maximal bias of attention with linear biases; 0: none
	Keys           *Choice   // the keys that a row sees; nil: all
	Blocks         *Blocks   // compressed keys beside the others, without Layer; nil: none
}

// Attention is grouped-query attention over the pages of a new layer. v may be nil: the values are the first DimV columns of the
// keys, and nothing else is kept of a token.
func (b *Builder) Attention(q, k, v *Tensor, s AttentionSpec) *Tensor {
	check(q.Width == s.Heads*s.DimK && k.Width == s.HeadsKV*s.DimK && s.Heads%s.HeadsKV == 0 && (s.Sinks == nil || len(s.Sinks) == s.Heads),
		"attention", q, k, s)
	check(v == nil && s.DimV <= s.DimK || v != nil && v.Width == s.HeadsKV*s.DimV, "values of attention", q, v, s)
	check(!(s.Full && s.Chunk > 0), "attention to everything", q, s)
	check(s.Keys == nil || s.Keys.Each == 1 && (s.Keys.Lists == 1 || s.Keys.Lists == s.HeadsKV) && s.Window == 0 && s.Chunk == 0 && !s.Full && s.ALiBi == 0, "attention to chosen keys", q, s)
	l := Layer{HeadsKV: s.HeadsKV, DimK: s.DimK, DimV: s.DimV, Window: s.Window}
	if v == nil {
		l.DimV = 0
	}
	b.g.Layers = append(b.g.Layers, l)
	op := &Attention{Dst: b.tensor(s.Heads*s.DimV, q), Q: q, K: k, V: v, Keys: s.Keys,
		Layer: len(b.g.Layers) - 1, Heads: s.Heads, Scale: s.Scale, Cap: s.Cap, Full: s.Full, Chunk: s.Chunk, Sinks: s.Sinks}
	if s.ALiBi > 0 {
		op.Slopes = ALiBiSlopes(s.Heads, s.ALiBi)
	}
	if s.Blocks != nil {
		op.Blocks = b.blocks(*s.Blocks, v == nil && l.HeadsKV == 1, s.DimK)
	}
	return b.add(op)
}

// blocks gives compressed keys a layer. They need keys that are values, of one head.
func (b *Builder) blocks(s Blocks, fits bool, dim int) *Blocks {
	check(fits && s.K.Width == dim && s.Ratio > 0 && (s.Keys == nil || s.Keys.Each == s.Ratio), "compressed keys", s.K, s.Ratio)
	b.g.Layers = append(b.g.Layers, Layer{HeadsKV: 1, DimK: dim, Ratio: s.Ratio})
	s.Layer = len(b.g.Layers) - 1
	return &s
}
