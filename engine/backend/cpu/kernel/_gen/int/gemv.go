package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// gemvArgs is the signature of the row kernels: 4*groups weight rows, rows stride bytes apart, with one row of
// activations: y[r] = fma(dx, the superblock's sum, y[r]) for every superblock in turn.
const gemvArgs = "func(w *byte, stride, groups, supers int, act *byte, y *float32)"

// gemv writes a row kernel. super adds one superblock of 4 rows to f; it and the constants made by setup are the type's own.
func gemv(w width, name string, superBytes, actBytes int, setup func(), super func(r rows, a Register, f VecVirtual)) {
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
	setup()
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
