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
		multiplyPairs(pairsPay())
		if cpuid.CPU.Supports(cpuid.AVX512BF16) {
			opsAVX512.direct.pairs = directTiles{&tilesBF16, 2, 2, pairBlock}.product
		}
	}
	return t
}

var opsAVX2 = ops{
	add: addAVX2, mul: mulAVX2, addMul: addMulAVX2,
	scale: scaleAVX2, addScaled: addScaledAVX2, mulScaled: mulScaledAVX2,
	center: centerAVX2, sum: sumAVX2, sumSquares: sumSquaresAVX2, sumSquaresAbout: sumSquaresAboutAVX2,
	maxOf: maxOfAVX2, expSum: expSumAVX2,
	silu: siluAVX2, gelu: geluAVX2, sigmoid: sigmoidAVX2, softplus: softplusAVX2, tanh: tanhAVX2, reluSqr: reluSqrAVX2,
	siluMul: siluMulAVX2, geluMul: geluMulAVX2, geluQuickMul: geluQuickMulAVX2,
	reluMul: reluMulAVX2, siluMulLimited: siluMulLimitedAVX2, swiGLUOAI: swiGLUOAIAVX2,
	softCap:  softCapAVX2,
	ropeNorm: ropeNormAVX2, ropeNeox: ropeNeoxAVX2,
	loadF16: loadF16AVX2, loadBF16: loadBF16AVX2, storeF16: storeF16AVX2, storeBF16: storeBF16AVX2,
	decode: decodeAVX2, accumulateF32: sumsF32AVX2.accumulate, accumulateF16: sumsF16AVX2.accumulate,
	stateStep: stateStepAVX2, stateStepAhead: stateStepAheadAVX2,
	block: tilesAVX2[directF32].block, direct: directSetOf(&tilesAVX2),
}

var opsAVX512 = ops{
	add: addAVX512, mul: mulAVX512, addMul: addMulAVX512,
	scale: scaleAVX512, addScaled: addScaledAVX512, mulScaled: mulScaledAVX512,
	center: centerAVX512, sum: sumAVX512, sumSquares: sumSquaresAVX512, sumSquaresAbout: sumSquaresAboutAVX512,
	maxOf: maxOfAVX512, expSum: expSumAVX512,
	silu: siluAVX512, gelu: geluAVX512, sigmoid: sigmoidAVX512, softplus: softplusAVX512, tanh: tanhAVX512, reluSqr: reluSqrAVX512,
	siluMul: siluMulAVX512, geluMul: geluMulAVX512, geluQuickMul: geluQuickMulAVX512,
	reluMul: reluMulAVX512, siluMulLimited: siluMulLimitedAVX512, swiGLUOAI: swiGLUOAIAVX512,
	softCap:  softCapAVX512,
	ropeNorm: ropeNormAVX512, ropeNeox: ropeNeoxAVX512,
	loadF16: loadF16AVX512, loadBF16: loadBF16AVX512, storeF16: storeF16AVX512, storeBF16: storeBF16AVX512,
	decode: decodeAVX512, accumulateF32: sumsF32AVX512.accumulate, accumulateF16: sumsF16AVX512.accumulate,
	stateStep: stateStepAVX512, stateStepAhead: stateStepAheadAVX512,
	block: tilesAVX512[directF32].block, direct: directSetOf(&tilesAVX512), fixed: &fixedAVX512,
}
