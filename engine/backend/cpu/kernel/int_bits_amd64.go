//go:build amd64 && !purego

package kernel

// The kernels of Q1_0 and Q2_0. The panel's weights are unsigned, larger by 1, for AVX-512 and signed for AVX2.

//go:noescape
func gemvQ10AVX512(w *byte, stride, groups, supers int, acts *byte, actStride int, y *float32, yStride int)

//go:noescape
func gemvQ10AVX2(w *byte, stride, groups, supers int, acts *byte, actStride int, y *float32, yStride int)

//go:noescape
func unpackQ10AVX512(w *byte, stride int, panel *byte)

//go:noescape
func unpackQ10AVX2(w *byte, stride int, panel *byte)

//go:noescape
func gemvQ20AVX512(w *byte, stride, groups, supers int, acts *byte, actStride int, y *float32, yStride int)

//go:noescape
func gemvQ20AVX2(w *byte, stride, groups, supers int, acts *byte, actStride int, y *float32, yStride int)

//go:noescape
func unpackQ20AVX512(w *byte, stride int, panel *byte)

//go:noescape
func unpackQ20AVX2(w *byte, stride int, panel *byte)

var (
	q10Bodies = [tierCount]intBody{
		AVX2:   {row: intRows{gemvQ10AVX2}, unpack: unpackQ10AVX2, width: 16, tiles: smallTilesAVX2},
		AVX512: {row: intRows{gemvQ10AVX512}, unpack: unpackQ10AVX512, width: 32, tiles: blockTilesAVX512},
	}
	q20Bodies = [tierCount]intBody{
		AVX2:   {row: intRows{gemvQ20AVX2}, unpack: unpackQ20AVX2, width: 16, tiles: smallTilesAVX2},
		AVX512: {row: intRows{gemvQ20AVX512}, unpack: unpackQ20AVX512, width: 32, tiles: blockTilesAVX512},
	}
)
