//go:build !purego

#include "textflag.h"

// func decodeF16Blocks(dst *float32, src *byte, n int)
// n is a multiple of eight and not zero.
TEXT ·decodeF16Blocks(SB), NOSPLIT, $0-24
	MOVQ dst+0(FP), DI
	MOVQ src+8(FP), SI
	MOVQ n+16(FP), CX

halves:
	VCVTPH2PS (SI), Y0
	VMOVUPS Y0, (DI)
	ADDQ $16, SI
	ADDQ $32, DI
	SUBQ $8, CX
	JNZ halves
	VZEROUPPER
	RET
