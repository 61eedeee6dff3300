package kernel

import (
	"fmt"

	"github.com/llamakit/llamakit/formats/quant"
)

// LoadFor returns the conversion of rows of type t to float32, the same bits as quant.Decode. Meanwhile next is fetched, the rows
// of another call; nil: what follows src. It belongs to the tier that runs.
func LoadFor(t quant.Type) func(dst []float32, src, next []byte) {
	switch f, ok := floatFormats[t]; {
	case ok:
		return func(dst []float32, src, _ []byte) { f.load(dst, src) }
	case current.decode[t] != nil:
		return blockLoad(t, current.decode[t])
	}
	return func(dst []float32, src, _ []byte) { quant.Decode(t, dst, src) }
}

// decodeFunc converts a number of blocks of 32 and fetches what is ahead bytes on.
type decodeFunc = func(dst *float32, src *byte, blocks, ahead int)

func blockLoad(t quant.Type, decode decodeFunc) func(dst []float32, src, next []byte) {
	return func(dst []float32, src, next []byte) {
		n := len(dst) / 32
		if n*32 != len(dst) || len(src) != t.RowBytes(len(dst)) {
			panic(fmt.Sprintf("kernel: %d bytes of %v are not %d values", len(src), t, len(dst)))
		}
		if n > 0 {
			decode(&dst[0], &src[0], n, aheadTo(src, next))
		}
	}
}
