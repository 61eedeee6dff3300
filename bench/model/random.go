package model

import (
	"math/rand/v2"

	"github.com/llamakit/llamakit/formats/quant"
)

// Tensors of more than maxEncoded elements are put together from poolUnits encoded pieces of at most unitSize elements: any
// sequence of blocks is a valid row, and encoding 8 billion numbers takes an hour in some types.
const (
	maxEncoded = 1 << 20
	poolUnits  = 1 << 10
	unitSize   = 256
)

// random makes normally distributed values.
func (x *tensor) random(t quant.Type, r *rand.Rand) ([]byte, error) {
	columns := x.shape[0]
	if x.elements() <= maxEncoded {
		return x.encoded(t, r, columns, x.elements()/columns)
	}
	unit := gcd(columns, unitSize) // whole blocks, as the size of a block divides both
	pool, err := x.encoded(t, r, unit, poolUnits)
	if err != nil {
		return nil, err
	}
	size := t.RowBytes(unit)
	data := make([]byte, size*(x.elements()/unit))
	for at := 0; at < len(data); at += size {
		copy(data[at:at+size], pool[size*r.IntN(poolUnits):])
	}
	return data, nil
}

// encoded makes rows of that many columns.
func (x *tensor) encoded(t quant.Type, r *rand.Rand, columns, rows int) ([]byte, error) {
	row := make([]float32, columns)
	size := t.RowBytes(columns)
	data := make([]byte, size*rows)
	for at := 0; at < len(data); at += size {
		for i := range row {
			row[i] = float32(x.mean + x.spread*r.NormFloat64())
		}
		if err := quant.Encode(t, data[at:at+size], row); err != nil {
			return nil, err
		}
	}
	return data, nil
}

func gcd(a, b int) int {
	for b > 0 {
		a, b = b, a%b
	}
	return a
}
