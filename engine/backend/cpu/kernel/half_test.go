package kernel

import (
	"encoding/binary"
	"math"
	"testing"

	"github.com/llamakit/llamakit/formats/quant"
)

// halfFormat is a 16-bit format with its conversions here and in formats/quant.
type halfFormat struct {
	name  string
	load  func([]float32, []byte)
	store func([]byte, []float32)
	to32  func(uint16) float32
	to16  func(float32) uint16
}

var halfFormats = []halfFormat{
	{"f16", LoadF16, StoreF16, quant.F16ToF32, quant.F32ToF16},
	{"bf16", LoadBF16, StoreBF16, quant.BF16ToF32, quant.F32ToBF16},
}

// TestLoadHalf converts all 65,536 numbers.
func TestLoadHalf(t *testing.T) {
	eachTier(t, func(t *testing.T) {
		src, dst := make([]byte, 2<<16), make([]float32, 1<<16)
		for i := range dst {
			binary.LittleEndian.PutUint16(src[2*i:], uint16(i))
		}
		for _, f := range halfFormats {
			f.load(dst, src)
			for i, got := range dst {
				if want := f.to32(uint16(i)); !same(got, want) {
					t.Fatalf("%s %#04x = %g, want %g", f.name, i, got, want)
				}
			}
		}
	})
}

// TestStoreHalf converts numbers at, beside and between the 16-bit ones.
func TestStoreHalf(t *testing.T) {
	eachTier(t, func(t *testing.T) {
		for _, f := range halfFormats {
			var x []float32
			for i := range 1 << 16 {
				bits := math.Float32bits(f.to32(uint16(i)))
				for _, d := range []uint32{0, 1, 0x0fff, 0x1000, 0x1001, 0x7fff, 0x8000, 0x8001, 0xffffffff} {
					x = append(x, math.Float32frombits(bits+d))
				}
			}
			dst := make([]byte, 2*len(x))
			f.store(dst, x)
			for i, v := range x {
				got, want := binary.LittleEndian.Uint16(dst[2*i:]), f.to16(v)
				if got != want && (v == v || f.to32(got) == f.to32(got)) {
					t.Fatalf("%s of %g (%#08x) = %#04x, want %#04x", f.name, v, math.Float32bits(v), got, want)
				}
			}
		}
	})
}

func TestHalfLengths(t *testing.T) {
	eachTier(t, func(t *testing.T) {
		r := newRandom(11)
		for _, f := range halfFormats {
			for n := 0; n <= 130; n++ {
				x := guardFloats(r.normal(n))
				bytes := guardBytes(make([]byte, 2*n))
				f.store(bytes.data, x.data)
				bytes.check(t)
				back := guardFloats(make([]float32, n))
				f.load(back.data, bytes.data)
				back.check(t)
				for i, v := range x.data {
					if want := f.to32(f.to16(v)); back.data[i] != want {
						t.Fatalf("%s n=%d: [%d] = %g, want %g", f.name, n, i, back.data[i], want)
					}
				}
			}
		}
	})
}
