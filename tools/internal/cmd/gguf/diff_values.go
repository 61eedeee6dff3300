package gguf

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"runtime"
	"slices"
	"strconv"

	"github.com/llamakit/llamakit/formats/gguf"
	"github.com/llamakit/llamakit/tools/internal/parallel"
	"github.com/llamakit/llamakit/tools/internal/progress"
	"github.com/llamakit/llamakit/tools/internal/table"
	"github.com/llamakit/llamakit/tools/internal/terminal"
	"github.com/llamakit/llamakit/tui/cells"
	"github.com/llamakit/llamakit/tui/inspect/probe"
)

// valueDiff is how far the weights of a tensor are apart.
type valueDiff struct {
	Equal  bool     `json:"equal"`   // after decoding
	MaxAbs number64 `json:"max_abs"` // largest |a-b|
	RelRMS number64 `json:"rel_rms"` // sqrt(Σ(a-b)² / Σa²)
}

// number64 is a float64 that JSON can have: what is not finite is a text.
type number64 float64

// MarshalJSON implements json.Marshaler.
func (n number64) MarshalJSON() ([]byte, error) {
	if x := float64(n); math.IsNaN(x) || math.IsInf(x, 0) {
		return json.Marshal(strconv.FormatFloat(x, 'g', -1, 64))
	}
	return json.Marshal(float64(n))
}

// compareValues fills in the numbers of all pairs of one shape.
func (d *diff) compareValues(ctx context.Context, all []tensorDiff, pairs [][2]*gguf.Tensor) error {
	total := int64(0)
	for _, p := range pairs {
		total += p[0].Size
	}
	bar := progress.Bytes(d.err, total, "comparing")
	defer func() { _ = bar.Clear() }()
	return parallel.Do(ctx, runtime.GOMAXPROCS(0), len(pairs), func(ctx context.Context, i int) error {
		a, b := pairs[i][0], pairs[i][1]
		defer func() { _ = bar.Add64(a.Size) }()
		if b == nil || !slices.Equal(a.Shape, b.Shape) {
			return nil
		}
		v, err := compare(ctx, a, d.a.Bytes(a), b, d.b.Bytes(b))
		all[i].valueDiff = v
		return err
	})
}

// compare decodes two tensors of one shape and sums up what they differ by. Two NaN, or twice the same infinity, are equal.
func compare(ctx context.Context, a *gguf.Tensor, dataA []byte, b *gguf.Tensor, dataB []byte) (*valueDiff, error) {
	if a.Type == b.Type && bytes.Equal(dataA, dataB) {
		return &valueDiff{Equal: true}, ctx.Err()
	}
	var x, y []float32
	d := probe.NewDifference()
	err := eachPiece(ctx, a, dataA, func(first int, blocks []byte) {
		x = probe.Decode(a.Type, blocks, x)
		y = decodeRange(b, dataB, first, len(x), y)
		d.Add(x, y)
	})
	return &valueDiff{Equal: d.Equal, MaxAbs: number64(d.MaxAbs), RelRMS: number64(d.RelRMS())}, err
}

// decodeRange decodes elements first to first+n of a tensor, whose blocks may be of another size than the range.
func decodeRange(t *gguf.Tensor, data []byte, first, n int, buf []float32) []float32 {
	size := t.Type.BlockSize()
	from, to := first/size, (first+n+size-1)/size
	all := probe.Decode(t.Type, data[from*t.Type.BlockBytes():to*t.Type.BlockBytes()], buf)
	return all[first-from*size:][:n]
}

// print shows keys and tensors that differ as two tables.
func (d *diff) print(x *differences) error {
	width := terminal.Width(d.out)
	if width == 0 {
		width = 2 * pipedWidth
	}
	if len(x.Keys) > 0 {
		longest := 0
		for _, k := range x.Keys {
			longest = max(longest, len(gguf.Printable(k.Key)))
		}
		room := max(leastValue, (width-longest-6)/2)
		rows := make([][]string, len(x.Keys))
		for i, k := range x.Keys {
			rows[i] = []string{gguf.Printable(k.Key), cells.Truncate(k.textA, room), cells.Truncate(k.textB, room)}
		}
		if err := table.Write(d.out, false, []table.Column{table.Left("key"), table.Left("A"), table.Left("B")}, rows); err != nil {
			return err
		}
	}
	if len(x.Tensors) == 0 {
		return nil
	}
	if len(x.Keys) > 0 {
		fmt.Fprintln(d.out)
	}
	return d.printTensors(x.Tensors)
}

func (d *diff) printTensors(tensors []tensorDiff) error {
	columns := []table.Column{table.Left("tensor"), table.Left("A"), table.Left("B")}
	if d.values {
		columns = append(columns, table.Right("max abs"), table.Right("rel RMS"))
	}
	rows := make([][]string, len(tensors))
	for i, t := range tensors {
		rows[i] = []string{gguf.Printable(t.Name), t.A.text(), t.B.text()}
		switch {
		case d.values && t.valueDiff != nil:
			rows[i] = append(rows[i], fmt.Sprintf("%.6g", t.MaxAbs), fmt.Sprintf("%.6g", t.RelRMS))
		case d.values:
			rows[i] = append(rows[i], "-", "-")
		}
	}
	return table.Write(d.out, false, columns, rows)
}
