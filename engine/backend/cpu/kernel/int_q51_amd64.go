//go:build amd64 && !purego

package kernel

// The kernels of Q5_1. The panel's weights are unsigned; it ends with scales and mins.

//go:noescape
func gemvQ51AVX512(w *byte, stride, groups, supers int, acts *byte, actStride int, y *float32, yStride int)

//go:noescape
func gemvQ51AVX2(w *byte, stride, groups, supers int, acts *byte, actStride int, y *float32, yStride int)

//go:noescape
func unpackQ51AVX512(w *byte, stride int, panel *byte)

//go:noescape
func unpackQ51AVX2(w *byte, stride int, panel *byte)

//go:noescape
func gemmQ51x2AVX2(panel, act *byte, actStride, tiles int, src, dst *float32, srcStride, dstStride int, ahead uintptr, aheadStep int)

var q51Bodies = [tierCount]intBody{
	AVX2: {
		row: intRows{gemvQ51AVX2}, unpack: unpackQ51AVX2, width: 16,
		tiles: [2]intTile{{2, gemmQ51x2AVX2}, {2, gemmQ51x2AVX2}},
	},
	AVX512: {row: intRows{gemvQ51AVX512}, unpack: unpackQ51AVX512, width: 32, tiles: minsTilesAVX512},
}
