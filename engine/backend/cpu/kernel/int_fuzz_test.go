package kernel

import (
	"encoding/binary"
	"math"
	"testing"

	"github.com/llamakit/llamakit/formats/quant"
)

// FuzzIntMatMul lets the bytes be weights and, as float32, activations. All tiers must agree with the specification.
func FuzzIntMatMul(f *testing.F) {
	for _, typ := range intTestTypes {
		for kind := range weightKinds {
			f.Add(uint8(typ), uint8(5), newRandom(5).weights(typ, kind, 2, 256), []byte{0, 0, 128, 63, 0, 0, 192, 127, 1, 2, 3, 4})
		}
	}
	f.Fuzz(func(t *testing.T, typ, m uint8, wts, acts []byte) {
		i, ok := intTypes[quant.Type(typ)]
		k := 512
		if ok && i.typ.BlockSize() < intSuper {
			k = i.typ.BlockSize() * (1 + int(m)%20)
		}
		if !ok || len(wts) == 0 || len(acts) < 4 {
			return
		}
		p := intProblem{mul: MatMulFor(i.typ), m: 1 + int(m)%9, n: 1 + len(wts)%40, k: k}
		for size := p.n * i.typ.RowBytes(k); len(p.w) < size; {
			p.w = append(p.w, wts[:min(len(wts), size-len(p.w))]...)
		}
		x := make([]float32, k)
		for row := range p.m {
			for e := range x {
				at := (4*e + row) % (len(acts) - 3)
				x[e] = math.Float32frombits(binary.LittleEndian.Uint32(acts[at:]))
			}
			p.acts = append(p.acts, prepareRow(p.mul, x)...)
		}
		want := p.generic(t)
		for tier := Generic + 1; tier < tierCount; tier++ {
			if restore, ok := Use(tier); ok {
				got := p.run(t)
				restore()
				compare(t, p, got, want)
			}
		}
	})
}
