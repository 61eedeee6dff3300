package bench

import (
	"math"

	"github.com/llamakit/llamakit/engine/arch"
	"github.com/llamakit/llamakit/engine/backend/cpu"
	"github.com/llamakit/llamakit/engine/graph"
	"github.com/llamakit/llamakit/formats/gguf"
	"github.com/llamakit/llamakit/formats/quant"
)

// cost is what a step needs at least: memory that must be read, and multiply-adds of weights in bytes, BF16 and float32.
type cost struct{ bytes, int8, bf16, float32 float64 }

// costs counts what the steps of a model need.
type costs struct {
	graph *graph.Graph
	k, v  quant.Type
	fixed []bool // by layer: attention multiplies numbers of 16 bits
}

func newCosts(p Params) (*costs, error) {
	f, err := gguf.Open(p.Model)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	k, err := quant.ParseType(p.CacheK)
	if err != nil {
		return nil, err
	}
	v, err := quant.ParseType(p.CacheV)
	if err != nil {
		return nil, err
	}
	header, err := f.WithoutData()
	if err != nil {
		return nil, err
	}
	m, err := arch.Build(header, arch.Options{Context: p.context()})
	if err != nil {
		return nil, err
	}
	return &costs{graph: m.Graph, k: k, v: v, fixed: cpu.FixedLayers(m.Graph, k, v)}, nil
}

// steps lists the rows of each step of a test, and how many tokens are before them.
func (p *Params) steps() (list [][2]int) {
	past := p.Depth
	for left := p.Prompt; left > 0; {
		n := min(left, p.Batch, p.UBatch)
		list = append(list, [2]int{n, past})
		left, past = left-n, past+n
	}
	for range p.Gen {
		list = append(list, [2]int{1, past})
		past++
	}
	return list
}

// step adds up a step of that many rows after past tokens, the last of which has an output.
func (c *costs) step(rows, past int) (sum cost) {
	for _, op := range c.graph.Ops {
		switch op := op.(type) {
		case *graph.MatMul:
			n := rows
			if op.Dst.Outputs {
				n = 1
			}
			sum.matrix(op.L.W, float64(n), 1)
		case *graph.Experts:
			for _, l := range []graph.Linear{op.Gate, op.Up, op.Down} {
				if l.W != nil {
					sum.experts(l.W, rows, op.Used)
				}
			}
		case *graph.Attention:
			sum.attention(c, op, rows, past)
		}
	}
	return sum
}

// matrix adds a matrix that is read once, and part of its rows multiplied with n vectors in all.
func (s *cost) matrix(w *graph.Weight, n, part float64) {
	size := float64(w.In) * float64(w.Out)
	s.bytes += part * float64(w.Type.RowBytes(w.In)) * float64(w.Out)
	switch {
	case w.Type.BlockSize() > 1:
		s.int8 += n * size
	case w.Type == quant.BF16:
		s.bf16 += n * size
	default:
		s.float32 += n * size
	}
}

// experts adds matrices of which each row uses some. With random choice, rows use E(1-(1-k/E)^n) different ones.
func (s *cost) experts(w *graph.Weight, rows, used int) {
	e := float64(w.Experts)
	different := e * (1 - math.Pow(1-float64(used)/e, float64(rows)))
	s.matrix(w, float64(rows*used), different)
}

// attention adds keys and values: read once, multiplied with every row that sees them.
func (s *cost) attention(c *costs, op *graph.Attention, rows, past int) {
	layer := c.graph.Layers[op.Layer]
	seen := 0.0
	for i := range rows {
		n := past + i + 1
		if layer.Window > 0 {
			n = min(n, layer.Window)
		}
		seen += float64(n)
	}
	kept := past + rows
	if layer.Window > 0 {
		kept = min(kept, layer.Window+rows-1)
	}
	products := seen * float64(op.Heads*(layer.DimK+layer.DimV))
	if c.fixed[op.Layer] {
		s.int8 += 2 * products // of 16 bits
	} else {
		s.float32 += products
	}
	s.bytes += float64(kept) * float64(layer.HeadsKV) * (bytesOf(c.k, layer.DimK) + bytesOf(c.v, layer.DimV))
}

// bytesOf are those of n values, in types whose blocks may be larger too.
func bytesOf(t quant.Type, n int) float64 {
	return float64(n) * float64(t.BlockBytes()) / float64(t.BlockSize())
}
