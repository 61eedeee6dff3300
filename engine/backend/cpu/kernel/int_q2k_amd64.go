//go:build amd64 && !purego

package kernel

// The kernels of Q2_K. The panel ends with the integer scales and mins, d and dmin.

//go:noescape
func gemvQ2KAVX512(w *byte, stride, groups, supers int, acts *byte, actStride int, y *float32, yStride int)

//go:noescape
func gemvQ2KAVX2(w *byte, stride, groups, supers int, acts *byte, actStride int, y *float32, yStride int)

//go:noescape
func unpackQ2KAVX512(w *byte, stride int, panel *byte)

//go:noescape
func unpackQ2KAVX2(w *byte, stride int, panel *byte)

//go:noescape
func gemmQ2Kx6AVX512(panel, act *byte, actStride, tiles int, src, dst *float32, srcStride, dstStride int, ahead uintptr, aheadStep int)

//go:noescape
func gemmQ2Kx6PairsAVX512(panel, act *byte, actStride, tiles int, src, dst *float32, srcStride, dstStride int, ahead uintptr, aheadStep int)

//go:noescape
func gemmQ2Kx4AVX512(panel, act *byte, actStride, tiles int, src, dst *float32, srcStride, dstStride int, ahead uintptr, aheadStep int)

//go:noescape
func gemmQ2Kx3AVX2(panel, act *byte, actStride, tiles int, src, dst *float32, srcStride, dstStride int, ahead uintptr, aheadStep int)

//go:noescape
func gemmQ2Kx2AVX2(panel, act *byte, actStride, tiles int, src, dst *float32, srcStride, dstStride int, ahead uintptr, aheadStep int)

var q2kBodies = [tierCount]intBody{
	AVX2: {
		row: intRows{gemvQ2KAVX2}, unpack: unpackQ2KAVX2, width: 16,
		tiles: [2]intTile{{3, gemmQ2Kx3AVX2}, {2, gemmQ2Kx2AVX2}},
	},
	AVX512: {
		row: intRows{gemvQ2KAVX512}, unpack: unpackQ2KAVX512, width: 32,
		tiles: [2]intTile{{6, gemmQ2Kx6AVX512}, {4, gemmQ2Kx4AVX512}},
	},
}
