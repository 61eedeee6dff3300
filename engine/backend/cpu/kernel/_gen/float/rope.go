package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

const ropeArgs = "func(dst, x, cos, sin []float32)"

func ropePart() {
	for _, v := range tiers {
		v.ropeNeox()
		v.ropeNorm()
	}
}

// ropeNeox turns the pairs (x[i], x[i+h]).
func (v isa) ropeNeox() {
	text("ropeNeox"+v.name, ropeArgs, "For i below h = len(cos): dst[i] = x[i]*cos[i] - x[i+h]*sin[i]; dst[i+h] = x[i]*sin[i] + x[i+h]*cos[i].")
	dst, x := Load(Param("dst").Base(), GP64()), Load(Param("x").Base(), GP64())
	cos, sin := Load(Param("cos").Base(), GP64()), Load(Param("sin").Base(), GP64())
	n, dst2, x2 := Load(Param("cos").Len(), GP64()), GP64(), GP64()
	LEAQ(indexed(dst, n, 4), dst2)
	LEAQ(indexed(x, n, 4), x2)
	v.loop(n, func(i Register, k *mask) {
		a, b, c, s, as, bs := v.reg(), v.reg(), v.reg(), v.reg(), v.reg(), v.reg()
		v.loadAt(x, i, k, a)
		v.loadAt(x2, i, k, b)
		v.loadAt(cos, i, k, c)
		v.loadAt(sin, i, k, s)
		VMULPS(s, a, as)
		VMULPS(s, b, bs)
		VFMSUB213PS(bs, c, a) // a c - b s
		VFMADD213PS(as, c, b)
		v.storeAt(a, dst, i, k)
		v.storeAt(b, dst2, i, k)
	})
	end()
}

// ropeNorm turns the pairs (x[2i], x[2i+1]): a vector holds half as many pairs as floats.
func (v isa) ropeNorm() {
	text("ropeNorm"+v.name, ropeArgs, "For i below len(cos): dst[2i] = x[2i]*cos[i] - x[2i+1]*sin[i]; dst[2i+1] = x[2i]*sin[i] + x[2i+1]*cos[i].")
	dst, x := Load(Param("dst").Base(), GP64()), Load(Param("x").Base(), GP64())
	cos, sin := Load(Param("cos").Base(), GP64()), Load(Param("sin").Base(), GP64())
	n, i, twice := Load(Param("cos").Len(), GP64()), GP64(), v.reg()
	VMOVUPS(table32("twice", []uint32{0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7}), twice)
	XORQ(i, i)
	pairs := uint64(v.lanes / 2)
	Label("vectors")
	CMPQ(n, Imm(pairs))
	JL(LabelRef("rest"))
	c, s, a := v.reg(), v.reg(), v.reg()
	VMOVUPS(indexed(cos, i, 4), v.half(c))
	VMOVUPS(indexed(sin, i, 4), v.half(s))
	VMOVUPS(indexed(x, i, 8), a)
	VMOVUPS(turnPairs(v, a, c, s, twice), indexed(dst, i, 8))
	ADDQ(Imm(pairs), i)
	SUBQ(Imm(pairs), n)
	JMP(LabelRef("vectors"))
	Label("rest")
	TESTQ(n, n)
	JZ(LabelRef("done"))
	v.ropeNormRest(dst, x, cos, sin, i, n, twice)
	Label("done")
	end()
}

// ropeNormRest turns the last n pairs, fewer than a vector holds.
func (v isa) ropeNormRest(dst, x, cos, sin, i, n Register, twice VecVirtual) {
	c, s, a := v.reg(), v.reg(), v.reg()
	if v.wide() {
		k := bitMask(n)
		VMOVUPS_Z(indexed(cos, i, 4), k, c)
		VMOVUPS_Z(indexed(sin, i, 4), k, s)
	} else {
		k := laneMask(n, YMM(), 8)
		VMASKMOVPS(indexed(cos, i, 4), k, c)
		VMASKMOVPS(indexed(sin, i, 4), k, s)
	}
	n2 := GP64()
	LEAQ(indexed(n, n, 1), n2)
	k := v.newMask(n2)
	k.load(indexed(x, i, 8), a)
	k.store(turnPairs(v, a, c, s, twice), indexed(dst, i, 8))
}

// turnPairs repeats the cosines and sines for both members of a pair and turns the pairs of a.
func turnPairs(v isa, a, c, s, twice VecVirtual) VecVirtual {
	VPERMPS(c, twice, c)
	VPERMPS(s, twice, s)
	swapped := v.reg()
	VPERMILPS(Imm(0xb1), a, swapped)
	VMULPS(s, swapped, swapped)
	VFMADDSUB213PS(swapped, c, a) // even elements subtract, odd ones add
	return a
}
