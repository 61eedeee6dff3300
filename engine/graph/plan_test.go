package graph

import (
	"math/rand/v2"
	"testing"
)

// randomGraph records ops on tensors chosen at random among those already there.
func randomGraph(r *rand.Rand) *Graph {
	b := &Builder{}
	width := 16 * (1 + r.IntN(4))
	square := func(n int) Linear { return Linear{W: &Weight{In: n, Out: width, Experts: 1}} }
	alive := []*Tensor{b.Embed(&Weight{In: width})}
	pick := func() *Tensor { return alive[max(0, len(alive)-1-r.IntN(4))] }
	for range 5 + r.IntN(60) {
		var t *Tensor
		switch x := pick(); r.IntN(8) {
		case 0:
			t = b.Add(x, pick())
		case 1:
			t = b.RMSNorm(x, nil, 0)
		case 2:
			t = b.Linear(x, square(width))
		case 3:
			t = b.Scale(x, 2)
		case 4: // a view is read through an op
			half := b.View(x, width/2, width/2)
			t = b.Linear(half, square(width/2))
		case 5:
			t = b.GLU(SiLU, x, pick())
		case 7:
			t = b.Activate(x, GELU)
		case 6:
			spec := AttentionSpec{Heads: 2, HeadsKV: 1, DimK: width / 2, DimV: width / 2}
			t = b.Attention(x, b.View(pick(), 0, width/2), b.View(pick(), width/2, width/2), spec)
		}
		alive = append(alive, t)
	}
	hidden := b.RMSNorm(b.Select(pick()), nil, 0)
	g := b.Finish(hidden, b.Linear(hidden, square(width)))
	g.Narrow()
	return g
}

// TestPlanKeepsWhatIsRead writes each tensor's number over its place in a fake arena, in the order of the ops, and looks
// whether every op still finds the numbers of its inputs.
func TestPlanKeepsWhatIsRead(t *testing.T) {
	for seed := range uint64(300) {
		g := randomGraph(rand.New(rand.NewPCG(seed, 3)))
		for _, keep := range []bool{false, true} {
			p := g.Plan(keep)
			mem := map[bool][]int{false: make([]int, p.Tokens), true: make([]int, p.Outputs)}
			place := func(x *Tensor) []int {
				at := p.Offset[x.ID()] + x.Offset
				return mem[x.Outputs][at : at+x.Width]
			}
			intact := func(x *Tensor) bool {
				for _, v := range place(x) {
					if v != x.Root().ID()+1 {
						return false
					}
				}
				return true
			}
			written := map[*Tensor]bool{}
			for i, op := range g.Ops {
				written[op.Writes()] = true
				for _, x := range Reads(op) {
					if !intact(x) {
						t.Fatalf("seed %d, keep %v: op %d (%T) reads %v after it was overwritten", seed, keep, i, op, x)
					}
				}
				for j := range place(op.Writes()) {
					place(op.Writes())[j] = op.Writes().ID() + 1
				}
			}
			for _, x := range g.Tensors {
				if (keep || x == g.Hidden || x == g.Logits) && written[x] && !intact(x) {
					t.Fatalf("seed %d, keep %v: %v is gone at the end", seed, keep, x)
				}
			}
		}
	}
}

func TestPlanReusesMemory(t *testing.T) {
	b := &Builder{}
	x := b.Embed(&Weight{In: 64})
	for range 50 {
		h := b.RMSNorm(x, nil, 0)
		x = b.Add(x, b.Linear(h, Linear{W: &Weight{In: 64, Out: 64, Experts: 1}}))
	}
	h := b.Select(x)
	if p := b.Finish(h, h).Plan(false); p.Tokens > 3*h.Stride() {
		t.Errorf("50 residual layers take %d columns, want at most 3 rows of %d", p.Tokens, h.Stride())
	}
}

func TestWrongWidthsPanic(t *testing.T) {
	for name, f := range map[string]func(b *Builder, x *Tensor){
		"add":    func(b *Builder, x *Tensor) { b.Add(x, b.View(x, 0, 8)) },
		"linear": func(b *Builder, x *Tensor) { b.Linear(x, Linear{W: &Weight{In: 8, Out: 4}}) },
		"view":   func(b *Builder, x *Tensor) { b.View(x, 10, 8) },
		"rope":   func(b *Builder, x *Tensor) { b.RoPE(x, 5, &RopeSpec{Dims: 4}) },
	} {
		t.Run(name, func(t *testing.T) {
			defer func() {
				if recover() == nil {
					t.Error("accepted")
				}
			}()
			b := &Builder{}
			f(b, b.Embed(&Weight{In: 16}))
		})
	}
}

func TestSelectMovesUp(t *testing.T) {
	b := &Builder{}
	x := b.Embed(&Weight{In: 64})
	square := Linear{W: &Weight{In: 64, Out: 64, Experts: 1}}
	attn := b.Attention(x, x, x, AttentionSpec{Heads: 1, HeadsKV: 1, DimK: 64, DimV: 64})
	o := b.Linear(attn, square)
	sum := b.Add(x, o)
	ffn := b.Linear(b.RMSNorm(sum, nil, 0), square)
	out := b.Select(b.Add(sum, ffn))
	g := b.Finish(out, b.Linear(out, square))
	g.Narrow()
	for _, c := range []struct {
		x    *Tensor
		want bool
	}{{x, false}, {attn, false}, {o, true}, {sum, true}, {ffn, true}, {g.Logits, true}} {
		if c.x.Outputs != c.want {
			t.Errorf("%v: wanted rows only %v, want %v", c.x, c.x.Outputs, c.want)
		}
	}
	selects := 0
	for _, op := range g.Ops {
		if s, ok := op.(*Select); ok {
			selects++
			if s.X != attn && s.X != x {
				t.Errorf("rows of %v are selected, want those of the attention and of the stream", s.X)
			}
		}
	}
	if selects != 2 {
		t.Errorf("%d selections, want 2", selects)
	}
}
