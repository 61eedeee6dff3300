package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

const accumulateArgs = "func(acc *float32, ldacc int, p *float32, ldp int, v *byte, ldv, n, d, ahead int)"

// accumulatePart emits weighted sums of rows for 1, 2 and, where registers allow, 4 rows of sums at a time.
func accumulatePart() {
	for _, w := range weights[:2] {
		for _, m := range []int{1, 2} {
			newSums(avx2, w, m).emit()
		}
		for _, m := range []int{1, 2, 4} {
			newSums(avx512, w, m).emit()
		}
	}
}

// sums holds some columns of m rows of sums in registers while the rows of v pass, so that each sum adds its terms in
// the order of the rows.
type sums struct {
	isa
	weight
	m int

	acc, ldacc, ldacc3, p, ldp, ldp3, v, ldv, columns, ahead Register
	vp, pp, left                                             Register // in the loop over rows
}

func newSums(v isa, w weight, m int) *sums {
	text(fmt.Sprintf("accumulate%s%sx%d", w.name, v.name, m), accumulateArgs, fmt.Sprintf(
		"For i below %d and c below d: acc[i][c] = fma(p[i][j], v[j][c], acc[i][c]) for j = 0 to n-1 in order.\n"+
			"ldacc and ldp are in bytes; rows of v are ldv %s numbers, of which the first d count. What is ahead bytes on is prefetched.", m, w.name))
	return &sums{isa: v, weight: w, m: m}
}

func (s *sums) emit() {
	s.acc, s.ldacc = Load(Param("acc"), GP64()), Load(Param("ldacc"), GP64())
	s.p, s.ldp = Load(Param("p"), GP64()), Load(Param("ldp"), GP64())
	s.v, s.columns, s.ldv = Load(Param("v"), GP64()), Load(Param("d"), GP64()), Load(Param("ldv"), GP64())
	s.ahead = Load(Param("ahead"), GP64())
	SHLQ(Imm(uint64(s.size/2)), s.ldv)
	if s.m > 3 {
		s.ldacc3, s.ldp3 = times(s.ldacc, 2), times(s.ldp, 2)
	}
	s.chunks("wide", 4)
	s.chunks("vector", 1)
	TESTQ(s.columns, s.columns)
	JZ(LabelRef("done"))
	if s.isa.wide() {
		s.masked()
	} else {
		s.oneByOne()
	}
	Label("done")
	end()
}

// chunks takes the columns in chunks of count vectors.
func (s *sums) chunks(label string, count int) {
	width := uint64(count * s.lanes)
	Label(label)
	CMPQ(s.columns, Imm(width))
	JL(LabelRef(label + "End"))
	acc := s.registers(count)
	s.each(acc, func(i, c int, r VecVirtual) { VMOVUPS(s.sumAt(i, c), r) })
	s.overRows(label+"Row", func() {
		for o := 0; o < count*s.lanes*s.size; o += 64 {
			PREFETCHT1(Mem{Base: s.vp, Index: s.ahead, Scale: 1, Disp: o})
		}
		w := make([]VecVirtual, s.m)
		for i := range w {
			w[i] = s.reg()
			VBROADCASTSS(s.weightAt(i), w[i])
		}
		for c := range count {
			x := s.reg()
			s.load(s.isa, at(s.vp, c*s.lanes*s.size), x)
			for i := range w {
				VFMADD231PS(w[i], x, acc[i][c])
			}
		}
	})
	s.each(acc, func(i, c int, r VecVirtual) { VMOVUPS(r, s.sumAt(i, c)) })
	ADDQ(U32(uint32(4*width)), s.acc)
	ADDQ(U32(uint32(uint64(s.size)*width)), s.v)
	SUBQ(Imm(width), s.columns)
	JMP(LabelRef(label))
	Label(label + "End")
}

// masked takes the columns that do not fill a vector.
func (s *sums) masked() {
	k, acc := bitMask(s.columns), s.registers(1)
	s.each(acc, func(i, c int, r VecVirtual) { VMOVUPS_Z(s.sumAt(i, c), k, r) })
	s.overRows("maskedRow", func() {
		x := s.reg()
		if s.size == 4 {
			VMOVUPS_Z(at(s.vp, 0), k, x)
		} else {
			VMOVDQU16_Z(at(s.vp, 0), k, x.AsY())
			VCVTPH2PS(x.AsY(), x)
		}
		for i := range s.m {
			w := s.reg()
			VBROADCASTSS(s.weightAt(i), w)
			VFMADD231PS(w, x, acc[i][0])
		}
	})
	s.each(acc, func(i, c int, r VecVirtual) { VMOVUPS(r, k, s.sumAt(i, c)) })
}

// oneByOne takes the columns that do not fill a vector, each by itself.
func (s *sums) oneByOne() {
	Label("one")
	acc := make([]VecVirtual, s.m)
	for i := range acc {
		acc[i] = XMM()
		VMOVSS(s.sumAt(i, 0), acc[i])
	}
	s.overRows("oneRow", func() {
		x := XMM()
		if s.size == 4 {
			VMOVSS(at(s.vp, 0), x)
		} else {
			h := GP32()
			MOVWLZX(at(s.vp, 0), h)
			VMOVD(h, x)
			VCVTPH2PS(x, x)
		}
		for i := range acc {
			VFMADD231SS(s.weightAt(i), x, acc[i])
		}
	})
	for i := range acc {
		VMOVSS(acc[i], s.sumAt(i, 0))
	}
	ADDQ(Imm(4), s.acc)
	ADDQ(Imm(uint64(s.size)), s.v)
	DECQ(s.columns)
	JNZ(LabelRef("one"))
}

func (s *sums) registers(count int) [][]VecVirtual {
	acc := make([][]VecVirtual, s.m)
	for i := range acc {
		for range count {
			acc[i] = append(acc[i], s.reg())
		}
	}
	return acc
}

func (s *sums) each(acc [][]VecVirtual, f func(i, c int, r VecVirtual)) {
	for i := range acc {
		for c, r := range acc[i] {
			f(i, c, r)
		}
	}
}

func (s *sums) sumAt(i, c int) Mem {
	m := row(s.acc, s.ldacc, s.ldacc3, nil, i)
	m.Disp = c * s.bytes()
	return m
}

func (s *sums) weightAt(i int) Mem { return row(s.pp, s.ldp, s.ldp3, nil, i) }

// overRows runs body for the n rows of v.
func (s *sums) overRows(label string, body func()) {
	s.vp, s.pp, s.left = GP64(), GP64(), GP64()
	MOVQ(s.v, s.vp)
	MOVQ(s.p, s.pp)
	Load(Param("n"), s.left)
	Label(label)
	body()
	ADDQ(s.ldv, s.vp)
	ADDQ(Imm(4), s.pp)
	DECQ(s.left)
	JNZ(LabelRef(label))
}
