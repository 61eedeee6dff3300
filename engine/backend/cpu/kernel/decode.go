package kernel

import (
	"fmt"

	"github.com/llamakit/llamakit/formats/quant"
)

// LoadFor returns the conversion of rows of type t to float32, the same bits as quant.Decode. It belongs to the tier that runs.
func LoadFor(t quant.Type) func(dst []float32, src []byte) {
	switch f, ok := floatFormats[t]; {
	case ok:
		return f.load
	case current.decode[t] != nil:
		return blockLoad(t, current.decode[t])
	}
	return func(dst []float32, src []byte) { quant.Decode(t, dst, src) }
}

// decodeFunc converts a number of blocks of 32.
type decodeFunc = func(dst *float32, src *byte, blocks int)

func blockLoad(t quant.Type, decode decodeFunc) func(dst []float32, src []byte) {
	return func(dst []float32, src []byte) {
		n := len(dst) / 32
		if n*32 != len(dst) || len(src) != t.RowBytes(len(dst)) {
			panic(fmt.Sprintf("kernel: %d bytes of %v are not %d values", len(src), t, len(dst)))
		}
		if n > 0 {
			decode(&dst[0], &src[0], n)
		}
	}
}
