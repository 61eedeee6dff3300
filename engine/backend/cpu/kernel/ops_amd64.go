//go:build amd64 && !purego

package kernel

import "github.com/klauspost/cpuid/v2"

// availableTiers asks the processor, and the operating system as far as it must keep the registers.
func availableTiers() [tierCount]*ops {
	t := [tierCount]*ops{Generic: &genericOps}
	if cpuid.CPU.Supports(cpuid.AVX2, cpuid.FMA3, cpuid.F16C, cpuid.BMI2) {
		t[AVX2] = &opsAVX2
	}
	if t[AVX2] != nil && cpuid.CPU.Supports(cpuid.AVX512F, cpuid.AVX512BW, cpuid.AVX512DQ, cpuid.AVX512VL,
		cpuid.AVX512VBMI, cpuid.AVX512VNNI) {
		t[AVX512] = &opsAVX512
	}
	return t
}

var opsAVX2, opsAVX512 = func() (ops, ops) {
	a, b := genericOps, genericOps
	a.block, a.direct = tilesAVX2[directF32].block, directSetOf(&tilesAVX2)
	b.block, b.direct = tilesAVX512[directF32].block, directSetOf(&tilesAVX512)
	return a, b
}()
