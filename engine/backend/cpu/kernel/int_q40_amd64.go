//go:build amd64 && !purego

package kernel

// The kernels of Q4_0. The panel's weights are unsigned, 8 larger.

//go:noescape
func gemvQ40AVX512(w *byte, stride, groups, supers int, acts *byte, actStride int, y *float32, yStride int)

//go:noescape
func gemvQ40AVX2(w *byte, stride, groups, supers int, acts *byte, actStride int, y *float32, yStride int)

//go:noescape
func unpackQ40AVX512(w *byte, stride int, panel *byte)

//go:noescape
func unpackQ40AVX2(w *byte, stride int, panel *byte)

//go:noescape
func gemmQ40x3AVX2(panel, act *byte, actStride, tiles int, src, dst *float32, srcStride, dstStride int, ahead uintptr, aheadStep int)

//go:noescape
func gemmQ40x2AVX2(panel, act *byte, actStride, tiles int, src, dst *float32, srcStride, dstStride int, ahead uintptr, aheadStep int)

var q40Bodies = [tierCount]intBody{
	AVX2: {
		row: intRows{gemvQ40AVX2}, unpack: unpackQ40AVX2, width: 16,
		tiles: [2]intTile{{3, gemmQ40x3AVX2}, {2, gemmQ40x2AVX2}},
	},
	AVX512: {
		row: intRows{gemvQ40AVX512}, unpack: unpackQ40AVX512, width: 32,
		tiles: blockTilesAVX512,
	},
}
