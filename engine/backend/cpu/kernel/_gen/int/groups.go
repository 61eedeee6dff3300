package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// grouping is how an AVX-512 tile sums a superblock: every group has an integer scale, and the sum of a group's products is multiplied
// with it and added to f. Scales are in the panel, {s of group 2j, s of 2j+1} in a dword, and two groups are taken at a time, the second
// first.
type grouping struct {
	scales int // where in the panel
	steps  int // of 4 weights a group
	from   int // where in a record the groups' sums begin, int32; 0: at nothing
	max    int // where a record has a bound of its groups' sums of activations
	limit  int // of that, up to which groups' sums fit 16 bits; 0: they always do
}

// sumPart is what happens to two groups: after the second's products, and after those of the first.
type sumPart struct{ second, first func() }

// superblock sums one. With pairs, the first group's sum begins in the lower halves of dwords that have the second's in the upper, and
// one VPDPWSSD multiplies both, which pays where shifts and logic have ports of their own.
func (k *tile) superblock(g grouping, pairs bool) {
	w := &groupWriter{tile: k, grouping: g, s: GP64(), j: GP64(), c: GP64(), sc: k.regs(2)}
	k.clear(k.f)
	MOVQ(k.panel, k.p)
	MOVQ(k.act, k.a)
	LEAQ(at(w.panel, w.scales), w.s)
	MOVQ(U32(uint32(32/w.steps)), w.j)
	if w.from > 0 {
		LEAQ(at(w.act, w.from), w.c)
	}
	for i := range k.tokens {
		if g.limit > 0 {
			CMPL(k.token(k.act, i, g.max), U32(uint32(g.limit)))
			JA(LabelRef("large"))
		}
	}
	small := w.each16()
	if pairs {
		small = w.pairs()
	}
	w.loop("small", small)
	if g.limit > 0 {
		JMP(LabelRef("summed"))
		w.loop("large", w.large())
		Label("summed")
	}
}

type groupWriter struct {
	*tile
	grouping
	s, j, c Register // scales, pairs left, starts
	sc      []VecVirtual
}

func (w *groupWriter) loop(label string, part sumPart) {
	Label(label)
	for h := range w.sc {
		w.mov(w.row(w.s, 0, h), w.sc[h])
	}
	w.start(4)
	w.dots(w.steps)
	part.second()
	w.dots(0)
	part.first()
	ADDQ(U32(uint32(2*w.steps*panelStep)), w.p)
	ADDQ(U32(uint32(8*w.steps)), w.a)
	if w.from > 0 {
		ADDQ(U32(8), w.c)
	}
	ADDQ(U32(panelStep), w.s)
	DECQ(w.j)
	JNZ(LabelRef(label))
}

// start begins a group's sums with the dword at disp of the starts.
func (w *groupWriter) start(disp int) {
	if w.from > 0 {
		w.centre(w.c, disp)
	} else {
		w.clear(w.t)
	}
}

func (w *groupWriter) dots(first int) {
	for step := range w.steps {
		w.dot4(first + step)
	}
}

// each16 multiplies sums of 16 bits with scales in the lower halves of dwords, with nothing above.
func (w *groupWriter) each16() sumPart {
	multiply := func(scales func(h int) VecVirtual) {
		w.each(func(i, h int) { VPDPWSSD(scales(h), w.t[i][h], w.f[i][h]) })
	}
	return sumPart{
		second: func() {
			for h, s := range w.sc {
				VPSRLD(Imm(16), s, w.w[h])
			}
			multiply(func(h int) VecVirtual { return w.w[h] })
			w.start(0)
		},
		first: func() {
			for _, s := range w.sc {
				VPANDD(lowHalf(), s, s)
			}
			multiply(func(h int) VecVirtual { return w.sc[h] })
		},
	}
}

// pairs moves the second group's sum up; that of the first begins at 2^15 meanwhile, so that nothing is borrowed.
func (w *groupWriter) pairs() sumPart {
	sign := w.dwords(0x8000)
	return sumPart{
		second: func() {
			for i, t := range w.t {
				begin := sign
				if w.from > 0 {
					begin = w.b
					VPBROADCASTD(w.token(w.c, i, 0), begin)
					VPADDD(sign, begin, begin)
				}
				for _, r := range t {
					VPSLLD(Imm(16), r, r)
					VPADDD(begin, r, r)
				}
			}
		},
		first: func() {
			w.each(func(i, h int) {
				VPXORD(sign, w.t[i][h], w.t[i][h])
				VPDPWSSD(w.sc[h], w.t[i][h], w.f[i][h])
			})
		},
	}
}

// large takes sums of any size.
func (w *groupWriter) large() sumPart {
	multiply := func(scales func(h int) VecVirtual) {
		for h := range w.sc {
			VPSRAD(Imm(16), w.sc[h], scales(h))
		}
		w.scaleDwords(func(h int) Op { return scales(h) })
	}
	return sumPart{
		second: func() {
			multiply(func(h int) VecVirtual { return w.w[h] })
			w.start(0)
		},
		first: func() {
			for _, s := range w.sc {
				VPSLLD(Imm(16), s, s)
			}
			multiply(func(h int) VecVirtual { return w.sc[h] })
		},
	}
}

func lowHalf() Mem { return table("lowHalf", repeat(16, 0xff, 0xff, 0, 0)) }

// storeScales writes the scales of groups j and j+1, dwords of 16 bits with nothing above, as the tier multiplies them: both in a
// dword, or {s, s} of each. The registers are clobbered.
func storeScales(w width, first, second, t VecVirtual, panel Register, disp, j int) {
	if w == avx512 {
		VPSLLD(Imm(16), second, second)
		VPORD(first, second, second)
		w.mov(second, at(panel, disp+panelStep*(j/2)))
		return
	}
	for i, s := range []VecVirtual{first, second} {
		VPSLLD(Imm(16), s, t)
		VPOR(t, s, s)
		w.mov(s, at(panel, disp+panelStep*(j+i)))
	}
}
