package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/reg"
)

// gluOps are the gated units beside SwiGLU and GeGLU.
var gluOps = []elementwise{
	{"reluMul", rows("gate", "up"), nil, "dst[i] = max(gate[i], 0) * up[i]", func(v isa, in, _ []VecVirtual) VecVirtual {
		z := v.reg()
		zero(z)
		VMAXPS(in[0], z, in[0]) // a NaN comes from the last source, which is the gate
		return times2(in[0], in[1])
	}},
	{"siluMulLimited", rows("gate", "up"), []string{"limit"},
		"with g = min(gate[i], limit): dst[i] = g / (1 + exp(-g)) * min(max(up[i], -limit), limit)", func(v isa, in, p []VecVirtual) VecVirtual {
			v.limit(in[0], in[1], p[0])
			return times2(v.gated(in[0], in[0]), in[1])
		}},
	{"swiGLUOAI", rows("gate", "up"), []string{"limit"},
		"with g = min(gate[i], limit): dst[i] = g / (1 + exp(-1.702*g)) * (min(max(up[i], -limit), limit) + 1)", func(v isa, in, p []VecVirtual) VecVirtual {
			v.limit(in[0], in[1], p[0])
			VADDPS(f32(1), in[1], in[1])
			y := v.reg()
			VMULPS(f32(geluQuick), in[0], y)
			return times2(v.gated(in[0], y), in[1])
		}},
}

// limit bounds a gate above and its partner on both sides; NaN stays.
func (v isa) limit(gate, up, limit VecVirtual) {
	negative := v.reg()
	VXORPS(u32(1<<31), limit, negative)
	VMINPS(gate, limit, gate)
	VMINPS(up, limit, up)
	VMAXPS(up, negative, up)
}
