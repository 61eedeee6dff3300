//go:build amd64 && !purego

package kernel

// The kernels of Q5_0. The panel's weights are unsigned, larger by 16, for AVX-512 and signed for AVX2.

//go:noescape
func gemvQ50AVX512(w *byte, stride, groups, supers int, acts *byte, actStride int, y *float32, yStride int)

//go:noescape
func gemvQ50AVX2(w *byte, stride, groups, supers int, acts *byte, actStride int, y *float32, yStride int)

//go:noescape
func unpackQ50AVX512(w *byte, stride int, panel *byte)

//go:noescape
func unpackQ50AVX2(w *byte, stride int, panel *byte)

var q50Bodies = [tierCount]intBody{
	AVX2:   {row: intRows{gemvQ50AVX2}, unpack: unpackQ50AVX2, width: 16, tiles: smallTilesAVX2},
	AVX512: {row: intRows{gemvQ50AVX512}, unpack: unpackQ50AVX512, width: 32, tiles: blockTilesAVX512},
}
