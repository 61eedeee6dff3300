package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

func statePart() {
	const step = "For every row j of the state, in order, and column c: state[j][c] = fma(k[j], x[c], decay[j]*state[j][c]), y[c] = fma(q[j], state[j][c], y[c])"
	for _, v := range tiers {
		text("stateStep"+v.name, "func(state, decay, k, x, q, y []float32)", step+".\nRows of state are as long as x.")
		newStateStep(v, "y").emit(4)
		text("stateStepAhead"+v.name, "func(state, decay, k, x, q, y, ahead, held []float32)",
			step+",\nheld[c] = fma(ahead[j], state[j][c], held[c]). Rows of state are as long as x.")
		newStateStep(v, "y", "held").emit(v.lanes / 4) // as many as registers allow
	}
}

// stateStep holds some columns of x and of sums in registers while the rows of the state pass.
type stateStep struct {
	isa
	state, x, columns, row Register
	decay, k               Register
	weights, sums          []Register
	sp, j, n               Register // in the loop over rows
}

func newStateStep(v isa, sums ...string) *stateStep {
	base := func(name string) Register { return Load(Param(name).Base(), GP64()) }
	s := &stateStep{isa: v, state: base("state"), x: base("x"), decay: base("decay"), k: base("k"), sp: GP64(), j: GP64(), row: GP64()}
	for _, name := range sums {
		s.weights = append(s.weights, base(map[string]string{"y": "q", "held": "ahead"}[name]))
		s.sums = append(s.sums, base(name))
	}
	s.n, s.columns = Load(Param("k").Len(), GP64()), Load(Param("x").Len(), GP64())
	return s
}

// emit takes wide vectors of columns at a time, then one.
func (s *stateStep) emit(wide int) {
	MOVQ(s.columns, s.row)
	SHLQ(Imm(2), s.row)
	s.chunks("wide", wide)
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
	for _, r := range append([]Register{s.state, s.x}, s.sums...) {
		ADDQ(U32(uint32(4*width)), r)
	}
	SUBQ(U32(uint32(width)), s.columns)
	JMP(LabelRef(label))
	Label(label + "End")
}

// chunk takes the rows of count vectors of columns.
func (s *stateStep) chunk(label string, count int, m *mask) {
	x := s.vectors(s.x, count, m)
	var sums [][]VecVirtual
	for _, from := range s.sums {
		sums = append(sums, s.vectors(from, count, m))
	}
	MOVQ(s.state, s.sp)
	XORQ(s.j, s.j)
	Label(label + "Row")
	decay, k := s.spread(s.decay), s.spread(s.k)
	var weights []VecVirtual
	for _, from := range s.weights {
		weights = append(weights, s.spread(from))
	}
	for c := range count {
		r, place := s.reg(), at(s.sp, c*s.bytes())
		s.move(m, place, r)
		VMULPS(decay, r, r)
		VFMADD231PS(k, x[c], r)
		s.back(m, r, place)
		for i, w := range weights {
			VFMADD231PS(w, r, sums[i][c])
		}
	}
	ADDQ(s.row, s.sp)
	INCQ(s.j)
	CMPQ(s.j, s.n)
	JL(LabelRef(label + "Row"))
	for i, to := range s.sums {
		for c, r := range sums[i] {
			s.back(m, r, at(to, c*s.bytes()))
		}
	}
}

// vectors loads count vectors.
func (s *stateStep) vectors(from Register, count int, m *mask) (list []VecVirtual) {
	for c := range count {
		r := s.reg()
		s.move(m, at(from, c*s.bytes()), r)
		list = append(list, r)
	}
	return list
}

// spread fills a vector with the row's number of a list.
func (s *stateStep) spread(list Register) VecVirtual {
	r := s.reg()
	VBROADCASTSS(indexed(list, s.j, 4), r)
	return r
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
