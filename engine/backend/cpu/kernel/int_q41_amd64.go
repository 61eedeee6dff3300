//go:build amd64 && !purego

package kernel

// The kernels of Q4_1. The panel's weights are unsigned; it ends with scales and mins.

//go:noescape
func gemvQ41AVX512(w *byte, stride, groups, supers int, acts *byte, actStride int, y *float32, yStride int)

//go:noescape
func gemvQ41AVX2(w *byte, stride, groups, supers int, acts *byte, actStride int, y *float32, yStride int)

//go:noescape
func unpackQ41AVX512(w *byte, stride int, panel *byte)

//go:noescape
func unpackQ41AVX2(w *byte, stride int, panel *byte)

//go:noescape
func gemmQ41x3AVX2(panel, act *byte, actStride, tiles int, src, dst *float32, srcStride, dstStride int, ahead uintptr, aheadStep int)

//go:noescape
func gemmQ41x2AVX2(panel, act *byte, actStride, tiles int, src, dst *float32, srcStride, dstStride int, ahead uintptr, aheadStep int)

var q41Bodies = [tierCount]intBody{
	AVX2: {
		row: intRows{gemvQ41AVX2}, unpack: unpackQ41AVX2, width: 16,
		tiles: [2]intTile{{3, gemmQ41x3AVX2}, {2, gemmQ41x2AVX2}},
	},
	AVX512: {row: intRows{gemvQ41AVX512}, unpack: unpackQ41AVX512, width: 32, tiles: minsTilesAVX512},
}
