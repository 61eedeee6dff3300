package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// TQ2_0 and TQ1_0: ternary weights plus 1, one float16 scale a superblock. TQ2_0 has 2 bits each: of each 32 bytes, bits 2k
// and up are group k of 32. TQ1_0 has 5 digits a byte, as a fraction: a digit is what multiplying by 3 carries out. Digits n
// of its first 32 bytes are weights from 32n on, of the next 16 from 160+16n, of the next 4 from 240+4n (4 digits only).
//
// Their panels are as the codebook types', with scales of 1.
var (
	tq20Type = gridType{name: "TQ20", bytes: 66, above: 1, expand: expander.tq20}
	tq10Type = gridType{name: "TQ10", bytes: 54, above: 1, expand: expander.tq10}
)

func tq20() {
	gemv(avx512, "gemvTQ20", tq20Type.bytes, act32Bytes, func() { tqSetup(avx512) }, tq20Super512)
	gemv(avx2, "gemvTQ20", tq20Type.bytes, act32Bytes, func() { tqSetup(avx2) }, tq20Super256)
	for _, w := range widths {
		tq20Type.unpack(w)
	}
}

func tq10() {
	gemv(avx512, "gemvTQ10", tq10Type.bytes, act32Bytes, func() { tqSetup(avx512) }, tq10Super512)
	gemv(avx2, "gemvTQ10", tq10Type.bytes, act32Bytes, func() { tqSetup(avx2) }, tq10Super256)
	for _, w := range widths {
		tq10Type.unpack(w)
	}
}

func (e expander) tq20() {
	x, v, mask := YMM(), YMM(), YMM()
	VMOVDQU(table("bits2", repeat(32, 3)), mask)
	for h := range 2 {
		VMOVDQU(at(e.src, 32*h), x)
		for k := range 4 {
			VPSRLW(Imm(uint64(2*k)), x, v)
			VPAND(mask, v, v)
			VMOVDQU(v, at(e.dst, 128*h+32*k))
		}
	}
	e.unscaled(64)
}

func (e expander) tq10() {
	first, second, third, d := YMM(), XMM(), XMM(), YMM()
	VMOVDQU(at(e.src, 0), first)
	VMOVDQU(at(e.src, 32), second)
	VMOVD(at(e.src, 48), third)
	limits := [2]VecVirtual{YMM(), YMM()}
	for i, name := range []string{"third1", "third2"} {
		VMOVDQU(tqLimit(name, i, 32), limits[i])
	}
	for n := range 5 {
		digits256(first, d, limits)
		VMOVDQU(d, at(e.dst, 32*n))
		digits256(second, d.AsX().(VecVirtual), limits)
		VMOVDQU(d.AsX(), at(e.dst, 160+16*n))
		if n < 4 {
			digits256(third, d.AsX().(VecVirtual), limits)
			VMOVD(d.AsX(), at(e.dst, 240+4*n))
		}
	}
	e.unscaled(52)
}

// unscaled ends the expansion of a type without scales of groups: d is at disp.
func (e expander) unscaled(disp int) {
	x := YMM()
	VMOVDQU(words256("one", 1), x)
	VMOVDQU(x, at(e.dst, plainScales))
	e.scale(disp, 1)
}

// tqLimit are bytes of the smallest fraction whose digit is 1, or 2.
func tqLimit(name string, i, n int) Mem { return table(name, repeat(n, []byte{86, 171}[i])) }

var tqConst struct {
	mask, ones VecVirtual
}

func tqSetup(w width) {
	c := &tqConst
	c.mask, c.ones = w.dwords(0x03030303), w.dwords(0x00010001)
}

// minusSums is minus the sums of the activations, in a few dwords.
func minusSums(w width, a Register) VecVirtual {
	x := XMM()
	VPMADDWD(at(a, act32Sum), tqConst.ones.AsX(), x)
	v := zeroed(w)
	VPSUBD(x, v.AsX(), v.AsX()) // the rest stays zero
	return v
}

func tq20Super512(r rows, a Register, f VecVirtual) {
	c := &tqConst
	acts := avx512.regs(4)
	for k := range acts { // group k of both halves
		VBROADCASTI64X4(at(a, 32*k), acts[k])
		VINSERTI64X4(Imm(1), at(a, 128+32*k), acts[k], acts[k])
	}
	start, acc := minusSums(avx512, a), avx512.regs(4)
	for i := range acc {
		x, v := ZMM(), ZMM()
		VMOVDQU32(r.at(i, 0), x)
		VMOVDQA32(start, acc[i])
		for k := range acts {
			VPSRLW(Imm(uint64(2*k)), x, v)
			VPANDD(c.mask, v, v)
			VPDPBUSD(acts[k], v, acc[i])
		}
	}
	scaleFinish(sums(avx512, acc, ZMM()), fourScales(avx512, r, 64), at(a, act32Scale), f)
}

