package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

func statePart() {
	for _, v := range tiers {
		text("stateStep"+v.name, "func(state, decay, k, q, x, y []float32)",
			"For every row j of the state, in order, and column c: state[j][c] = fma(k[j], x[c], decay[j]*state[j][c]), y[c] = fma(q[j], state[j][c], y[c]).\n"+
				"Rows of state are as long as x.")
		s := &stateStep{isa: v}
		s.emit()
	}
}

// stateStep holds some columns of x and y in registers while the rows of the state pass.
type stateStep struct {
	isa
	state, decay, k, q, x, y, columns, row Register
	sp, j, n                               Register // in the loop over rows
}

func (s *stateStep) emit() {
	base := func(name string) Register { return Load(Param(name).Base(), GP64()) }
	s.state, s.decay, s.k, s.q, s.x, s.y = base("state"), base("decay"), base("k"), base("q"), base("x"), base("y")
	s.n, s.columns = Load(Param("k").Len(), GP64()), Load(Param("x").Len(), GP64())
	s.row, s.sp, s.j = GP64(), GP64(), GP64()
	MOVQ(s.columns, s.row)
	SHLQ(Imm(2), s.row)
	s.chunks("wide", 4)
	s.chunks("vector", 1)
	TESTQ(s.columns, s.columns)
	JZ(LabelRef("done"))
	k := s.newMask(s.columns)
	s.chunk("masked", 1, &k)
	Label("done")
	end()
}

// chunks takes the columns in chunks of count vectors.
func (s *stateStep) chunks(label string, count int) {
	width := count * s.lanes
	Label(label)
	CMPQ(s.columns, U32(uint32(width)))
	JL(LabelRef(label + "End"))
	s.chunk(label, count, nil)
	for _, r := range []Register{s.state, s.x, s.y} {
		ADDQ(U32(uint32(4*width)), r)
	}
	SUBQ(U32(uint32(width)), s.columns)
	JMP(LabelRef(label))
	Label(label + "End")
}

// chunk takes the rows of count vectors of columns.
func (s *stateStep) chunk(label string, count int, m *mask) {
	x, y := make([]VecVirtual, count), make([]VecVirtual, count)
	for c := range count {
		x[c], y[c] = s.reg(), s.reg()
		s.move(m, at(s.x, c*s.bytes()), x[c])
		s.move(m, at(s.y, c*s.bytes()), y[c])
	}
	MOVQ(s.state, s.sp)
	XORQ(s.j, s.j)
	Label(label + "Row")
	decay, k, q := s.reg(), s.reg(), s.reg()
	VBROADCASTSS(indexed(s.decay, s.j, 4), decay)
	VBROADCASTSS(indexed(s.k, s.j, 4), k)
	VBROADCASTSS(indexed(s.q, s.j, 4), q)
	for c := range count {
		r, place := s.reg(), at(s.sp, c*s.bytes())
		s.move(m, place, r)
		VMULPS(decay, r, r)
		VFMADD231PS(k, x[c], r)
		s.back(m, r, place)
		VFMADD231PS(q, r, y[c])
	}
	ADDQ(s.row, s.sp)
	INCQ(s.j)
	CMPQ(s.j, s.n)
	JL(LabelRef(label + "Row"))
	for c := range count {
		s.back(m, y[c], at(s.y, c*s.bytes()))
	}
}

// move loads a vector, or with a mask a part of it.
func (s *stateStep) move(m *mask, from Mem, r VecVirtual) {
	if m == nil {
		VMOVUPS(from, r)
	} else {
		m.load(from, r)
	}
}

// back stores a vector, or with a mask a part of it.
func (s *stateStep) back(m *mask, r VecVirtual, to Mem) {
	if m == nil {
		VMOVUPS(r, to)
	} else {
		m.store(r, to)
	}
}
