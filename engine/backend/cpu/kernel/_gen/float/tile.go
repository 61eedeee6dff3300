package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

const tileArgs = "func(y *float32, ldy int, w *byte, ldw int, x *float32, ldx int, steps, groups, tiles, add, ahead int)"

// weight is a type of weights that a tile multiplies.
type weight struct {
	name  string
	size  int // bytes of one
	load  func(v isa, m Mem, r VecVirtual)
	pairs bool // a lane takes two weights and two activations, all BF16
}

var weights = []weight{
	{name: "F32", size: 4, load: loadF32},
	{name: "F16", size: 2, load: func(v isa, m Mem, r VecVirtual) { VCVTPH2PS(m, r) }},
	{name: "BF16", size: 2, load: func(v isa, m Mem, r VecVirtual) { loadBF16(m, r) }},
}

var bf16Pairs = weight{name: "BF16Pairs", size: 2, load: loadF32, pairs: true}

func loadF32(v isa, m Mem, r VecVirtual) { VMOVUPS(m, r) }

func loadBF16(m Mem, r VecVirtual) {
	VPMOVZXWD(m, r)
	VPSLLD(Imm(16), r, r)
}

// tilePart emits the products of 1 to maxM activation rows with 4 weight rows or 1.
func tilePart(v isa, maxM int, weights ...weight) {
	for _, w := range weights {
		for m := 1; m <= maxM; m++ {
			newTile(v, w, m, 4).emit()
			newTile(v, w, m, 1).emit()
		}
	}
}

// tile is the product of m activation rows with n weight rows along k. Every output has one accumulator of v.lanes
// partial sums, so its arithmetic is the same in all tiles.
type tile struct {
	isa
	weight
	m, n int
	acc  [][]VecVirtual // [m][n]

	w, x, y, tiles           Register // this group's weights, this tile's activations and outputs, tiles left
	ldw, ldw3                Register
	ldx, ldx3, ldx5, ldy     Register
	wp, xp, ahead, stepsLeft Register // in the loop over k
}

func newTile(v isa, w weight, m, n int) *tile {
	text(fmt.Sprintf("tile%s%sx%dx%d", w.name, v.name, m, n), tileArgs, fmt.Sprintf(
		"For each of groups groups of %d %s weight rows and each of tiles tiles of %d rows of x: y[i][j] = w[j] . x[i], or y[i][j] += that\n"+
			"unless add is 0, over steps*%d elements. Strides are in bytes; the weights ahead bytes on are prefetched.", n, w.name, m, w.step(v)))
	return &tile{isa: v, weight: w, m: m, n: n}
}

// step is the number of elements that a vector of activations holds.
func (w weight) step(v isa) int {
	if w.pairs {
		return 2 * v.lanes
	}
	return v.lanes
}

func (t *tile) emit() {
	t.begin()
	Label("group")
	t.x, t.y, t.tiles = GP64(), GP64(), GP64()
	Load(Param("x"), t.x)
	Load(Param("y"), t.y)
	Load(Param("tiles"), t.tiles)
	Label("tile")
	t.products()
	t.finish()
	t.nextTile()
	t.nextGroup()
	end()
}

func (t *tile) begin() {
	t.w = Load(Param("w"), GP64())
	t.ldy = Load(Param("ldy"), GP64())
	t.ldw = Load(Param("ldw"), GP64())
	t.ldx = Load(Param("ldx"), GP64())
	if t.n == 4 {
		t.ldw3 = times(t.ldw, 2)
	}
	if t.m > 3 {
		t.ldx3 = times(t.ldx, 2)
	}
	if t.m > 5 {
		t.ldx5 = times(t.ldx, 4)
	}
}

// times returns r * (1 + scale).
func times(r Register, scale uint8) Register {
	p := GP64()
	LEAQ(Mem{Base: r, Index: r, Scale: scale}, p)
	return p
}

