package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// The types with blocks of 32 and one float16 scale share most of their code. Their panel ends with 8 rows of 32
// float32 scales.

// blockTile writes an AVX-512 panel kernel for them: integer sums start at minus the offset, then one multiply-add a block.
func blockTile(name string, tokens int) {
	k := newTile(avx512, name, tokens)
	s, j, c := GP64(), GP64(), GP64()
	Label("tile")
	k.clear(k.f)
	MOVQ(k.panel, k.p)
	MOVQ(k.act, k.a)
	LEAQ(at(k.act, act32Centre), c)
	LEAQ(at(k.panel, panelEnd), s)
	MOVQ(U32(8), j)
	Label("block")
	k.centre(c, 0)
	for step := range 8 {
		k.dot4(step)
	}
	for h := range 2 {
		VMOVUPS(k.row(s, 0, h), k.w[h])
	}
	k.each(func(i, h int) {
		VCVTDQ2PS(k.t[i][h], k.t[i][h])
		VFMADD231PS(k.w[h], k.t[i][h], k.f[i][h])
	})
	ADDQ(U32(8*panelStep), k.p)
	ADDQ(U32(32), k.a)
	ADDQ(U32(4), c)
	ADDQ(U32(panelStep), s)
	DECQ(j)
	JNZ(LabelRef("block"))
	k.store(act32Scale)
	k.next()
}

// unpackBlocks writes an unpack kernel; part unpacks one block of all rows.
func unpackBlocks(w width, name string, blockBytes int, begin, part func(u *unpacker)) {
	scales := GP64()
	unpack(w, name, func(u *unpacker) {
		LEAQ(at(u.panel, panelEnd), scales)
		begin(u)
	}, 8, blockBytes, 8*panelStep, func(u *unpacker) {
		blockScales(u, scales)
		part(u)
		ADDQ(U32(panelStep), scales)
	})
}

// blockScales converts the float16 at the start of the rows' blocks.
func blockScales(u *unpacker, dst Register) {
	for group := 0; group < u.width.rows(); group += 8 {
		d, y := XMM(), YMM()
		VMOVDQU(u.at(group, 0), d) // element 0 is what counts
		for i := 1; i < 8; i++ {
			VPINSRW(Imm(uint64(i)), u.at(group+i, 0), d, d)
		}
		VCVTPH2PS(d, y)
		VMOVUPS(y, at(dst, 4*group))
	}
}

// gemvArgs is the signature of the row kernels: 4*groups weight rows, rows stride bytes apart, with one row of
// activations: y[r] = fma(dx, the superblock's sum, y[r]) for every superblock in turn.
const gemvArgs = "func(w *byte, stride, groups, supers int, act *byte, y *float32)"

// gemv writes a row kernel. super adds one superblock of 4 rows to f; it and the constants made by setup are the type's own.
func gemv(w width, name string, superBytes, actBytes int, setup func(stride Register), super func(r rows, a Register, f VecVirtual)) {
	w.begin(name, gemvArgs)
	wt := Load(Param("w"), GP64())
	stride := Load(Param("stride"), GP64())
	groups := Load(Param("groups"), GP64())
	supers := Load(Param("supers"), GP64())
	act := Load(Param("act"), GP64())
	y := Load(Param("y"), GP64())
	r := newRows(wt, stride, 4)
	skip, a, n, f := GP64(), GP64(), GP64(), XMM()
	IMUL3Q(I32(int32(-superBytes)), supers, skip)
	LEAQ(Mem{Base: skip, Index: stride, Scale: 4}, skip)
	setup(stride)
	Label("group")
	MOVQ(act, a)
	MOVQ(supers, n)
	VMOVUPS(at(y, 0), f)
	Label("super")
	r.prefetch(superBytes)
	super(r, a, f)
	ADDQ(U32(uint32(superBytes)), wt)
	ADDQ(U32(uint32(actBytes)), a)
	DECQ(n)
	JNZ(LabelRef("super"))
	VMOVUPS(f, at(y, 0))
	ADDQ(Imm(16), y)
	ADDQ(skip, wt)
	DECQ(groups)
	JNZ(LabelRef("group"))
	VZEROUPPER()
	RET()
}

// lanesConst has the constants of the AVX-512 row kernels for 4 rows of blocks of 32: of 4 blocks, lane j of a vector is block j
// and element i of a lane is row i.
type lanesConst struct {
	scales VecVirtual    // words: 4 times each of where the float16 scales of 4 blocks are
	spread [2]VecVirtual // dwords: 4 times each of 0 to 3, or 4 to 7
}

var lanes lanesConst

// laneMasks select the words of row i.
var laneMasks = []Register{K1, K2, K3, K4}

func newLanes(blockBytes int) {
	var scales []byte
	var spread [2][]byte
	for j := range 4 {
		scales = append(scales, repeat(4, byte(j*blockBytes/2), 0)...)
		for h := range spread {
			spread[h] = append(spread[h], repeat(4, byte(4*h+j), 0, 0, 0)...)
		}
	}
	lanes.scales = ZMM()
	VMOVDQU32(table("scales", append(scales, make([]byte, 32)...)), lanes.scales)
	for h, name := range []string{"spread0", "spread1"} {
		lanes.spread[h] = ZMM()
		VMOVDQU32(table(name, spread[h]), lanes.spread[h])
	}
	for i, k := range laneMasks {
		c := GP32()
		MOVL(U32(0x1111<<i), c)
		KMOVD(c, k)
	}
}

// finish ends a superblock of 4 rows: the blocks' integer products, which lack the centring, and float16 scales, in words.
func (l *lanesConst) finish(a Register, dots, scales [2]VecVirtual, f VecVirtual) {
	s, dx := XMM(), XMM()
	VPXORD(s, s, s)
	for h := range dots {
		c, d := ZMM(), dots[h]
		VPERMD(at(a, act32Centre), l.spread[h], c)
		VPADDD(c, d, d)
		VCVTDQ2PS(d, d)
		VCVTPH2PS(scales[h].AsY(), scales[h])
		VFMADD231PS(scales[h].AsX(), d.AsX(), s)
		for j := 1; j < 4; j++ {
			x, y := XMM(), XMM()
			VEXTRACTF32X4(Imm(uint64(j)), d, x)
			VEXTRACTF32X4(Imm(uint64(j)), scales[h], y)
			VFMADD231PS(y, x, s)
		}
	}
	VBROADCASTSS(at(a, act32Scale), dx)
	VFMADD231PS(dx, s, f)
}
