package cpu

import (
	"fmt"

	"github.com/llamakit/llamakit/engine/backend/cpu/kernel"
	"github.com/llamakit/llamakit/engine/graph"
	"github.com/llamakit/llamakit/formats/quant"
)

// compile translates the graph's ops into steps. Matrix products of the same input that follow one another become one
// step, so that its rows are prepared once and the workers have more to share.
func (p *program) compile() {
	tables := map[*graph.RopeSpec]*ropeTable{}
	ops := p.graph.Ops
	for i := 0; i < len(ops); i++ {
		switch op := ops[i].(type) {
		case *graph.MatMul:
			group := []*graph.MatMul{op}
			for i+1 < len(ops) && joins(op, ops[i+1]) {
				i++
				group = append(group, ops[i].(*graph.MatMul))
			}
			p.addMatMul(group)
		case *graph.Rope:
			if tables[op.Spec] == nil {
				tables[op.Spec] = p.newRopeTable(op.Spec)
				p.steps = append(p.steps, tables[op.Spec])
			}
			p.addLocal(op, tables[op.Spec].rotate(op))
		case *graph.Attention:
			p.addAttention(op)
		case *graph.Route:
			p.addRoute(op)
		case *graph.Experts:
			p.addExperts(op)
		case *graph.Conv:
			p.addConv(op)
		case *graph.Scan:
			p.addScan(op)
		case *graph.DeltaRule:
			p.addDeltaRule(op)
		case *graph.HeadMatMul:
			p.addHeadMatMul(op)
		case *graph.Index:
			p.addIndex(op)
		case *graph.BlockIndex:
			p.addBlockIndex(op)
		case *graph.Compress:
			p.addCompress(op)
		case *graph.NGrams:
			p.addNGrams(op)
		case *graph.StreamWeights:
			p.addStreamWeights(op)
		case *graph.ResidualAttention:
			p.addResidualAttention(op)
		default:
			p.addLocal(op, rowFunc(op))
		}
	}
}

// joins says whether next multiplies the same rows, prepared the same way, as first.
func joins(first *graph.MatMul, next graph.Op) bool {
	m, ok := next.(*graph.MatMul)
	return ok && m.X == first.X && m.L.W.Type == first.L.W.Type
}

// rowStep applies a function to each row by itself.
type rowStep struct {
	dst   *graph.Tensor
	row   func(r *run, i int)
	local []*graph.Tensor // that it reads and writes, if row i of one needs row i of the others alone (rowrun.go)
}

func (p *program) add(op graph.Op, row func(r *run, i int)) {
	p.steps = append(p.steps, &rowStep{dst: op.Writes(), row: row})
}

// addLocal adds an op that needs row i of what it reads for row i, unless it takes rows from more tokens than it has itself.
func (p *program) addLocal(op graph.Op, row func(r *run, i int)) {
	s := &rowStep{dst: op.Writes(), row: row, local: append(graph.Reads(op), op.Writes())}
	for _, t := range s.local {
		if t.Outputs != s.dst.Outputs {
			s.local = nil
			break
		}
	}
	p.steps = append(p.steps, s)
}

// rowsAPart keeps the parts of cheap row operations worth their counter.
const rowsAPart = 8

func (s *rowStep) parts(r *run) int { return (r.rows(s.dst) + rowsAPart - 1) / rowsAPart }

func (s *rowStep) do(r *run, _, part int) {
	for i := part * rowsAPart; i < min((part+1)*rowsAPart, r.rows(s.dst)); i++ {
		s.row(r, i)
	}
}

// rowFunc returns the function of an op that works row by row.
func rowFunc(op graph.Op) func(r *run, i int) {
	switch op := op.(type) {
	case *graph.Embed:
		return func(r *run, i int) { quant.Decode(op.W.Type, r.row(op.Dst, i), op.W.Row(int(r.Tokens[i]))) }
	case *graph.EmbedPosition:
		return func(r *run, i int) { quant.Decode(op.W.Type, r.row(op.Dst, i), op.W.Row(int(r.pos[i]))) }
	case *graph.Select:
		return func(r *run, i int) { copy(r.row(op.Dst, i), r.row(op.X, int(r.Outputs[i]))) }
	case *graph.Mean:
		return func(r *run, i int) { r.mean(r.row(op.Dst, i), op.X, int(r.Outputs[i])) }
	case *graph.Norm:
		return normFunc(op)
	case *graph.Add:
		return func(r *run, i int) { kernel.Add(r.row(op.Dst, i), r.row(op.A, i), r.row(op.B, i)) }
	case *graph.Mul:
		return func(r *run, i int) { kernel.Mul(r.row(op.Dst, i), r.row(op.A, i), r.row(op.B, i)) }
	case *graph.Pad:
		return func(r *run, i int) { pad(r.row(op.Dst, i), r.row(op.X, i), op.Fill) }
	case *graph.AddVector:
		return func(r *run, i int) { kernel.Add(r.row(op.Dst, i), r.row(op.X, i), op.V) }
	case *graph.Scale:
		return func(r *run, i int) { kernel.Scale(r.row(op.Dst, i), r.row(op.X, i), op.By) }
	case *graph.SoftCap:
		return func(r *run, i int) { kernel.SoftCap(r.row(op.Dst, i), r.row(op.X, i), op.Cap) }
	case *graph.PosScale:
		return func(r *run, i int) {
			kernel.Scale(r.row(op.Dst, i), r.row(op.X, i), posScale(op, int(r.pos[i])))
		}
	case *graph.GLU:
		return gluFunc(op)
	case *graph.Slice:
		return func(r *run, i int) { slice(r.row(op.Dst, i), r.row(op.X, i), op) }
	case *graph.Join:
		return func(r *run, i int) { join(r.row(op.Dst, i), r.row(op.A, i), r.row(op.B, i), op.Heads) }
	case *graph.HeadDot:
		return func(r *run, i int) { headDot(r.row(op.Dst, i), r.row(op.A, i), r.row(op.B, i)) }
	case *graph.Repeat:
		return func(r *run, i int) { repeat(r.row(op.Dst, i), r.row(op.X, i)) }
	case *graph.MixStreams:
		return mixStreamsFunc(op)
	case *graph.SpreadStreams:
		return func(r *run, i int) {
			spreadStreams(r.row(op.Dst, i), r.row(op.X, i), r.row(op.Y, i), r.row(op.W, i))
		}
	case *graph.Activate:
		return activateFunc(op)
	case *graph.Clamp:
		return func(r *run, i int) { kernel.Clamp(r.row(op.Dst, i), r.row(op.X, i), op.Limit) }
	case *graph.ScaleColumns:
		return func(r *run, i int) { kernel.Mul(r.row(op.Dst, i), r.row(op.X, i), op.By) }
	}
	panic(fmt.Sprintf("cpu: no kernel for %T", op))
}

// pad copies x to the end of dst and fills what is before.
func pad(dst, x []float32, fill float32) {
	front := len(dst) - len(x)
	copy(dst[front:], x)
	for i := range front {
		dst[i] = fill
	}
}

// mean averages the rows of x that belong to the span of row i.
func (r *run) mean(dst []float32, x *graph.Tensor, i int) {
	span := &r.Spans[r.span[i]]
	clear(dst)
	for row := span.Row; row < span.Row+span.N; row++ {
		kernel.Add(dst, dst, r.row(x, row))
	}
	kernel.Scale(dst, dst, 1/float32(span.N))
}

func slice(dst, x []float32, op *graph.Slice) {
	for from := op.From; from < len(x); from += op.Head {
		dst = dst[copy(dst, x[from:from+op.Len]):]
	}
}
