package cpu_test

import (
	"cmp"
	"math"
	"slices"

	"github.com/llamakit/llamakit/engine/graph"
)

// newCompress compresses blocks of ratio rows; overlapping blocks have twice the columns.
func newCompress(width, ratio int, gated, overlapping bool) *recurrent {
	m := newRecurrent(4)
	columns := width
	if overlapping {
		columns *= 2
	}
	x, row := m.input(columns)
	var gate *graph.Tensor
	var rowGate func(x []float64) []float64
	var ape []float32
	if gated {
		gate, rowGate = m.input(columns)
		ape = m.values(ratio*columns, 1, 0)
	}
	return m.finish(m.b.Compress(x, gate, ape, ratio, width), func(rows [][]float64) (out [][]float64) {
		gates := rows
		if gated {
			gates = each64(rows, rowGate)
		}
		rows = each64(rows, row)
		for t := range rows {
			y := make([]float64, width)
			for c := range y {
				var sum, total float64
				add := func(from, to, column int) {
					for j := max(0, from); j < to; j++ {
						e := 1.0
						if gated {
							e = math.Exp(gates[j][column] + float64(ape[j%ratio*columns+column]))
						}
						sum, total = sum+e*rows[j][column], total+e
					}
				}
				first := t / ratio * ratio
				add(first, t+1, columns-width+c)
				if overlapping {
					add(first-ratio, first, c)
				}
				y[c] = sum / total
			}
			out = append(out, y)
		}
		return out
	})
}

// sparse is attention to chosen keys, by its definition.
type sparse struct {
	heads, headsKV, dim int
	index               graph.IndexSpec
	dimIndex            int
	weighted            bool // heads of the indexer
}

// chosen are the positions, or blocks, that row i sees.
func (s *sparse) chosen(i int, q, w []float64, k [][]float64) []int {
	var keys []int
	scores := map[int]float64{}
	for block := range (i + 1) / s.index.Ratio {
		keys = append(keys, block)
		for h := range s.index.Heads {
			dot, weight := 0.0, 1.0
			for d := range s.dimIndex {
				dot += q[h*s.dimIndex+d] * k[(block+1)*s.index.Ratio-1][d]
			}
			if s.weighted {
				weight = w[h]
			}
			scores[block] += weight * max(0, dot)
		}
	}
	slices.SortStableFunc(keys, func(a, b int) int {
		switch {
		case scores[a] > scores[b]:
			return -1
		case scores[a] < scores[b]:
			return 1
		}
		return 0
	})
	keys = keys[:min(len(keys), s.index.Top)]
	if s.index.Blocks {
		return keys
	}
	var tokens []int
	for _, block := range keys {
		for t := range s.index.Ratio {
			tokens = append(tokens, block*s.index.Ratio+t)
		}
	}
	for t := (i + 1) / s.index.Ratio * s.index.Ratio; t <= i; t++ {
		tokens = append(tokens, t)
	}
	return tokens
}

// attend is attention of a row to a list of keys and values; sinks may be nil.
func (s *sparse) attend(q []float64, keys, values [][]float64, sinks []float32) []float64 {
	out := make([]float64, s.heads*s.dim)
	for h := range s.heads {
		kv, total := h/(s.heads/s.headsKV), 0.0
		if sinks != nil {
			total = math.Exp(float64(sinks[h]))
		}
		for j := range keys {
			score := 0.0
			for d := range s.dim {
				score += q[h*s.dim+d] * keys[j][kv*s.dim+d]
			}
			p := math.Exp(score * 0.3)
			total += p
			for d := range s.dim {
				out[h*s.dim+d] += p * values[j][kv*s.dim+d]
			}
		}
		for d := range s.dim {
			out[h*s.dim+d] /= total
		}
	}
	return out
}

func each64(rows [][]float64, f func(x []float64) []float64) (out [][]float64) {
	for _, x := range rows {
		out = append(out, f(x))
	}
	return out
}