// row addresses row i of rows that start at base, ld apart.
func row(base, ld, ld3, ld5 Register, i int) Mem {
	switch i {
	case 0:
		return at(base, 0)
	case 1, 2, 4:
		return indexed(base, ld, uint8(i))
	case 3:
		return indexed(base, ld3, 1)
	}
	return indexed(base, ld5, 1)
}

// products runs along k.
func (t *tile) products() {
	t.acc = make([][]VecVirtual, t.m)
	for i := range t.acc {
		for range t.n {
			a := t.reg()
			zero(a)
			t.acc[i] = append(t.acc[i], a)
		}
	}
	t.wp, t.xp, t.ahead, t.stepsLeft = GP64(), GP64(), GP64(), GP64()
	MOVQ(t.w, t.wp)
	MOVQ(t.x, t.xp)
	Load(Param("ahead"), t.ahead)
	Load(Param("steps"), t.stepsLeft)
	ADDQ(t.w, t.ahead)
	Label("step")
	if t.wide() {
		t.stepWide()
	} else {
		t.stepNarrow()
	}
	ADDQ(Imm(uint64(t.step(t.isa)*t.size)), t.wp)
	ADDQ(Imm(uint64(t.step(t.isa)*t.size)), t.ahead)
	ADDQ(Imm(uint64(t.bytes())), t.xp)
	DECQ(t.stepsLeft)
	JNZ(LabelRef("step"))
}

// prefetchAgain is how many bytes later memory is asked for once more: a processor drops a request when it has too many under way. It is
// little, because what is before a page of a cache that is asked for may be nobody's.
const prefetchAgain = 512

// requests are how far before ahead a step asks for memory. Weights of 16 bits are half a line a step, so that each line is asked for in two
// steps; pairs are a whole one, and ask for the line before, too, as long as the products are so few that they wait for memory.
func (t *tile) requests() []int {
	if t.pairs && t.m < 4 {
		return []int{0, 64, prefetchAgain, prefetchAgain + 64}
	}
	return []int{0, prefetchAgain}
}

func (t *tile) weightAt(base Register, j int) Mem { return row(base, t.ldw, t.ldw3, nil, j) }

func (t *tile) loadWeight(j int, r VecVirtual) {
	for _, behind := range t.requests() {
		PREFETCHT1(t.weightAt(t.ahead, j).Offset(-behind))
	}
	t.load(t.isa, t.weightAt(t.wp, j), r)
}

func (t *tile) loadX(i int, r VecVirtual) { VMOVUPS(row(t.xp, t.ldx, t.ldx3, t.ldx5, i), r) }

// stepWide keeps the weights in registers and lets the activations pass.
func (t *tile) stepWide() {
	w := make([]VecVirtual, t.n)
	for j := range w {
		w[j] = t.reg()
		t.loadWeight(j, w[j])
	}
	for i := range t.m {
		x := t.reg()
		t.loadX(i, x)
		for j := range w {
			t.multiplyAdd(x, w[j], t.acc[i][j])
		}
	}
}

func (t *tile) multiplyAdd(x, w, acc VecVirtual) {
	if t.pairs {
		dot(x, w, acc)
	} else {
		VFMADD231PS(x, w, acc)
	}
}

// stepNarrow keeps the activations, which are fewer, and lets the weights pass.
func (t *tile) stepNarrow() {
	x := make([]VecVirtual, t.m)
	for i := range x {
		x[i] = t.reg()
		t.loadX(i, x[i])
	}
	for j := range t.n {
		w := t.reg()
		t.loadWeight(j, w)
		for i := range x {
			VFMADD231PS(x[i], w, t.acc[i][j])
		}
	}
}

// finish reduces the accumulators and writes or adds them to y.
func (t *tile) finish() {
	sums := make([]VecVirtual, t.m)
	for i, a := range t.acc {
		if t.n == 4 {
			sums[i] = t.foldLanes(sumFour(a))
		} else {
			sums[i] = t.foldLanes(sumOne(a[0]))
		}
	}
	p, add := GP64(), GP64()
	Load(Param("add"), add)
	TESTQ(add, add)
	JZ(LabelRef("store"))
	MOVQ(t.y, p)
	for _, s := range sums {
		t.addOutput(p, s)
		ADDQ(t.ldy, p)
	}
	Label("store")
	MOVQ(t.y, p)
	for _, s := range sums {
		t.storeOutput(s, p)
		ADDQ(t.ldy, p)
	}
	MOVQ(p, t.y)
}

