//go:build amd64 && !purego

package kernel

// The kernels of Q3_K. Its panel is Q6_K's.

//go:noescape
func gemvQ3KAVX512(w *byte, stride, groups, supers int, acts *byte, actStride int, y *float32, yStride int)

//go:noescape
func gemvQ3KAVX2(w *byte, stride, groups, supers int, acts *byte, actStride int, y *float32, yStride int)

//go:noescape
func unpackQ3KAVX512(w *byte, stride int, panel *byte)

//go:noescape
func unpackQ3KAVX2(w *byte, stride int, panel *byte)

var q3kBodies = [tierCount]intBody{
	AVX2:   {row: intRows{gemvQ3KAVX2}, unpack: unpackQ3KAVX2, width: 16, tiles: q6kTilesAVX2},
	AVX512: {row: intRows{gemvQ3KAVX512}, unpack: unpackQ3KAVX512, width: 32, tiles: q6kTilesAVX512},
}
