package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// width is a vector's size in lanes of 128 bits: the difference between the tiers, as far as code can be shared.
type width int

const (
	avx2   width = 2
	avx512 width = 4
)

var widths = []width{avx512, avx2}

// begin starts the kernel of one tier. NOSPLIT: no kernel calls anything.
func (w width) begin(name, signature string) { TEXT(w.name(name), 4, signature) }

func (w width) name(base string) string {
	if w == avx512 {
		return base + "AVX512"
	}
	return base + "AVX2"
}

// pick returns the operand or name for the tier.
func pick[T any](w width, wide, narrow T) T {
	if w == avx512 {
		return wide
	}
	return narrow
}

func (w width) bytes() int { return 16 * int(w) }
func (w width) rows() int  { return 4 * int(w) } // dwords of a vector

func (w width) reg() VecVirtual {
	if w == avx512 {
		return ZMM()
	}
	return YMM()
}

func (w width) regs(n int) []VecVirtual {
	v := make([]VecVirtual, n)
	for i := range v {
		v[i] = w.reg()
	}
	return v
}

// mov loads, stores or copies a whole vector.
func (w width) mov(from, to Op) { pick(w, mov512, mov256)(from, to) }

func mov512(from, to Op) { VMOVDQU32(from, to) }
func mov256(from, to Op) { VMOVDQU(from, to) }

func (w width) and(a, b, dst Op) {
	if w == avx512 {
		VPANDD(a, b, dst)
	} else {
		VPAND(a, b, dst)
	}
}

func (w width) or(a, b, dst Op) {
	if w == avx512 {
		VPORD(a, b, dst)
	} else {
		VPOR(a, b, dst)
	}
}

func (w width) zero(v ...VecVirtual) {
	for _, r := range v {
		if w == avx512 {
			VPXORD(r, r, r)
		} else {
			VPXOR(r, r, r)
		}
	}
}

// insert puts 16 bytes into lane i.
func (w width) insert(i int, from Op, v VecVirtual) {
	if w == avx512 {
		VINSERTI32X4(Imm(uint64(i)), from, v, v)
	} else {
		VINSERTI128(Imm(uint64(i)), from, v, v)
	}
}

// lanes broadcasts 16 bytes of memory to all lanes. It also serves as a load before inserts: avo takes a load of the
// low lane alone for one that needs the others from before.
func (w width) lanes(from Mem, v VecVirtual) {
	if w == avx512 {
		VBROADCASTI32X4(from, v)
	} else {
		VBROADCASTI128(from, v)
	}
}

// dwords returns a vector of equal dwords.
func (w width) dwords(v uint32) VecVirtual {
	c, z := GP32(), w.reg()
	MOVL(U32(v), c)
	if w == avx512 {
		VPBROADCASTD(c, z)
	} else {
		VMOVD(c, z.AsX())
		VPBROADCASTD(z.AsX(), z)
	}
	return z
}

// at is the memory at r+disp.
func at(r Register, disp int) Mem { return Mem{Base: r, Disp: disp} }

// table is a read-only constant in memory; len(b) is a multiple of 8. It may be shared between kernels of one file.
func table(name string, b []byte) Mem {
	if g, ok := tables[name]; ok {
		return g
	}
	g := GLOBL(name, 16|8) // NOPTR|RODATA
	for i := 0; i < len(b); i += 8 {
		var v uint64
		for j := range 8 {
			v |= uint64(b[i+j]) << (8 * j)
		}
		DATA(i, U64(v))
	}
	tables[name] = g
	return g
}

var tables = map[string]Mem{}

// table512 is a table in a vector.
func table512(name string, b []byte) VecVirtual { return load512(table(name, b)) }

func load512(m Mem) VecVirtual {
	v := ZMM()
	VMOVDQU32(m, v)
	return v
}

// repeat returns b n times over.
func repeat(n int, b ...byte) []byte {
	var out []byte
	for range n {
		out = append(out, b...)
	}
	return out
}

// u32s is the memory of little-endian dwords.
func u32s(v ...uint32) []byte {
	var b []byte
	for _, x := range v {
		b = append(b, byte(x), byte(x>>8), byte(x>>16), byte(x>>24))
	}
	return b
}
