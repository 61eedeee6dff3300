package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// The types with blocks of 32 and one float16 scale share most of their code. Their panel ends with 8 rows of 32
// float32 scales.

// blockTile writes an AVX-512 panel kernel for them. Integer sums start where the record says, so that they end as the
// bits of floats; then there are two multiply-adds a block, and with mins three.
func blockTile(name string, tokens int, mins bool) {
	k := newTile(avx512, name, tokens)
	s, j, c := GP64(), GP64(), GP64()
	back := k.reg()
	Label("tile")
	k.load()
	MOVQ(k.panel, k.p)
	MOVQ(k.act, k.a)
	LEAQ(at(k.act, blockScale), c)
	LEAQ(at(k.panel, panelEnd), s)
	MOVQ(U32(8), j)
	Label("group")
	k.centre(c, blockStart-blockScale)
	for step := range 8 {
		k.dot4(step)
	}
	for h := range 2 {
		VMOVUPS(k.row(s, 0, h), k.w[h])
	}
	for i := range tokens {
		k.unmagic(c, i, back)
		for h := range 2 {
			VFMADD231PS(k.w[h], k.t[i][h], k.f[i][h])
		}
	}
	if mins {
		k.blockMins(s, c)
	}
	ADDQ(U32(4), c)
	k.nextGroup(8, s, j)
	k.storeSums()
	k.next()
}

// unmagic turns the bits in t of token i, which include the start, to the dot times the scale of the activations, at c.
func (k *tile) unmagic(c Register, i int, back VecVirtual) {
	VBROADCASTSS(k.token(c, i, 0), k.b)
	VBROADCASTSS(k.token(c, i, blockBack-blockScale), back)
	for h := range 2 {
		VFMADD213PS(back, k.b, k.t[i][h])
	}
}

// scaleActs turns the integers in t of token i to floats times the scale of the activations, at c.
func (k *tile) scaleActs(c Register, i int) {
	VBROADCASTSS(k.token(c, i, 0), k.b)
	for h := range 2 {
		VCVTDQ2PS(k.t[i][h], k.t[i][h])
		VMULPS(k.b, k.t[i][h], k.t[i][h])
	}
}

// load starts f at src.
func (k *tile) load() {
	k.results("src", func(m Mem, f VecVirtual) { VMOVUPS(m, f) })
}

// storeSums writes f to dst.
func (k *tile) storeSums() {
	k.results("dst", func(m Mem, f VecVirtual) { VMOVUPS(f, m) })
}

// results calls do for each place of a tile's results in an argument, src or dst, which goes on to the next tile's.
func (k *tile) results(name string, do func(m Mem, f VecVirtual)) {
	p := Load(Param(name), GP64())
	for i := range k.tokens {
		for h := range 2 {
			do(at(p, k.bytes()*h), k.f[i][h])
		}
		ADDQ(argument(name+"Stride"), p)
	}
	Store(p, Param(name))
}

// blockMins adds mins times the sums of the activations to f. The mins follow the scales at s.
func (k *tile) blockMins(s, c Register) {
	for h := range 2 {
		VMOVUPS(k.row(s, 8*panelStep, h), k.w[h])
	}
	for i := range k.tokens {
		VBROADCASTSS(k.token(c, i, blockSum-blockScale), k.b)
		for h := range 2 {
			VFMADD231PS(k.w[h], k.b, k.f[i][h])
		}
	}
}

// blocks is a type with blocks of 32 and one scale each, or a scale and a min.
type blocks struct {
	name  string
	bytes int // of a block
	scaleReader
	mins scaleReader // or nil
}

// scaleReader reads the scales of blocks as float32.
type scaleReader interface {
	// setup makes the constants of row4 and row2.
	setup(w width, b *blocks)
	// row4 gives the scales of blocks 4*q to 4*q+3 of 4 rows, row2 those of blocks 2*p and 2*p+1: of lane j, block j,
	// element i is row i. row4 may take them from heads, if there are any.
	row4(b *blocks, r rows, q int, heads []VecVirtual) VecVirtual
	row2(b *blocks, r rows, p int) VecVirtual
	// column gives those of one block of rows group to group+7.
	column(u *unpacker, group int) VecVirtual
}