func pick(rows [][]float64, list []int) (out [][]float64) {
	for _, i := range list {
		out = append(out, rows[i])
	}
	return out
}

// newSparse chooses keys of tokens.
func newSparse(s sparse) *recurrent {
	m := newRecurrent(6)
	q, rowQ := m.input(s.heads * s.dim)
	k, rowK := m.input(s.headsKV * s.dim)
	v, rowV := m.input(s.headsKV * s.dim)
	iq, rowIQ := m.input(s.index.Heads * s.dimIndex)
	ik, rowIK := m.input(s.dimIndex)
	iw, rowIW := m.input(s.index.Heads)
	if !s.weighted {
		iw = nil
	}
	keys := m.b.Index(iq, ik, iw, s.index)
	o := m.b.Attention(q, k, v, graph.AttentionSpec{Heads: s.heads, HeadsKV: s.headsKV, DimK: s.dim, DimV: s.dim, Scale: 0.3, Keys: keys})
	return m.finish(o, func(rows [][]float64) (out [][]float64) {
		k, v, ik := each64(rows, rowK), each64(rows, rowV), each64(rows, rowIK)
		for i, x := range rows {
			list := s.chosen(i, rowIQ(x), rowIW(x), ik)
			out = append(out, s.attend(rowQ(x), pick(k, list), pick(v, list), nil))
		}
		return out
	})
}

// newBlocks sees a window, and beside it compressed keys; with a Top above 0 some of them.
func newBlocks(s sparse, ratio, window int) *recurrent {
	m := newRecurrent(7)
	q, rowQ := m.input(s.heads * s.dim)
	k, rowK := m.input(s.dim)
	c, rowC := m.input(s.dim)
	sinks := m.values(s.heads, 1, 0)
	blocks := &graph.Blocks{K: c, Ratio: ratio}
	choose := func(i int, _ []float64, _ [][]float64) (list []int) {
		for block := range (i + 1) / ratio {
			list = append(list, block)
		}
		return list
	}
	rowIK := rowK
	if s.index.Top > 0 {
		iq, rowIQ := m.input(s.index.Heads * s.dimIndex)
		var ik *graph.Tensor
		ik, rowIK = m.input(s.dimIndex)
		blocks.Keys = m.b.Index(iq, ik, nil, s.index)
		choose = func(i int, x []float64, ik [][]float64) []int { return s.chosen(i, rowIQ(x), nil, ik) }
	}
	o := m.b.Attention(q, k, nil, graph.AttentionSpec{Heads: s.heads, HeadsKV: 1, DimK: s.dim, DimV: s.dim, Scale: 0.3, Window: window,
		Sinks: sinks, Blocks: blocks})
	return m.finish(o, func(rows [][]float64) (out [][]float64) {
		k, c, ik := each64(rows, rowK), each64(rows, rowC), each64(rows, rowIK)
		for i, x := range rows {
			keys := slices.Clone(k[max(0, i-window+1) : i+1])
			for _, block := range choose(i, x, ik) {
				keys = append(keys, c[(block+1)*ratio-1])
			}
			out = append(out, s.attend(rowQ(x), keys, keys, sinks))
		}
		return out
	})
}

