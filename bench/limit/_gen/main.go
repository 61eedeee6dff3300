// Command _gen writes the loops of package limit: as many loads, or independent multiply-adds, as the processor can begin.
package main

import (
	. "github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/ir"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

func main() {
	ConstraintExpr("amd64,!purego")
	for _, wide := range []bool{false, true} {
		read(wide)
		floats(wide)
		integers(wide)
	}
	bf16()
	Generate()
}

func function(name string, wide bool, signature, doc string) {
	if name += "AVX2"; wide {
		name = name[:len(name)-1] + "512"
	}
	TEXT(name, NOSPLIT, signature)
	Doc(name + " " + doc)
	Pragma("noescape")
}

// registers are zeroed; multiply-adds of zero meet no denormal numbers.
func registers(n int, wide bool) []VecVirtual {
	out := make([]VecVirtual, n)
	for i := range out {
		if wide {
			out[i] = ZMM()
			VPXORD(out[i], out[i], out[i])
		} else {
			out[i] = YMM()
			VPXOR(out[i], out[i], out[i])
		}
	}
	return out
}

// loop repeats body n times, at least once.
func loop(n Register, body func()) {
	Label("again")
	body()
	DECQ(n)
	JNZ(LabelRef("again"))
	VZEROUPPER()
	RET()
}

// read loads 256 bytes a turn. The prefetch is what the fastest matrix-vector kernels use.
func read(wide bool) {
	function("read", wide, "func(p *byte, n int)", "loads n pieces of 256 bytes one after another.")
	p, n := Load(Param("p"), GP64()), Load(Param("n"), GP64())
	acc := registers(4, wide)
	size := acc[0].Size()
	loop(n, func() {
		for at := 0; at < 256; at += int(size) {
			if at%64 == 0 {
				PREFETCHT1(Mem{Base: p, Disp: 12<<10 + at})
				PREFETCHT1(Mem{Base: p, Disp: 6<<10 + at}) // again: requests are dropped when too many are under way
			}
			a := acc[at/int(size)%4]
			if wide {
				VPORQ(Mem{Base: p, Disp: at}, a, a)
			} else {
				VPOR(Mem{Base: p, Disp: at}, a, a)
			}
		}
		ADDQ(U32(256), p)
	})
}

const accumulators = 12 // more than latency times ports

func floats(wide bool) {
	function("floats", wide, "func(n int)", "makes n times 12 vectors of float32 multiply-adds.")
	n := Load(Param("n"), GP64())
	acc, x := registers(accumulators, wide), registers(1, wide)[0]
	loop(n, func() {
		for _, a := range acc {
			VFMADD231PS(x, x, a)
		}
	})
}

// bf16 is for processors with AVX512_BF16. VDPBF16PS, which avo lacks, is written as bytes; dotBytes in the generator of package kernel
// explains them.
func bf16() {
	function("bf16", true, "func(n int)", "makes n times 12 vectors of multiply-adds of pairs of BF16 numbers.")
	n := Load(Param("n"), GP64())
	acc := []VecPhysical{Z0, Z1, Z2, Z3, Z4, Z5, Z6, Z7, Z8, Z9, Z10, Z11}
	for _, a := range append(acc, Z12) {
		VPXORD(a, a, a)
	}
	loop(n, func() {
		for i := range uint32(len(acc)) { // VDPBF16PS Z12, Z12, Z(i)
			bytes("LONG", U32(0x481e5262|(1-i>>3)<<15))
			bytes("WORD", U16(0xc452|(i&7)<<11))
		}
	})
}

func bytes(directive string, b Op) {
	Instruction(&ir.Instruction{Opcode: directive, Operands: []Op{b}, ISA: []string{"AVX512BF16"}})
}

func integers(wide bool) {
	function("integers", wide, "func(n int)", "makes n times 12 vectors of multiply-adds of bytes to int32.")
	n := Load(Param("n"), GP64())
	acc, x := registers(accumulators, wide), registers(1, wide)[0]
	if wide {
		loop(n, func() {
			for _, a := range acc {
				VPDPBUSD(x, x, a)
			}
		})
		return
	}
	ones := registers(1, wide)[0]
	loop(n, func() {
		for _, a := range acc {
			t := YMM()
			VPMADDUBSW(x, x, t)
			VPMADDWD(ones, t, t)
			VPADDD(t, a, a)
		}
	})
}
