package quant

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

const benchElements = 4096

// BenchmarkDecode counts the bytes of float32 that come out.
func BenchmarkDecode(b *testing.B) {
	rng := rand.New(rand.NewPCG(7, 8))
	for _, t := range Types() {
		b.Run(fmt.Sprintf("type=%s/n=%d", t, benchElements), func(b *testing.B) {
			src, dst := randomBytes(rng, t.RowBytes(benchElements)), make([]float32, benchElements)
			if t.CanEncode() {
				mustEncode(b, t, src, benchRow())
			}
			b.SetBytes(4 * benchElements)
			for b.Loop() {
				Decode(t, dst, src)
			}
		})
	}
}

// BenchmarkEncode counts the bytes of float32 that go in.
func BenchmarkEncode(b *testing.B) {
	src := benchRow()
	for _, t := range Types() {
		if !t.CanEncode() {
			continue
		}
		b.Run(fmt.Sprintf("type=%s/n=%d", t, benchElements), func(b *testing.B) {
			dst := make([]byte, t.RowBytes(benchElements))
			mustEncode(b, t, dst, src) // makes the codebook's tables
			b.SetBytes(4 * benchElements)
			for b.Loop() {
				mustEncode(b, t, dst, src)
			}
		})
	}
}

// benchRow looks like a row of weights.
func benchRow() []float32 {
	rng := rand.New(rand.NewPCG(9, 10))
	row := make([]float32, benchElements)
	for i := range row {
		row[i] = float32(rng.NormFloat64() * 0.02)
	}
	return row
}

func mustEncode(b *testing.B, t Type, dst []byte, src []float32) {
	if err := EncodeWeighted(t, dst, src, benchImportance); err != nil {
		b.Fatal(err)
	}
}

// benchImportance is drawn as activations look: most columns small, a few large.
var benchImportance = func() []float32 {
	rng := rand.New(rand.NewPCG(11, 12))
	v := make([]float32, benchElements)
	for i := range v {
		v[i] = float32(rng.ExpFloat64())
	}
	return v
}()