// newBlockIndex chooses blocks of keys for each key head.
func newBlockIndex(heads, headsKV, dim int, s graph.BlockSpec) *recurrent {
	m, a := newRecurrent(8), sparse{heads: heads / headsKV, headsKV: 1, dim: dim}
	s.Heads = headsKV
	q, rowQ := m.input(heads * dim)
	k, rowK := m.input(headsKV * dim)
	v, rowV := m.input(headsKV * dim)
	iq, rowIQ := m.input(headsKV * 12)
	ik, rowIK := m.input(12)
	o := m.b.Attention(q, k, v, graph.AttentionSpec{Heads: heads, HeadsKV: headsKV, DimK: dim, DimV: dim, Scale: 0.3, Keys: m.b.BlockIndex(iq, ik, s)})
	part := func(x []float64, h, n int) []float64 { return x[h*len(x)/n : (h+1)*len(x)/n] }
	return m.finish(o, func(rows [][]float64) (out [][]float64) {
		ik := each64(rows, rowIK)
		for i, x := range rows {
			var y []float64
			for h := range headsKV {
				head := func(row func(x []float64) []float64) func(x []float64) []float64 {
					return func(x []float64) []float64 { return part(row(x), h, headsKV) }
				}
				list := tokensOf(s, part(rowIQ(x), h, headsKV), ik[:i+1])
				y = append(y, a.attend(part(rowQ(x), h, headsKV), each64(pick(rows, list), head(rowK)), each64(pick(rows, list), head(rowV)), nil)...)
			}
			out = append(out, y)
		}
		return out
	})
}

// tokensOf are those of the blocks that a head of the last row chooses.
func tokensOf(s graph.BlockSpec, q []float64, keys [][]float64) (list []int) {
	blocks := (len(keys) + s.Size - 1) / s.Size
	scores, order := make([]float64, blocks), make([]int, blocks)
	for b := range scores {
		order[b], scores[b] = b, math.Inf(-1)
		for _, k := range keys[b*s.Size : min((b+1)*s.Size, len(keys))] {
			dot := 0.0
			for d := range q {
				dot += q[d] * k[d]
			}
			scores[b] = max(scores[b], dot)
		}
		if b >= blocks-s.Local {
			scores[b] = math.Inf(1)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(scores[b], scores[a]) })
	for _, b := range order[:min(s.Top, blocks)] {
		for t := b * s.Size; t < min((b+1)*s.Size, len(keys)); t++ {
			list = append(list, t)
		}
	}
	return list
}

func sparseOps() map[string]*recurrent {
	index := func(top, ratio int, blocks bool) graph.IndexSpec {
		return graph.IndexSpec{Heads: 3, Top: top, Ratio: ratio, Blocks: blocks}
	}
	return map[string]*recurrent{
		"mean of blocks":               newCompress(20, 4, false, false),
		"gated mean":                   newCompress(300, 5, true, false),
		"overlapping":                  newCompress(20, 4, true, true),
		"overlapping many":             newCompress(150, 8, true, true),
		"chosen keys":                  newSparse(sparse{6, 2, 16, index(7, 1, false), 12, true}),
		"chosen keys, many heads":      newSparse(sparse{40, 1, 16, index(50, 1, false), 12, true}),
		"chosen keys without weights":  newSparse(sparse{2, 1, 16, index(1, 1, false), 12, false}),
		"chosen blocks":                newSparse(sparse{4, 2, 16, index(3, 4, false), 12, true}),
		"chosen blocks of 16":          newSparse(sparse{4, 4, 16, index(2, 16, false), 12, false}),
		"compressed keys":              newBlocks(sparse{heads: 5, headsKV: 1, dim: 16}, 4, 12),
		"compressed keys of two pages": newBlocks(sparse{heads: 40, headsKV: 1, dim: 16}, 64, 12),
		"blocks by head":               newBlockIndex(6, 3, 16, graph.BlockSpec{Top: 3, Size: 5, Local: 1}),
		"blocks by head, small":        newBlockIndex(4, 2, 16, graph.BlockSpec{Top: 7, Size: 1}),
		"blocks by head, pages":        newBlockIndex(2, 1, 16, graph.BlockSpec{Top: 1, Size: 40, Local: 1}),
		"blocks by head, all local":    newBlockIndex(2, 2, 16, graph.BlockSpec{Top: 2, Size: 8, Local: 5}),
		"chosen compressed keys":       newBlocks(sparse{5, 1, 16, index(3, 4, true), 12, false}, 4, 8),
	}
}
