package main

import (
	"math"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

const (
	fixedMagic = 3 << 22 // a float of that size has units of 1: its low 16 bits are an integer
	fixedBits  = 14
	fixedLeast = 27 // the least exponent of a row's largest element, biased
)

// fixedPart emits the conversion of rows to 16-bit integers, and products with panels of 32 columns for 1, 2 and 6 rows at a time.
func fixedPart() {
	fixRow()
	fixWeights()
	scaleScores()
	putElement()
	for _, m := range []int{1, 2, 6} {
		newFixed(m).emit()
	}
}

// fixRow emits the conversion of a row of float32.
func fixRow() {
	text("fixRowAVX512", "func(dst *int16, x *float32, vectors int, scale *float32)",
		"dst[i] = x[i]/scale, rounded to even, for 32*vectors elements, with the power of two as scale that makes the largest 2^13 to 2^14.")
	sign := constant(u32(1<<31 - 1))
	most := overHalves("most", func(p Register, half int, most VecVirtual) {
		x := ZMM()
		VPANDD(at(p, 64*half), sign, x)
		VPMAXUD(x, most, most)
	})
	fix(most)
	end()
}

// fixWeights emits the conversion of a row of weights that are exponentials.
func fixWeights() {
	text("fixWeightsAVX512", "func(dst *int16, x, by *float32, vectors int, top float32, scale *float32) float32",
		"x[i] = exp(x[i] - top) by[i], or 0 where the exponential is, and then as fixRowAVX512. Returns the sum of the exponentials.")
	top, sum, sign := avx512.broadcast("top"), [2]VecVirtual{ZMM(), ZMM()}, constant(u32(1<<31-1))
	zero(sum[0])
	zero(sum[1])
	by := Load(Param("by"), GP64())
	delta := GP64()
	Load(Param("x"), delta)
	SUBQ(delta, by) // from x
	most := overHalves("most", func(p Register, half int, most VecVirtual) {
		x, none := ZMM(), K()
		VMOVUPS(at(p, 64*half), x)
		VSUBPS(top, x, x)
		x = expOfNegative(x)
		VADDPS(x, sum[half], sum[half])
		VPTESTMD(x, x, none)
		VMULPS_Z(indexed(p, by, 1).Offset(64*half), x, none, x)
		VMOVUPS(x, at(p, 64*half))
		VPANDD(sign, x, x)
		VPMAXUD(x, most, most)
	})
	VADDPS(sum[1], sum[0], sum[0])
	total := avx512.foldLanes(sumOne(sum[0]))
	Store(total, ReturnIndex(0))
	fix(most)
	end()
}

// scaleScores emits what makes products of integers scores.
func scaleScores() {
	v := avx512
	text("scaleScoresAVX512", "func(x, scales []float32, by float32) float32", "For every i: x[i] = x[i] by scales[i]. Returns the largest; NaNs are passed over.")
	x, scales, by := Load(Param("x").Base(), GP64()), Load(Param("scales").Base(), GP64()), v.broadcast("by")
	most := constant(f32(math.Inf(-1)))
	v.loop(Load(Param("x").Len(), GP64()), func(i Register, k *mask) {
		r, s := ZMM(), ZMM()
		v.loadAt(x, i, k, r)
		v.loadAt(scales, i, k, s)
		VMULPS(by, r, r)
		VMULPS(s, r, r)
		v.storeAt(r, x, i, k)
		if k == nil { // of two operands VMAXPS returns the one written first when either is NaN
			VMAXPS(most, r, most)
		} else {
			VMAXPS(most, r, k.k, most)
		}
	})
	v.returnMax(most)
}

// putElement emits what makes a row an element of its columns.
func putElement() {
	text("putElementAVX512", "func(panels, row *int16, count, odd int)",
		"For each of count panels of 32 elements: its next two elements' first, or with odd second, becomes 32 integers of the row.")
	p, row, n := Load(Param("panels"), GP64()), Load(Param("row"), GP64()), Load(Param("count"), GP64())
	odd, words, mask := GP64(), GP64(), K()
	Load(Param("odd"), odd)
	SHLQ(Imm(4), odd)
	shift := XMM()
	VMOVQ(odd, shift)
	MOVL(U32(0x55555555), words.As32())
	SHRQ(Imm(4), odd)
	SHLXQ(odd, words, words)
	KMOVD(words.As32(), mask)
	Label("panel")
	for half := range 2 {
		x := ZMM()
		VPMOVZXWD(at(row, 32*half), x)
		VPSLLD(shift, x, x)
		VMOVDQU16(x, mask, at(p, 64*half))
	}
	ADDQ(U32(2*32*32), p)
	ADDQ(Imm(64), row)
	DECQ(n)
	JNZ(LabelRef("panel"))
	end()
}

// overHalves runs body for the 16 first and last floats of every 32 of x, and returns what it makes the most.
func overHalves(label string, body func(p Register, half int, most VecVirtual)) VecVirtual {
	p, n := Load(Param("x"), GP64()), Load(Param("vectors"), GP64())
	most := [2]VecVirtual{ZMM(), ZMM()}
	zero(most[0])
	zero(most[1])
	Label(label)
	for half, m := range most {
		body(p, half, m)
	}
	ADDQ(U32(128), p)
	DECQ(n)
	JNZ(LabelRef(label))
	VPMAXUD(most[1], most[0], most[0])
	return most[0]
}

// fix converts x, whose largest elements, without sign, are most.
func fix(most VecVirtual) {
	mostLane(most)
	inverse := powerScale(most)
	s := Load(Param("scale"), GP64())
	VMOVSS(most.AsX(), at(s, 0))
	dst, magic, low := Load(Param("dst"), GP64()), constant(f32(fixedMagic)), lowWords()
	p, n := Load(Param("x"), GP64()), Load(Param("vectors"), GP64())
	Label("fix")
	x := [2]VecVirtual{ZMM(), ZMM()}
	for h := range x {
		VMOVUPS(at(p, 64*h), x[h])
		VFMADD213PS(magic, inverse, x[h]) // rounds once, to even
	}
	VPERMT2W(x[1], low, x[0])
	VMOVDQU32(x[0], at(dst, 0))
	ADDQ(U32(128), p)
	ADDQ(Imm(64), dst)
	DECQ(n)
	JNZ(LabelRef("fix"))
}

// mostLane gives all lanes the largest integer.
func mostLane(r VecVirtual) {
	t := ZMM()
	VEXTRACTI64X4(Imm(1), r, t.AsY())
	VPMAXUD(t.AsY(), r.AsY(), r.AsY())
	VEXTRACTI128(Imm(1), r.AsY(), t.AsX())
	VPMAXUD(t.AsX(), r.AsX(), r.AsX())
	for _, order := range []uint64{0x4e, 0xb1} {
		VPSHUFD(Imm(order), r.AsX(), t.AsX())
		VPMAXUD(t.AsX(), r.AsX(), r.AsX())
	}
	VPBROADCASTD(r.AsX(), r)
}

// powerScale turns the size of the largest element into the scale, NaN where it is none, and returns 1 over it.
func powerScale(r VecVirtual) (inverse VecVirtual) {
	const bias, special = 127, 255
	inverse, nan, none := ZMM(), ZMM(), K()
	VPSRLD(Imm(23), r, r)
	VPMAXUD(u32(fixedLeast), r, r)
	VPCMPEQD(u32(special), r, none)
	VMOVDQU32(u32(2*bias+fixedBits-1), inverse)
	VPSUBD(r, inverse, inverse)
	VPSLLD(Imm(23), inverse, inverse)
	VPSUBD(u32(fixedBits-1), r, r)
	VPSLLD(Imm(23), r, r)
	VMOVDQU32(u32(0x7fc00000), nan)
	VMOVDQA32(nan, none, r)
	return inverse
}

// lowWords are indexes for VPERMT2W: the low words of one vector's lanes and then of another's.
func lowWords() VecVirtual {
	words := make([]uint32, 16)
	for i := range words {
		words[i] = uint32(4*i | (4*i+2)<<16)
	}
	return constant(table32("lowWords", words))
}

func constant(m Mem) VecVirtual {
	r := ZMM()
	VMOVDQU32(m, r)
	return r
}
