package gguf

import (
	"context"
	"fmt"
	"math"
	"runtime"

	"github.com/llamakit/llamakit/formats/gguf"
	"github.com/llamakit/llamakit/formats/quant"
	"github.com/llamakit/llamakit/tools/internal/parallel"
	"github.com/llamakit/llamakit/tools/internal/progress"
	"github.com/llamakit/llamakit/tui/inspect/probe"
)

// weightFaults are what is wrong with the values of one tensor.
type weightFaults struct {
	nan, inf      int
	firstNaN      int // element
	firstInf      int
	badScale      int // block; -1: none
	rows, zeroRow int // of all rows, rows of zeros only
	firstZeroRow  int
}

// weights looks at every value of every tensor.
func (k *checker) weights(ctx context.Context) error {
	faults := make([]*weightFaults, len(k.f.Tensors))
	bar := progress.Bytes(k.err, weightBytes(k.f), "checking")
	err := parallel.Do(ctx, runtime.GOMAXPROCS(0), len(faults), func(ctx context.Context, i int) (err error) {
		t := &k.f.Tensors[i]
		faults[i], err = lookAt(ctx, k.f, t, func(n int) { _ = bar.Add(n) })
		return err
	})
	_ = bar.Clear()
	if err != nil {
		return err
	}
	for i, x := range faults {
		k.report(&k.f.Tensors[i], x)
	}
	return nil
}

// lookAt counts the faults of a tensor.
func lookAt(ctx context.Context, f *gguf.File, t *gguf.Tensor, progress func(int)) (*weightFaults, error) {
	x := &weightFaults{badScale: -1}
	width, zero := t.Dim(0), true
	var buf []float32
	err := probe.Spread(f, t, 0).Blocks(ctx, func(row, column int, blocks []byte) {
		progress(len(blocks))
		first := row*width + column
		if i, bad := quant.BadScale(t.Type, blocks); bad && x.badScale < 0 {
			x.badScale = first/t.Type.BlockSize() + i
		}
		buf = probe.Decode(t.Type, blocks, buf)
		x.count(first, buf)
		zero = zero && allZero(buf)
		if column+len(buf) == width {
			x.endRow(zero)
			zero = true
		}
	})
	return x, err
}

// count looks for values that are not finite; first is the number of the first one.
func (x *weightFaults) count(first int, values []float32) {
	if _, found := quant.FirstNotFinite(values); !found {
		return
	}
	for i, v := range values {
		switch {
		case v != v:
			if x.nan++; x.nan == 1 {
				x.firstNaN = first + i
			}
		case math.IsInf(float64(v), 0):
			if x.inf++; x.inf == 1 {
				x.firstInf = first + i
			}
		}
	}
}

func (x *weightFaults) endRow(zero bool) {
	if zero {
		if x.zeroRow++; x.zeroRow == 1 {
			x.firstZeroRow = x.rows
		}
	}
	x.rows++
}

func allZero(values []float32) bool {
	for _, v := range values {
		if v != 0 {
			return false
		}
	}
	return true
}

// report tells the faults of a tensor. Rows of zeros are no damage by themselves: tokens that were never seen have them.
func (k *checker) report(t *gguf.Tensor, x *weightFaults) {
	where := "tensor " + t.Name
	at := func(element int) string {
		return fmt.Sprintf("row %d, column %d", element/t.Dim(0), element%t.Dim(0))
	}
	if x.badScale >= 0 {
		k.fail(where, "a scale that cannot be, first in block %d, at %s", x.badScale, at(x.badScale*t.Type.BlockSize()))
	}
	if x.nan > 0 {
		k.fail(where, "%d of %d values are NaN, the first at %s", x.nan, t.Elements(), at(x.firstNaN))
	}
	if x.inf > 0 {
		k.fail(where, "%d of %d values are infinite, the first at %s", x.inf, t.Elements(), at(x.firstInf))
	}
	switch {
	case x.rows > 0 && x.zeroRow == x.rows:
		k.note(where, "all zero")
	case x.zeroRow > 0:
		k.note(where, "%d of %d rows are zero, the first is row %d", x.zeroRow, x.rows, x.firstZeroRow)
	}
}
