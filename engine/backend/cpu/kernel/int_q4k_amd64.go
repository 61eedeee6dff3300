//go:build amd64 && !purego

package kernel

// The kernels of Q4_K. The panel ends with the integer scales and mins, d and dmin.

//go:noescape
func gemvQ4KAVX512(w *byte, stride, groups, supers int, acts *byte, actStride int, y *float32, yStride int)

//go:noescape
func gemvQ4Kx2AVX512(w *byte, stride, groups, supers int, acts *byte, actStride int, y *float32, yStride int)

//go:noescape
func gemvQ4Kx3AVX512(w *byte, stride, groups, supers int, acts *byte, actStride int, y *float32, yStride int)

//go:noescape
func gemvQ4KAVX2(w *byte, stride, groups, supers int, acts *byte, actStride int, y *float32, yStride int)

//go:noescape
func unpackQ4KAVX512(w *byte, stride int, panel *byte)

//go:noescape
func unpackQ4KAVX2(w *byte, stride int, panel *byte)

//go:noescape
func gemmQ4Kx6AVX512(panel, act *byte, actStride, tiles int, src, dst *float32, srcStride, dstStride int, ahead uintptr, aheadStep int)

//go:noescape
func gemmQ4Kx6PairsAVX512(panel, act *byte, actStride, tiles int, src, dst *float32, srcStride, dstStride int, ahead uintptr, aheadStep int)

//go:noescape
func gemmQ4Kx4AVX512(panel, act *byte, actStride, tiles int, src, dst *float32, srcStride, dstStride int, ahead uintptr, aheadStep int)

//go:noescape
func gemmQ4Kx3AVX2(panel, act *byte, actStride, tiles int, src, dst *float32, srcStride, dstStride int, ahead uintptr, aheadStep int)

//go:noescape
func gemmQ4Kx2AVX2(panel, act *byte, actStride, tiles int, src, dst *float32, srcStride, dstStride int, ahead uintptr, aheadStep int)

var q4kBodies = [tierCount]intBody{
	AVX2: {
		row: intRows{gemvQ4KAVX2}, unpack: unpackQ4KAVX2, width: 16,
		tiles: [2]intTile{{3, gemmQ4Kx3AVX2}, {2, gemmQ4Kx2AVX2}},
	},
	AVX512: {
		row: intRows{gemvQ4KAVX512, gemvQ4Kx2AVX512, gemvQ4Kx3AVX512}, unpack: unpackQ4KAVX512, width: 32,
		tiles: [2]intTile{{6, gemmQ4Kx6AVX512}, {4, gemmQ4Kx4AVX512}},
	},
}
