package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

const pipeArgs = "func(y *float32, ldy int, w *byte, ldw int, x *float32, ldx int, steps, pairs, tiles, ahead int)"

// pipeRows and pipeSteps are the rows of activations of a tile, and the steps that take a part of the reduction of the tile before.
const (
	pipeRows  = 6
	pipeSteps = 4
)

// pipePart emits products of short rows.
func pipePart() {
	for _, w := range weights[:2] {
		newPipe(w).emit()
	}
}

// pipe is the product of tiles of 6 activation rows with pairs of weight rows, with the arithmetic of tile. Short rows, those of keys, take
// few products and then shuffles that would keep multiplying waiting: while the sums of one tile are multiplied up, those of the
// tile before are reduced.
type pipe struct {
	*tile
	sums            [2][pipeRows][2]VecVirtual
	yBefore, yFirst Register // outputs of the tile before, and of the first tile of this pair
}

func newPipe(w weight) *pipe {
	text(fmt.Sprintf("pipe%s%s", w.name, avx512.name), pipeArgs, fmt.Sprintf(
		"For each of pairs pairs of %s weight rows and each of tiles tiles of %d rows of x: y[i][j] = w[j] . x[i],\n"+
			"over %d*steps elements, %d steps or more. Strides are in bytes; the weights ahead bytes on are prefetched.", w.name, pipeRows, avx512.lanes, pipeSteps))
	return &pipe{tile: &tile{isa: avx512, weight: w, m: pipeRows, n: 2}}
}

func (p *pipe) emit() {
	p.begin()
	for s := range p.sums {
		for i := range pipeRows {
			for j := range 2 {
				p.sums[s][i][j] = p.reg()
				zero(p.sums[s][i][j])
			}
		}
	}
	p.x, p.y, p.tiles = Load(Param("x"), GP64()), Load(Param("y"), GP64()), Load(Param("tiles"), GP64())
	p.yBefore, p.yFirst = GP64(), GP64() // what is reduced first is overwritten
	MOVQ(p.y, p.yBefore)
	MOVQ(p.y, p.yFirst)
	Label("even")
	p.phase(0)
	JZ(LabelRef("lastEven"))
	p.phase(1)
	JNZ(LabelRef("even"))
	p.finish(1)
	Label("lastEven")
	p.finish(0)
}

// phase multiplies a tile into sums s and reduces the others. It leaves the zero flag set after the last tile.
func (p *pipe) phase(s int) {
	p.wp, p.xp, p.ahead, p.stepsLeft = GP64(), GP64(), GP64(), GP64()
	MOVQ(p.w, p.wp)
	MOVQ(p.x, p.xp)
	Load(Param("ahead"), p.ahead)
	ADDQ(p.w, p.ahead)
	for _, r := range p.sums[s] {
		zero(r[0])
		zero(r[1])
	}
	reduce := p.reduction(1 - s)
	n := 0
	for step := range pipeSteps {
		p.step(s, func(i int) {
			for to := len(reduce) * (step*pipeRows + i + 1) / (pipeSteps * pipeRows); n < to; n++ {
				reduce[n]()
			}
		})
	}
	Load(Param("steps"), p.stepsLeft)
	SUBQ(Imm(pipeSteps), p.stepsLeft)
	more, end := fmt.Sprint("more", s), fmt.Sprint("end", s)
	JZ(LabelRef(end))
	Label(more)
	p.step(s, func(int) {})
	DECQ(p.stepsLeft)
	JNZ(LabelRef(more))
	Label(end)
	p.advance(s)
}

// step multiplies, and calls meanwhile after each row of activations.
func (p *pipe) step(s int, meanwhile func(i int)) {
	w := [2]VecVirtual{p.reg(), p.reg()}
	for j := range w {
		p.loadWeight(j, w[j])
	}
	for i := range pipeRows {
		x := p.reg()
		p.loadX(i, x)
		for j := range w {
			VFMADD231PS(x, w[j], p.sums[s][i][j])
		}
		meanwhile(i)
	}
	size := p.lanes * p.size
	ADDQ(Imm(uint64(size)), p.wp)
	ADDQ(Imm(uint64(size)), p.ahead)
	ADDQ(Imm(uint64(p.bytes())), p.xp)
}

// reduction are the instructions that reduce sums s and write them.
func (p *pipe) reduction(s int) (ops []func()) {
	add := func(f func()) { ops = append(ops, f) }
	for i := 0; i < pipeRows; i += 2 {
		a, b, c, d := p.sums[s][i][0], p.sums[s][i][1], p.sums[s][i+1][0], p.sums[s][i+1][1]
		t, u, y, x := p.reg(), p.reg(), YMM(), XMM()
		add(func() { VUNPCKLPS(b, a, t) })
		add(func() { VUNPCKHPS(b, a, a) })
		add(func() { VADDPS(a, t, a) })
		add(func() { VUNPCKLPS(d, c, u) })
		add(func() { VUNPCKHPS(d, c, c) })
		add(func() { VADDPS(c, u, c) })
		add(func() { VUNPCKHPD(c, a, b) })
		add(func() { VUNPCKLPD(c, a, a) })
		add(func() { VADDPS(b, a, a) })
		add(func() { VEXTRACTF64X4(Imm(1), a, y) })
		add(func() { VADDPS(a.AsY(), y, y) })
		add(func() { VEXTRACTF128(Imm(1), y, x) })
		add(func() { VADDPS(y.AsX(), x, x) })
		add(func() {
			VMOVLPS(x, at(p.yBefore, 0))
			ADDQ(p.ldy, p.yBefore)
			VMOVHPS(x, at(p.yBefore, 0))
			ADDQ(p.ldy, p.yBefore)
		})
	}
	return ops
}

// advance goes to the next tile.
func (p *pipe) advance(s int) {
	same := fmt.Sprint("same", s)
	MOVQ(p.y, p.yBefore)
	ADDQ(p.ldx5, p.x)
	ADDQ(p.ldx, p.x)
	for _, by := range []uint8{2, 4} {
		LEAQ(indexed(p.y, p.ldy, by), p.y)
	}
	DECQ(p.tiles)
	JNZ(LabelRef(same))
	Load(Param("x"), p.x)
	Load(Param("tiles"), p.tiles)
	LEAQ(indexed(p.w, p.ldw, 2), p.w)
	ADDQ(Imm(8), p.yFirst)
	MOVQ(p.yFirst, p.y)
	decrementArg("pairs")
	Label(same)
}

// finish reduces the last tile.
func (p *pipe) finish(s int) {
	for _, op := range p.reduction(s) {
		op()
	}
	end()
}
