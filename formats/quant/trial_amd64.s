//go:build !purego

#include "textflag.h"

// Layout of trials: inv at 0, off at 64, q at 128, qq at 192, qx at 256.

// func trialsAVX512(t *trials, x, w *float32, n int, lo, hi float32)
// All 16 trials in one register; an element and its weight are broadcast from memory.
TEXT ·trialsAVX512(SB), NOSPLIT, $0-40
	MOVQ t+0(FP), DI
	MOVQ x+8(FP), SI
	MOVQ w+16(FP), DX
	MOVQ n+24(FP), CX
	VBROADCASTSS lo+32(FP), Z2
	VBROADCASTSS hi+36(FP), Z3
	VMOVUPS (DI), Z0
	VMOVUPS 64(DI), Z1
	VPXORD Z4, Z4, Z4
	VPXORD Z5, Z5, Z5
	VPXORD Z6, Z6, Z6

elements512:
	VMULPS.BCST (SI), Z0, Z7
	VADDPS Z1, Z7, Z7
	VMAXPS Z2, Z7, Z7
	VMINPS Z3, Z7, Z7
	VRNDSCALEPS $8, Z7, Z7
	VMULPS.BCST (DX), Z7, Z8
	VADDPS Z8, Z4, Z4
	VMULPS Z7, Z8, Z9
	VADDPS Z9, Z5, Z5
	VMULPS.BCST (SI), Z8, Z9
	VADDPS Z9, Z6, Z6
	ADDQ $4, SI
	ADDQ $4, DX
	DECQ CX
	JNZ elements512

	VMOVUPS Z4, 128(DI)
	VMOVUPS Z5, 192(DI)
	VMOVUPS Z6, 256(DI)
	VZEROUPPER
	RET

// func trialsAVX2(t *trials, x, w *float32, n int, lo, hi float32)
// Eight trials at a time, the first half and then the second.
TEXT ·trialsAVX2(SB), NOSPLIT, $0-40
	MOVQ t+0(FP), DI
	MOVQ $2, BX

half:
	MOVQ x+8(FP), SI
	MOVQ w+16(FP), DX
	MOVQ n+24(FP), CX
	VBROADCASTSS lo+32(FP), Y2
	VBROADCASTSS hi+36(FP), Y3
	VMOVUPS (DI), Y0
	VMOVUPS 64(DI), Y1
	VXORPS Y4, Y4, Y4
	VXORPS Y5, Y5, Y5
	VXORPS Y6, Y6, Y6

elements2:
	VBROADCASTSS (SI), Y10
	VBROADCASTSS (DX), Y11
	VMULPS Y10, Y0, Y7
	VADDPS Y1, Y7, Y7
	VMAXPS Y2, Y7, Y7
	VMINPS Y3, Y7, Y7
	VROUNDPS $8, Y7, Y7
	VMULPS Y11, Y7, Y8
	VADDPS Y8, Y4, Y4
	VMULPS Y7, Y8, Y9
	VADDPS Y9, Y5, Y5
	VMULPS Y10, Y8, Y9
	VADDPS Y9, Y6, Y6
	ADDQ $4, SI
	ADDQ $4, DX
	DECQ CX
	JNZ elements2

	VMOVUPS Y4, 128(DI)
	VMOVUPS Y5, 192(DI)
	VMOVUPS Y6, 256(DI)
	ADDQ $32, DI
	DECQ BX
	JNZ half
	VZEROUPPER
	RET
