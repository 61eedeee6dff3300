package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

func (g *gridType) actBytes() int {
	if g.by16 {
		return act16Bytes
	}
	return act32Bytes
}

// rowKernels writes the row kernels. They expand 4 rows to the stack, but for the entries: those are put together in registers, for
// a vector would have to wait for its parts to reach the cache.
func (g *gridType) rowKernels() {
	if g.digits != nil {
		l := &lookup{gridType: g}
		gemv(avx512, "gemv"+g.name, g.bytes, g.actBytes(), l.setup, l.super)
	} else {
		gemv(avx512, "gemv"+g.name, g.bytes, g.actBytes(), g.setup512, g.super512)
	}
	gemv(avx2, "gemv"+g.name, g.bytes, g.actBytes(), g.setup256, g.super256)
}

var gridConst struct {
	plain, spreadTable Mem
	spread             [4]VecVirtual
	zero, two, turned  VecVirtual
	bits               VecVirtual
	entries            entries
}

// plainRows is memory for 4 expanded rows: a frame too large for NOSPLIT.
func plainRows() Mem {
	Attributes(0)
	return AllocLocal(4 * plainBytes)
}

// expandRows expands the superblocks of 4 rows.
func (g *gridType) expandRows(r rows) {
	src, dst, n := GP64(), GP64(), GP64()
	MOVQ(r.base[0], src)
	LEAQ(gridConst.plain, dst)
	MOVQ(U32(4), n)
	Label("expand")
	g.expand(expander{src, dst, &gridConst.entries})
	ADDQ(r.stride, src)
	ADDQ(U32(plainBytes), dst)
	DECQ(n)
	JNZ(LabelRef("expand"))
}

// plainAt is disp bytes into the plain form of row i.
func plainAt(i, disp int) Mem { return gridConst.plain.Offset(plainBytes*i + disp) }

// plainScale is d of 4 rows.
func plainScale() VecVirtual {
	d := XMM()
	VMOVSS(plainAt(0, plainD), d)
	for i := 1; i < 4; i++ {
		VINSERTPS(Imm(uint64(i<<4)), plainAt(i, plainD), d, d)
	}
	return d
}

func (g *gridType) setup512() {
	c := &gridConst
	c.plain = plainRows()
	for j := range c.spread { // words of 4 groups of 16
		var b []byte
		for l := range 4 {
			b = append(b, repeat(8, byte(8*j+2*l), byte(8*j+2*l+1))...)
		}
		c.spread[j] = ZMM()
		VMOVDQU32(table("gridSpread"+string(rune('0'+j)), b), c.spread[j])
	}
	c.zero = zeroed(avx512)
	if g.above > 0 {
		c.two = avx512.dwords(0x02020202)
	} else {
		c.turned = zeroed(avx512) // avo takes a blend for an instruction that reads its destination
	}
}

func (g *gridType) super512(r rows, a Register, f VecVirtual) {
	c := &gridConst
	g.expandRows(r)
	book := c.entries.load()
	acts, minus := avx512.regs(4), avx512.regs(4)
	for q := range acts {
		VMOVDQU32(at(a, 64*q), acts[q])
		if g.above == 0 {
			VPSUBB(acts[q], c.zero, minus[q])
		}
	}
	acc := avx512.regs(4)
	for i := range acc {
		scales := ZMM()
		VMOVDQU32(plainAt(i, plainScales), scales) // 16 words, and more that do not count
		avx512.zero(acc[i])
		if g.above > 0 {
			VPMADDWD(at(a, act16Sum), scales.AsY(), acc[i].AsY()) // the rest becomes zero
			g.shift(c.zero, acc[i], ZMM())
		}
		for q := range 4 {
			v, s := ZMM(), ZMM()
			c.entries.vector(avx512, r, i, q, book, v)
			KMOVQ(plainAt(i, plainSigns+8*q), K1)
			act := acts[q]
			if g.above > 0 {
				VPSUBB(c.two, v, K1, v)
			} else {
				act = c.turned
				VPBLENDMB(minus[q], acts[q], K1, act)
			}
			VPMADDUBSW(act, v, v)
			VPERMB(scales, c.spread[q], s)
			VPDPWSSD(s, v, acc[i])
		}
	}
	t := sums(avx512, acc, ZMM())
	scaleFinish(t, plainScale(), at(a, g.actScale()), f)
}

