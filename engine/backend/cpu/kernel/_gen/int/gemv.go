package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// gemvArgs is the signature of the row kernels: 4*groups weight rows, rows stride bytes apart, with one row of
// activations or some, actStride bytes apart: y[r] = fma(dx, the superblock's sum, y[r]) for every superblock in turn. The results
// of the next row of activations are yStride bytes on.
const gemvArgs = "func(w *byte, stride, groups, supers int, acts *byte, actStride int, y *float32, yStride int)"

// gemv writes a row kernel for one row of activations. super adds one superblock of 4 rows to f; it and the constants made by
// setup are the type's own.
func gemv(w width, name string, superBytes, actBytes int, setup func(), super func(r rows, a Register, f VecVirtual)) {
	gemvs(w, name, 1, superBytes, actBytes, setup, func(r, a rows, f []VecVirtual) { super(r, a.base[0], f[0]) })
}

// gemvs writes a row kernel for some rows of activations, which are those of a. f has a vector for each.
func gemvs(w width, name string, acts, superBytes, actBytes int, setup func(), super func(r, a rows, f []VecVirtual)) {
	if acts > 1 {
		name = fmt.Sprintf("%sx%d", name, acts)
	}
	w.begin(name, gemvArgs)
	wt := Load(Param("w"), GP64())
	stride := Load(Param("stride"), GP64())
	supers := Load(Param("supers"), GP64())
	y := Load(Param("y"), GP64())
	r := newRows(wt, stride, 4)
	a := rows{base: []Register{GP64()}}
	if acts > 1 {
		a = newRows(a.base[0], Load(Param("actStride"), GP64()), 4)
	}
	skip, n, p := GP64(), GP64(), GP64()
	IMUL3Q(I32(int32(-superBytes)), supers, skip)
	LEAQ(Mem{Base: skip, Index: stride, Scale: 4}, skip)
	f := make([]VecVirtual, acts)
	for i := range f {
		f[i] = XMM()
	}
	results := func(do func(m Mem, f VecVirtual)) {
		do(at(y, 0), f[0])
		for i := 1; i < acts; i++ {
			if i == 1 {
				MOVQ(y, p)
			}
			ADDQ(argument("yStride"), p)
			do(at(p, 0), f[i])
		}
	}
	setup()
	Label("group")
	Load(Param("acts"), a.base[0])
	MOVQ(supers, n)
	results(func(m Mem, f VecVirtual) { VMOVUPS(m, f) })
	Label("super")
	r.prefetch(superBytes)
	super(r, a, f)
	ADDQ(U32(uint32(superBytes)), wt)
	ADDQ(U32(uint32(actBytes)), a.base[0])
	DECQ(n)
	JNZ(LabelRef("super"))
	results(func(m Mem, f VecVirtual) { VMOVUPS(f, m) })
	ADDQ(Imm(16), y)
	ADDQ(skip, wt)
	DECQ(argument("groups"))
	JNZ(LabelRef("group"))
	VZEROUPPER()
	RET()
}