func tq20Super256(r rows, a Register, f VecVirtual) {
	c := &tqConst
	start, acc := minusSums(avx2, a), avx2.regs(4)
	for i := range acc {
		x, v := YMM(), YMM()
		for h := range 2 {
			VMOVDQU(r.at(i, 32*h), x)
			for k := range 4 {
				VPSRLW(Imm(uint64(2*k)), x, v)
				VPAND(c.mask, v, v)
				if h+k == 0 {
					VPMADDUBSW(at(a, 0), v, acc[i])
					continue
				}
				VPMADDUBSW(at(a, 128*h+32*k), v, v)
				VPADDW(v, acc[i], acc[i]) // 16 products of at most 3*127
			}
		}
		VPMADDWD(c.ones, acc[i], acc[i])
		VPADDD(start, acc[i], acc[i])
	}
	scaleFinish(sums(avx2, acc, YMM()), fourScales(avx2, r, 64), at(a, act32Scale), f)
}

func tq10Super512(r rows, a Register, f VecVirtual) {
	acts := tq10Acts(a)
	start, acc := minusSums(avx512, a), avx512.regs(4)
	bytes, one := GP64(), avx512.dwords(0x01010101)
	MOVQ(U64(1<<52-1), bytes)
	KMOVQ(bytes, K1)
	for i := range acc {
		x, d := ZMM(), ZMM()
		VMOVDQU8_Z(r.at(i, 0), K1, x)
		VMOVDQA32(start, acc[i])
		for n, act := range acts {
			VPCMPUB(Imm(5), table("third1", repeat(64, 86)), x, K2)
			VPCMPUB(Imm(5), table("third2", repeat(64, 171)), x, K3)
			VMOVDQU8_Z(one, K2, d)
			VPADDB(one, d, K3, d)
			VPDPBUSD(act, d, acc[i])
			if n < 4 {
				VPADDB(x, x, d)
				VPADDB(d, x, x)
			}
		}
	}
	scaleFinish(sums(avx512, acc, ZMM()), fourScales(avx512, r, 52), at(a, act32Scale), f)
}

// tq10Acts are the activations that belong to the digits of 52 bytes; the rest is zero.
func tq10Acts(a Register) []VecVirtual {
	acts := avx512.regs(5)
	for n, v := range acts {
		last := XMM()
		if n < 4 {
			VMOVD(at(a, 240+4*n), last)
		} else {
			VPXOR(last, last, last)
		}
		VBROADCASTI64X4(at(a, 32*n), v)
		avx512.insert(2, at(a, 160+16*n), v)
		avx512.insert(3, last, v)
	}
	return acts
}

// digits256 takes the next digit off x and puts it in d: how many of the limits x reaches.
func digits256(x, d VecVirtual, limits [2]VecVirtual) {
	var t VecVirtual = YMM()
	if x.Size() == 16 {
		t, limits = XMM(), [2]VecVirtual{limits[0].AsX().(VecVirtual), limits[1].AsX().(VecVirtual)}
	}
	VPMAXUB(limits[0], x, d)
	VPCMPEQB(x, d, d)
	VPMAXUB(limits[1], x, t)
	VPCMPEQB(x, t, t)
	VPADDB(t, d, d) // minus the digit
	VPABSB(d, d)
	VPADDB(x, x, t)
	VPADDB(t, x, x)
}

func tq10Super256(r rows, a Register, f VecVirtual) {
	c := &tqConst
	start, acc := minusSums(avx2, a), avx2.regs(4)
	limits := [2]VecVirtual{YMM(), YMM()}
	for i, name := range []string{"third1", "third2"} {
		VMOVDQU(tqLimit(name, i, 64), limits[i])
	}
	for i := range acc {
		x, y, d := YMM(), YMM(), YMM()
		last := XMM()
		VMOVDQU(r.at(i, 0), x)
		avx2.lanes(r.at(i, 32), y)
		VMOVD(r.at(i, 48), last)
		VINSERTI128(Imm(1), last, y, y)
		avx2.zero(acc[i])
		for n := range 5 {
			digits256(x, d, limits)
			VPMADDUBSW(at(a, 32*n), d, d)
			VPADDW(d, acc[i], acc[i])
			digits256(y, d, limits)
			t := YMM()
			avx2.lanes(at(a, 160+16*n), t)
			if n < 4 {
				VMOVD(at(a, 240+4*n), last)
			} else {
				VPXOR(last, last, last)
			}
			VINSERTI128(Imm(1), last, t, t)
			VPMADDUBSW(t, d, d)
			VPADDW(d, acc[i], acc[i])
		}
		VPMADDWD(c.ones, acc[i], acc[i])
		VPADDD(start, acc[i], acc[i])
	}
	scaleFinish(sums(avx2, acc, YMM()), fourScales(avx2, r, 52), at(a, act32Scale), f)
}