// shift turns scales times sums of activations into what the weights were taken too large.
func (g *gridType) shift(zero, v, t VecVirtual) {
	VPSLLD(Imm(3), v, t)
	VPADDD(t, v, v)
	VPSUBD(v, zero, v)
}

func vinserti128(ops ...Op) { VINSERTI128(ops[0], ops[1], ops[2], ops[3]) }

// vector makes vector o of row i.
func (n *entries) vector(w width, r rows, i, o int, book Register, v VecVirtual) {
	lane := func(l int) VecVirtual {
		x := XMM()
		for e := range 16 / n.size {
			k := GP64()
			n.index((w.bytes()*o+16*l)/n.size+e, func(disp int) Mem { return r.at(i, disp) }, func(disp int) Mem { return plainAt(i, disp) }, k)
			from := Mem{Base: book, Index: k, Scale: uint8(n.size)}
			switch {
			case n.size == 4 && e == 0:
				VMOVD(from, x)
			case n.size == 4:
				VPINSRD(Imm(uint64(e)), from, x, x)
			case e == 0:
				VMOVQ(from, x)
			default:
				VPINSRQ(Imm(1), from, x, x)
			}
		}
		return x
	}
	half := func(l int) VecVirtual {
		x := YMM()
		low, high := lane(l), lane(l+1)
		pick(w, VINSERTI32X4, vinserti128)(Imm(1), high, low.AsY(), x)
		return x
	}
	if w == avx2 {
		VMOVDQA(half(0), v)
		return
	}
	low, high := half(0), half(2)
	VINSERTI64X4(Imm(1), high, low.AsZ(), v)
}

func (g *gridType) setup256() {
	c := &gridConst
	c.plain = plainRows()
	c.spreadTable = spread256()
	signBits()
}

// signBits makes signMask's constant.
func signBits() {
	gridConst.bits = avx2.reg()
	VMOVDQU(table("signBit", repeat(4, 1, 2, 4, 8, 16, 32, 64, 128)), gridConst.bits)
}

// signMask makes bytes of all ones of 32 set bits.
func signMask(bits Mem, m VecVirtual) {
	VPBROADCASTD(bits, m)
	VPSHUFB(table("signByte", append(append(repeat(8, 0), repeat(8, 1)...), append(repeat(8, 2), repeat(8, 3)...)...)), m, m)
	VPAND(gridConst.bits, m, m)
	VPCMPEQB(gridConst.bits, m, m)
}

func (g *gridType) super256(r rows, a Register, f VecVirtual) {
	c := &gridConst
	g.expandRows(r)
	book := c.entries.load()
	acc := avx2.regs(4)
	s := avx2.regs(2)
	v, m, t := YMM(), YMM(), YMM()
	for i := range acc {
		VMOVDQU(plainAt(i, plainScales), s[0])
		avx2.zero(acc[i])
		if g.above > 0 {
			VPMADDWD(at(a, act16Sum), s[0], v)
			g.shift(acc[i], v, t)
			VMOVDQA(v, acc[i])
		}
		VPERMQ(Imm(0xee), s[0], s[1])
		VPERMQ(Imm(0x44), s[0], s[0])
		for j := range 8 {
			c.entries.vector(avx2, r, i, j, book, v)
			signMask(plainAt(i, plainSigns+4*j), m)
			if g.above > 0 {
				VPAND(table("two", repeat(32, 2)), m, m)
				VPSUBB(m, v, v)
				VPMADDUBSW(at(a, 32*j), v, v)
			} else {
				VPXOR(at(a, 32*j), m, t)
				VPSUBB(m, t, t)
				VPMADDUBSW(t, v, v)
			}
			VPSHUFB(c.spreadTable.Offset(32*(j%4)), s[j/4], t)
			VPMADDWD(t, v, v)
			VPADDD(v, acc[i], acc[i])
		}
	}
	scaleFinish(sums(avx2, acc, t), plainScale(), at(a, g.actScale()), f)
}

func (g *gridType) actScale() int {
	if g.by16 {
		return act16Scale
	}
	return act32Scale
}
