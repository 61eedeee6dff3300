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
func (d *diff) compareValues(ctx context.Context, pairs []probe.Tensor, values []*valueDiff) error {
	bar := progress.Bytes(d.err, weightBytes(d.a), "comparing")
	defer func() { _ = bar.Clear() }()
	return parallel.Do(ctx, runtime.GOMAXPROCS(0), len(pairs), func(ctx context.Context, i int) (err error) {
		a, b := pairs[i].A, pairs[i].B
		if a == nil {
			return nil
		}
		defer func() { _ = bar.Add64(a.Size) }()
		if b != nil && slices.Equal(a.Shape, b.Shape) {
			values[i], err = d.compare(ctx, a, b)
		}
		return err
	})
}

// compare sums up what two tensors of one shape differ by. Two NaN, or twice the same infinity, are equal.
func (d *diff) compare(ctx context.Context, a, b *gguf.Tensor) (*valueDiff, error) {
	if a.Type == b.Type && bytes.Equal(d.a.Bytes(a), d.b.Bytes(b)) {
		return &valueDiff{Equal: true}, ctx.Err()
	}
	found, err := probe.Spread(d.a, a, 0).Difference(ctx, d.b, b)
	if err != nil {
		return nil, err
	}
	return &valueDiff{Equal: found.Equal, MaxAbs: number64(found.MaxAbs), RelRMS: number64(found.RelRMS())}, nil
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
