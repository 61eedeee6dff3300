package kernel

import (
	"encoding/binary"
	"fmt"
	"testing"

	"github.com/llamakit/llamakit/formats/quant"
)

// cacheBlocks are the block types with a body of their own on every tier with assembly.
var cacheBlocks = []quant.Type{quant.Q8_0, quant.Q4_0, quant.Q4_1, quant.Q5_0, quant.Q5_1, quant.IQ4_NL}

// TestLoadBlocks compares with quant.Decode, over random bytes with a scale that is a number.
func TestLoadBlocks(t *testing.T) {
	eachTier(t, func(t *testing.T) {
		r := newRandom(5)
		for _, typ := range cacheBlocks {
			if body := current.decode[typ]; body == nil && Active() != Generic {
				t.Errorf("%v has no body", typ)
			}
			for blocks := range 6 {
				src, want := make([]byte, typ.RowBytes(32*blocks)), make([]float32, 32*blocks)
				for i := range src {
					src[i] = byte(r.Uint32())
				}
				for b := range blocks {
					binary.LittleEndian.PutUint16(src[b*typ.RowBytes(32):], quant.F32ToF16(float32(r.NormFloat64())))
				}
				quant.Decode(typ, want, src)
				in, got := guardBytes(src), guardFloats(make([]float32, len(want)))
				LoadFor(typ)(got.data, in.data, nil)
				got.check(t)
				for i := range want {
					if !same(got.data[i], want[i]) {
						t.Fatalf("%v, %d blocks: [%d] = %g, want %g", typ, blocks, i, got.data[i], want[i])
					}
				}
			}
		}
	})
}

func BenchmarkLoadBlocks(b *testing.B) {
	const n = 32 * 128 // a page of one head
	for _, typ := range append([]quant.Type{quant.F16, quant.BF16}, cacheBlocks...) {
		for tier := range tierCount {
			b.Run(fmt.Sprintf("type=%v/tier=%v", typ, tier), func(b *testing.B) {
				useTier(b, tier)
				src, dst := make([]byte, typ.RowBytes(n)), make([]float32, n)
				load := LoadFor(typ)
				b.SetBytes(4 * n)
				for b.Loop() {
					load(dst, src, nil)
				}
			})
		}
	}
}
