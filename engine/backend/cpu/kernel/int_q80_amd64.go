//go:build amd64 && !purego

package kernel

// The kernels of Q8_0. The panel's weights are unsigned, larger by 128, for AVX-512 and signed for AVX2.

//go:noescape
func gemvQ80AVX512(w *byte, stride, groups, supers int, acts *byte, actStride int, y *float32, yStride int)

//go:noescape
func gemvQ80AVX2(w *byte, stride, groups, supers int, acts *byte, actStride int, y *float32, yStride int)

//go:noescape
func unpackQ80AVX512(w *byte, stride int, panel *byte)

//go:noescape
func unpackQ80AVX2(w *byte, stride int, panel *byte)

var q80Bodies = [tierCount]intBody{
	AVX2:   {row: intRows{gemvQ80AVX2}, unpack: unpackQ80AVX2, width: 16, tiles: signedTilesAVX2},
	AVX512: {row: intRows{gemvQ80AVX512}, unpack: unpackQ80AVX512, width: 32, tiles: blockTilesAVX512},
}
