package kernel

import "github.com/llamakit/llamakit/formats/quant"

// ops is what one tier provides. Each field does what the exported function or the generic body of the same name says;
// lengths were checked before the call.
type ops struct {
	add, mul, addMul func(dst, a, b []float32)
	scale, addScaled func(dst, x []float32, s float32)
	mulScaled        func(dst, x, w []float32, s float32)
	center           func(dst, x []float32, mean, s float32)
	sum, sumSquares  func(x []float32) float64
	sumSquaresAbout  func(x []float32, mean float32) float64

	maxOf  func(x []float32) float32
	expSum func(x []float32, top float32) float64

	silu, gelu, sigmoid, softplus, tanh, reluSqr func(dst, x []float32)
	siluMul, geluMul, geluQuickMul               func(dst, gate, up []float32)
	reluMul                                      func(dst, gate, up []float32)
	siluMulLimited, swiGLUOAI                    func(dst, gate, up []float32, limit float32)
	softCap                                      func(dst, x []float32, limit, inverse float32)

	ropeNorm, ropeNeox func(dst, x, cos, sin []float32)

	loadF16, loadBF16   func(dst []float32, src []byte)
	storeF16, storeBF16 func(dst []byte, x []float32)

	decode map[quant.Type]decodeFunc // of blocks; the others: quant.Decode

	accumulateF32, accumulateF16 accumulateFunc
	stateStep                    func(state, decay, k, x, q, y []float32)
	stateStepAhead               func(state, decay, k, x, q, y, ahead, held []float32)

	block  blockFunc // float32 weights in scratch memory
	direct directSet // weights where they lie; nil entries: convert to float32 first
	fixed  *fixedOps // attention over half precision; nil: in float32
}

// tiers holds what this machine and build can run; the other entries are nil.
var tiers = availableTiers()

// genericOps is the specification, and all there is where no assembly is.
var genericOps = ops{
	add: addGeneric, mul: mulGeneric, addMul: addMulGeneric,
	scale: scaleGeneric, addScaled: addScaledGeneric, mulScaled: mulScaledGeneric,
	center: centerGeneric, sum: sumGeneric, sumSquares: sumSquaresGeneric, sumSquaresAbout: sumSquaresAboutGeneric,
	maxOf: maxOfGeneric, expSum: expSumGeneric,
	silu: siluGeneric, gelu: geluGeneric, sigmoid: sigmoidGeneric, softplus: softplusGeneric, tanh: tanhGeneric, reluSqr: reluSqrGeneric,
	siluMul: siluMulGeneric, geluMul: geluMulGeneric, geluQuickMul: geluQuickMulGeneric,
	reluMul: reluMulGeneric, siluMulLimited: siluMulLimitedGeneric, swiGLUOAI: swiGLUOAIGeneric,
	softCap:  softCapGeneric,
	ropeNorm: ropeNormGeneric, ropeNeox: ropeNeoxGeneric,
	loadF16: loadF16Generic, loadBF16: loadBF16Generic, storeF16: storeF16Generic, storeBF16: storeBF16Generic,
	accumulateF32: accumulateF32Generic, accumulateF16: accumulateF16Generic,
	stateStep: stateStepGeneric, stateStepAhead: stateStepAheadGeneric,
	block: blockGeneric,
}
