package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
)

func halfPart() {
	text("decodeF16Blocks", "func(dst *float32, src *byte, n int)", "n is a multiple of eight and not zero.")
	dst, src, n, y := Load(Param("dst"), GP64()), Load(Param("src"), GP64()), Load(Param("n"), GP64()), YMM()
	Label("halves")
	VCVTPH2PS(at(src, 0), y)
	VMOVUPS(y, at(dst, 0))
	ADDQ(U8(16), src)
	ADDQ(U8(32), dst)
	SUBQ(U8(8), n)
	JNZ(LabelRef("halves"))
	end()
}