func (t *tile) addOutput(p Register, s VecVirtual) {
	if t.n == 4 {
		VADDPS(at(p, 0), s, s)
	} else {
		VADDSS(at(p, 0), s, s)
	}
}

func (t *tile) storeOutput(s VecVirtual, p Register) {
	if t.n == 4 {
		VMOVUPS(s, at(p, 0))
	} else {
		VMOVSS(s, at(p, 0))
	}
}

// sumFour adds the four floats (x0+x2)+(x1+x3) of every 128-bit lane of each of a, b, c, d; lane l of the result has
// the sums of a, b, c, d.
func sumFour(q []VecVirtual) VecVirtual {
	ab, cd := sumPair(q[0], q[1]), sumPair(q[2], q[3])
	VUNPCKHPD(cd, ab, q[1])
	VUNPCKLPD(cd, ab, q[0])
	VADDPS(q[1], q[0], q[0])
	return q[0]
}

// sumPair leaves a0+a2, b0+b2, a1+a3, b1+b3 in every 128-bit lane, in the register of a.
func sumPair(a, b VecVirtual) VecVirtual {
	lo := sameKind(a)
	VUNPCKLPS(b, a, lo)
	VUNPCKHPS(b, a, a)
	VADDPS(a, lo, a)
	return a
}

// sumOne leaves (x0+x2)+(x1+x3) in every float of each 128-bit lane.
func sumOne(a VecVirtual) VecVirtual {
	s := sameKind(a)
	VPERMILPS(Imm(0x4e), a, s)
	VADDPS(s, a, a)
	VPERMILPS(Imm(0xb1), a, s)
	VADDPS(s, a, a)
	return a
}

func sameKind(r VecVirtual) VecVirtual {
	if r.Size() == 64 {
		return ZMM()
	}
	return YMM()
}

// foldLanes adds the 128-bit lanes: (l0+l2)+(l1+l3), or l0+l1.
func (v isa) foldLanes(r VecVirtual) VecVirtual {
	y := r
	if v.wide() {
		y = YMM()
		VEXTRACTF64X4(Imm(1), r, y)
		VADDPS(r.AsY(), y, y)
	}
	x := XMM()
	VEXTRACTF128(Imm(1), y, x)
	VADDPS(y.AsX(), x, x)
	return x
}

func (t *tile) nextTile() {
	switch {
	case t.ldx5 != nil: // 6 rows: 5 and 1
		ADDQ(t.ldx5, t.x)
		ADDQ(t.ldx, t.x)
	case t.m == 5:
		LEAQ(indexed(t.x, t.ldx, 4), t.x)
		ADDQ(t.ldx, t.x)
	case t.m == 3:
		LEAQ(indexed(t.x, t.ldx, 2), t.x)
		ADDQ(t.ldx, t.x)
	default:
		LEAQ(indexed(t.x, t.ldx, uint8(t.m)), t.x)
	}
	DECQ(t.tiles)
	JNZ(LabelRef("tile"))
}

func (t *tile) nextGroup() {
	if t.n == 4 {
		LEAQ(indexed(t.w, t.ldw, 4), t.w)
	} else {
		ADDQ(t.ldw, t.w)
	}
	addToArg("y", 4*t.n)
	decrementArg("groups")
	JNZ(LabelRef("group"))
}

// argument returns the place of an argument in the caller's frame, to keep loop state that is rarely used.
func argument(name string) Mem {
	b, err := Param(name).Resolve()
	if err != nil {
		panic(err)
	}
	return b.Addr
}

func addToArg(name string, n int) { ADDQ(Imm(uint64(n)), argument(name)) }

func decrementArg(name string) { DECQ(argument(name)) }
