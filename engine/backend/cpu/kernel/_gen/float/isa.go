package main

import (
	"fmt"
	"math"
	"strings"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// isa is a tier's vector unit: float32 lanes, and the suffix of function names.
type isa struct {
	name  string
	lanes int
}

var (
	avx2   = isa{"AVX2", 8}
	avx512 = isa{"AVX512", 16}
	tiers  = []isa{avx2, avx512}
)

const (
	nosplit       = 4
	rodataNoPtr   = 8 | 16
	roundEven     = 8 // VRNDSCALEPS: to nearest even, exceptions suppressed
	constantBytes = 64
)

func (v isa) wide() bool { return v.lanes == 16 }

func (v isa) bytes() int { return 4 * v.lanes }

func (v isa) reg() VecVirtual {
	if v.wide() {
		return ZMM()
	}
	return YMM()
}

// half returns the lower half of a register, which holds as many 16-bit numbers as the register holds floats.
func (v isa) half(r VecVirtual) VecVirtual {
	if v.wide() {
		return r.AsY().(VecVirtual)
	}
	return r.AsX().(VecVirtual)
}

// zero clears a register without reading it.
func zero(r VecVirtual) { VXORPS(r, r, r) }

// text begins a function; doc is the loop it computes.
func text(name, signature, doc string) {
	TEXT(name, nosplit, signature)
	Doc(strings.Split(doc, "\n")...)
	Pragma("noescape")
}

func end() {
	VZEROUPPER()
	RET()
}

func at(base Register, disp int) Mem { return Mem{Base: base, Disp: disp} }

func indexed(base, index Register, scale uint8) Mem {
	return Mem{Base: base, Index: index, Scale: scale}
}

var constants = map[uint32]Mem{}

// f32 and u32 return a constant, repeated to fill any vector.
func f32(x float64) Mem { return u32(math.Float32bits(float32(x))) }

func u32(bits uint32) Mem {
	if m, ok := constants[bits]; ok {
		return m
	}
	m := GLOBL(fmt.Sprintf("c%08x", bits), rodataNoPtr)
	for i := 0; i < constantBytes; i += 4 {
		DATA(i, U32(bits))
	}
	constants[bits] = m
	return m
}

var tables = map[string]Mem{}

// table32 returns a constant table of 32-bit numbers.
func table32(name string, values []uint32) Mem {
	if m, ok := tables[name]; ok {
		return m
	}
	m := GLOBL(name, rodataNoPtr)
	for i, x := range values {
		DATA(4*i, U32(x))
	}
	tables[name] = m
	return m
}

// mask selects the first n lanes of a vector, n below the number of lanes.
type mask struct {
	isa
	k Register   // AVX-512
	y VecVirtual // AVX2: lanes of all ones
}

// newMask makes the mask of the first n lanes for vectors of v.lanes floats; it leaves n alone.
func (v isa) newMask(n Register) mask {
	if v.wide() {
		return mask{v, bitMask(n), nil}
	}
	return mask{v, nil, laneMask(n, YMM(), 8)}
}

// bitMask returns a mask register with the n lowest bits set, n below 32.
func bitMask(n Register) Register {
	c, k := GP32(), K()
	ones := GP32()
	MOVL(U32(0xffffffff), ones)
	MOVL(n.(GPVirtual).As32(), c)
	BZHIL(c, ones, c)
	KMOVD(c, k)
	return k
}

// laneMask sets the first n of the lanes of r to all ones.
func laneMask(n Register, r VecVirtual, lanes int) VecVirtual {
	var rows []uint32
	for i := range 16 {
		if i < 8 {
			rows = append(rows, 0xffffffff)
		} else {
			rows = append(rows, 0)
		}
	}
	t := table32("firstLanes", rows)
	p, i := GP64(), GP64()
	LEAQ(t, p)
	MOVQ(U32(8), i)
	SUBQ(n, i)
	VMOVUPS(indexed(p, i, 4), r)
	return r
}

// load reads the selected floats and zeros.
func (k mask) load(m Mem, r VecVirtual) {
	if k.wide() {
		VMOVUPS_Z(m, k.k, r)
	} else {
		VMASKMOVPS(m, k.y, r)
	}
}

// store writes the selected floats and nothing else.
func (k mask) store(r VecVirtual, m Mem) {
	if k.wide() {
		VMOVUPS(r, k.k, m)
	} else {
		VMASKMOVPS(r, k.y, m)
	}
}

// keep zeroes the lanes of r that are not selected.
func (k mask) keep(r VecVirtual) {
	if k.wide() {
		VMOVAPS_Z(r, k.k, r)
	} else {
		VANDPS(k.y, r, r)
	}
}
