//go:build amd64 && !purego

package kernel

// The quantizeFuncs.

//go:noescape
func quantAct32AVX512(x *float32, supers int, dst *byte, offset int)

//go:noescape
func quantAct16AVX512(x *float32, supers int, dst *byte, offset int)

//go:noescape
func quantAct32AVX2(x *float32, supers int, dst *byte, offset int)

//go:noescape
func quantAct16AVX2(x *float32, supers int, dst *byte, offset int)

var quantizers = [tierCount]intQuantizers{
	AVX2:   {by32: quantAct32AVX2, by16: quantAct16AVX2},
	AVX512: {by32: quantAct32AVX512, by16: quantAct16AVX512},
}