// laneMasks select the words of row i among 4 lanes of 4.
var laneMasks = []Register{K1, K2, K3, K4}

// headsInReach tells whether 64 bytes have the first two of 4 blocks.
func (b *blocks) headsInReach() bool { return 3*b.bytes+2 <= 64 }

// setup512 makes the constants of the AVX-512 row kernels.
func (b *blocks) setup512() {
	b.setup(avx512, b)
	if b.mins != nil {
		b.mins.setup(avx512, b)
	}
}

// finish512 adds 4 blocks of 4 rows, blocks 4*q to 4*q+3, to f: dots are their integer products, and scales are as of row4.
func (b *blocks) finish512(r rows, a Register, q int, dots, scales VecVirtual, f VecVirtual) {
	t, d := lanes512(dots), lanes512(scales)
	var mins []VecVirtual
	if b.mins != nil {
		mins = lanes512(b.mins.row4(b, r, q, nil))
	}
	for j := range 4 {
		o := 4 * (4*q + j)
		dx := XMM()
		VPADDD_BCST(at(a, blockStart+o), t[j], t[j])
		VBROADCASTSS(at(a, blockScale+o), dx)
		VFMADD213PS_BCST(at(a, blockBack+o), dx, t[j])
		VFMADD231PS(d[j], t[j], f)
		if b.mins != nil {
			VFMADD231PS_BCST(at(a, blockSum+o), mins[j], f)
		}
	}
}

// lanes512 takes v apart.
func lanes512(v VecVirtual) []VecVirtual {
	x := []VecVirtual{XMM(), XMM(), XMM(), XMM()}
	high := YMM()
	VEXTRACTF64X4(Imm(1), v, high)
	VEXTRACTF32X4(Imm(1), v.AsY(), x[1])
	VEXTRACTF32X4(Imm(1), high, x[3])
	VMOVAPS(v.AsX(), x[0])
	VMOVAPS(high.AsX(), x[2])
	return x
}

// add256 adds two blocks of 4 rows to f: t are their integer products, of signed weights or of unsigned ones.
func (b *blocks) add256(r rows, a Register, p int, t VecVirtual, signed bool, f VecVirtual) {
	if signed {
		VCVTDQ2PS(t, t)
		VMULPS(pair256(a, blockScale, p), t, t)
	} else {
		VPADDD(pair256(a, blockStart, p), t, t)
		VFMADD132PS(pair256(a, blockScale, p), pair256(a, blockBack, p), t)
	}
	factors := [][2]VecVirtual{{b.row2(b, r, p), t}}
	if b.mins != nil {
		factors = append(factors, [2]VecVirtual{b.mins.row2(b, r, p), pair256(a, blockSum, p)})
	}
	for j := range 2 {
		for _, v := range factors {
			if j == 1 {
				VEXTRACTI128(Imm(1), v[0], v[0].AsX())
				VEXTRACTI128(Imm(1), v[1], v[1].AsX())
			}
			VFMADD231PS(v[0].AsX(), v[1].AsX(), f)
		}
	}
}

// pair256 has the dword at disp of block 2*p of a record in the low lane, that of the next in the high one.
func pair256(a Register, disp, p int) VecVirtual {
	x, y := YMM(), YMM()
	VPBROADCASTD(at(a, disp+8*p), x)
	VPBROADCASTD(at(a, disp+8*p+4), y)
	VPBLENDD(Imm(0xf0), y, x, x)
	return x
}

// unpack writes the unpack kernel; begin makes constants, part unpacks one block of all rows.
func (b *blocks) unpack(w width, begin, part func(u *unpacker)) {
	scales := GP64()
	unpack(w, "unpack"+b.name, func(u *unpacker) {
		LEAQ(at(u.panel, panelEnd), scales)
		begin(u)
	}, 8, b.bytes, 8*panelStep, func(u *unpacker) {
		for group := 0; group < w.rows(); group += 8 {
			VMOVUPS(b.column(u, group), at(scales, 4*group))
			if b.mins != nil {
				VMOVUPS(b.mins.column(u, group), at(scales, 8*panelStep+4*group))
			}
		}
		part(u)
		ADDQ(U32(panelStep), scales)
	})
}

