//go:build amd64 && !purego

package kernel

// The kernels of NVFP4. The panel's weights are unsigned, larger by 12, for AVX-512 and signed for AVX2; it ends with 16 rows of
// scales.

//go:noescape
func gemvNVFP4AVX512(w *byte, stride, groups, supers int, acts *byte, actStride int, y *float32, yStride int)

//go:noescape
func gemvNVFP4AVX2(w *byte, stride, groups, supers int, acts *byte, actStride int, y *float32, yStride int)

//go:noescape
func unpackNVFP4AVX512(w *byte, stride int, panel *byte)

//go:noescape
func unpackNVFP4AVX2(w *byte, stride int, panel *byte)

//go:noescape
func gemmHalves6AVX512(panel, act *byte, actStride, tiles int, src, dst *float32, srcStride, dstStride int, ahead uintptr, aheadStep int)

//go:noescape
func gemmHalves4AVX512(panel, act *byte, actStride, tiles int, src, dst *float32, srcStride, dstStride int, ahead uintptr, aheadStep int)

//go:noescape
func gemmHalves2AVX2(panel, act *byte, actStride, tiles int, src, dst *float32, srcStride, dstStride int, ahead uintptr, aheadStep int)

var nvfp4Bodies = [tierCount]intBody{
	AVX2: {
		row: intRows{gemvNVFP4AVX2}, unpack: unpackNVFP4AVX2, width: 16,
		tiles: [2]intTile{{2, gemmHalves2AVX2}, {2, gemmHalves2AVX2}},
	},
	AVX512: {
		row: intRows{gemvNVFP4AVX512}, unpack: unpackNVFP4AVX512, width: 32,
		tiles: [2]intTile{{6, gemmHalves6AVX512}, {4, gemmHalves4AVX512}},
	},
}
