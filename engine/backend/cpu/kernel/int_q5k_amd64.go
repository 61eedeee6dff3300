//go:build amd64 && !purego

package kernel

// The kernels of Q5_K. The panel ends with the integer scales and mins, d and dmin.

//go:noescape
func gemvQ5KAVX512(w *byte, stride, groups, supers int, acts *byte, actStride int, y *float32, yStride int)

//go:noescape
func gemvQ5Kx2AVX512(w *byte, stride, groups, supers int, acts *byte, actStride int, y *float32, yStride int)

//go:noescape
func gemvQ5Kx3AVX512(w *byte, stride, groups, supers int, acts *byte, actStride int, y *float32, yStride int)

//go:noescape
func gemvQ5KAVX2(w *byte, stride, groups, supers int, acts *byte, actStride int, y *float32, yStride int)

//go:noescape
func unpackQ5KAVX512(w *byte, stride int, panel *byte)

//go:noescape
func unpackQ5KAVX2(w *byte, stride int, panel *byte)

//go:noescape
func gemmQ5Kx6AVX512(panel, act *byte, actStride, tiles int, src, dst *float32, srcStride, dstStride int, ahead uintptr, aheadStep int)

//go:noescape
func gemmQ5Kx6PairsAVX512(panel, act *byte, actStride, tiles int, src, dst *float32, srcStride, dstStride int, ahead uintptr, aheadStep int)

//go:noescape
func gemmQ5Kx4AVX512(panel, act *byte, actStride, tiles int, src, dst *float32, srcStride, dstStride int, ahead uintptr, aheadStep int)

//go:noescape
func gemmQ5Kx3AVX2(panel, act *byte, actStride, tiles int, src, dst *float32, srcStride, dstStride int, ahead uintptr, aheadStep int)

//go:noescape
func gemmQ5Kx2AVX2(panel, act *byte, actStride, tiles int, src, dst *float32, srcStride, dstStride int, ahead uintptr, aheadStep int)

var q5kBodies = [tierCount]intBody{
	AVX2: {
		row: intRows{gemvQ5KAVX2}, unpack: unpackQ5KAVX2, width: 16,
		tiles: [2]intTile{{3, gemmQ5Kx3AVX2}, {2, gemmQ5Kx2AVX2}},
	},
	AVX512: {
		row: intRows{gemvQ5KAVX512, gemvQ5Kx2AVX512, gemvQ5Kx3AVX512}, unpack: unpackQ5KAVX512, width: 32,
		tiles: [2]intTile{{6, gemmQ5Kx6AVX512}, {4, gemmQ5Kx4AVX512}},
	},
}