// halfScale is a float16 in the block's first bytes.
type halfScale struct {
	at    int
	order [2]VecVirtual // of words: 4 times each of where the scales of 4 blocks are
	from  [2]int        // and what to count from
	two   bool          // they lie within two vectors, not one
	heads VecVirtual    // order of the bytes of joined heads: block by block, 4 rows each
}

func (h *halfScale) setup(w width, b *blocks) {
	if w != avx512 {
		return
	}
	if h.at == 0 && b.headsInReach() {
		h.heads = table512("headHalves", headHalves())
		return
	}
	h.two = 3*b.bytes+h.at+2 > 64
	for q := range h.order {
		h.from[q] = min(4*b.bytes*q, 8*b.bytes-map[bool]int{false: 64, true: 128}[h.two])
		var order []byte
		for j := range 4 {
			order = append(order, repeat(4, byte((b.bytes*(4*q+j)-h.from[q]+h.at)/2), 0)...)
		}
		if q == 1 && h.from[1] == 4*b.bytes {
			h.order[1] = h.order[0]
			break
		}
		h.order[q] = ZMM()
		VMOVDQU32(table(fmt.Sprintf("scales%d%d", h.at, q), append(order, make([]byte, 32)...)), h.order[q])
	}
	for i, k := range laneMasks {
		c := GP32()
		MOVL(U32(0x1111<<i), c)
		KMOVD(c, k)
	}
}

// headHalves is the order of joined heads: from 48 on, rows 0 and 1; from 112 on, rows 2 and 3.
func headHalves() []byte {
	var order []byte
	for j := range byte(4) {
		for _, at := range []byte{48, 50, 112, 114} {
			order = append(order, at+4*j, at+4*j+1)
		}
	}
	return append(order, make([]byte, 32)...)
}

func (h *halfScale) row4(b *blocks, r rows, q int, heads []VecVirtual) VecVirtual {
	if heads != nil {
		joinHeads(heads)
		VPERMT2B(heads[2], h.heads, heads[0])
		VCVTPH2PS(heads[0].AsY(), heads[0])
		return heads[0]
	}
	if h.two {
		return h.row4of2(r, q)
	}
	s := ZMM()
	VPERMW(r.at(0, h.from[q]), h.order[q], s)
	for i := 1; i < 4; i++ {
		VPERMW(r.at(i, h.from[q]), h.order[q], laneMasks[i], s)
	}
	VCVTPH2PS(s.AsY(), s)
	return s
}

func (h *halfScale) row4of2(r rows, q int) VecVirtual {
	s := avx512.regs(4)
	for i, x := range s {
		VMOVDQU32(r.at(i, h.from[q]), x)
		VPERMT2W_Z(r.at(i, h.from[q]+64), h.order[q], laneMasks[i], x)
	}
	VPTERNLOGD(Imm(0xfe), s[0], s[1], s[2]) // or
	VPORD(s[2], s[3], s[3])
	VCVTPH2PS(s[3].AsY(), s[3])
	return s[3]
}

func (h *halfScale) row2(b *blocks, r rows, p int) VecVirtual {
	s := zeroed(avx2)
	for i := range 8 {
		VPINSRW(Imm(uint64(i)), r.at(i%4, b.bytes*(2*p+i/4)+h.at), s.AsX(), s.AsX())
	}
	VCVTPH2PS(s.AsX(), s)
	return s
}

func (h *halfScale) column(u *unpacker, group int) VecVirtual {
	x, y := XMM(), YMM()
	VMOVDQU(u.at(group, h.at), x) // element 0 is what counts
	for i := 1; i < 8; i++ {
		VPINSRW(Imm(uint64(i)), u.at(group+i, h.at), x, x)
	}
	VCVTPH2PS(x, y)
	return y
}
