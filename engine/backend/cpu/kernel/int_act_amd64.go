//go:build amd64 && !purego

package kernel

// The quantizeFuncs.

//go:noescape
func quantAct32AVX512(x *float32, supers int, dst *byte, offset int)

//go:noescape
func quantAct16AVX512(x *float32, supers int, dst *byte, offset int)

//go:noescape
func quantBlocksAVX512(x *float32, supers int, dst *byte, offset int)

//go:noescape
func quantHalvesAVX512(x *float32, supers int, dst *byte, offset int)

//go:noescape
func quantHalvesAVX2(x *float32, supers int, dst *byte, offset int)

//go:noescape
func quantAct32AVX2(x *float32, supers int, dst *byte, offset int)

//go:noescape
func quantAct16AVX2(x *float32, supers int, dst *byte, offset int)

//go:noescape
func quantBlocksAVX2(x *float32, supers int, dst *byte, offset int)

var (
	quantizers32     = [tierCount]quantizeFunc{AVX2: quantAct32AVX2, AVX512: quantAct32AVX512}
	quantizers16     = [tierCount]quantizeFunc{AVX2: quantAct16AVX2, AVX512: quantAct16AVX512}
	quantizersBlocks = [tierCount]quantizeFunc{AVX2: quantBlocksAVX2, AVX512: quantBlocksAVX512}
	quantizersHalves = [tierCount]quantizeFunc{AVX2: quantHalvesAVX2, AVX512: quantHalvesAVX512}
)
