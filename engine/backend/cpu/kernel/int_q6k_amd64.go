//go:build amd64 && !purego

package kernel

// The kernels of Q6_K. The panel's weights are unsigned, 32 larger; it ends with the integer scales and d.

//go:noescape
func gemvQ6KAVX512(w *byte, stride, groups, supers int, acts *byte, actStride int, y *float32, yStride int)

//go:noescape
func gemvQ6Kx2AVX512(w *byte, stride, groups, supers int, acts *byte, actStride int, y *float32, yStride int)

//go:noescape
func gemvQ6Kx3AVX512(w *byte, stride, groups, supers int, acts *byte, actStride int, y *float32, yStride int)

//go:noescape
func gemvQ6Kx4AVX512(w *byte, stride, groups, supers int, acts *byte, actStride int, y *float32, yStride int)

//go:noescape
func gemvQ6KAVX2(w *byte, stride, groups, supers int, acts *byte, actStride int, y *float32, yStride int)

//go:noescape
func unpackQ6KAVX512(w *byte, stride int, panel *byte)

//go:noescape
func unpackQ6KAVX2(w *byte, stride int, panel *byte)

//go:noescape
func gemmQ6Kx6AVX512(panel, act *byte, actStride, tiles int, src, dst *float32, srcStride, dstStride int, ahead uintptr, aheadStep int)

//go:noescape
func gemmQ6Kx6PairsAVX512(panel, act *byte, actStride, tiles int, src, dst *float32, srcStride, dstStride int, ahead uintptr, aheadStep int)

//go:noescape
func gemmQ6Kx4AVX512(panel, act *byte, actStride, tiles int, src, dst *float32, srcStride, dstStride int, ahead uintptr, aheadStep int)

//go:noescape
func gemmQ6Kx3AVX2(panel, act *byte, actStride, tiles int, src, dst *float32, srcStride, dstStride int, ahead uintptr, aheadStep int)

//go:noescape
func gemmQ6Kx2AVX2(panel, act *byte, actStride, tiles int, src, dst *float32, srcStride, dstStride int, ahead uintptr, aheadStep int)

var q6kBodies = [tierCount]intBody{
	AVX2:   {row: intRows{gemvQ6KAVX2}, unpack: unpackQ6KAVX2, width: 16, tiles: q6kTilesAVX2},
	AVX512: {row: intRows{gemvQ6KAVX512, gemvQ6Kx2AVX512, gemvQ6Kx3AVX512, gemvQ6Kx4AVX512}, unpack: unpackQ6KAVX512, width: 32, tiles: q6kTilesAVX512},
}

var (
	q6kTilesAVX2   = [2]intTile{{3, gemmQ6Kx3AVX2}, {2, gemmQ6Kx2AVX2}}
	q6kTilesAVX512 = [2]intTile{{6, gemmQ6Kx6AVX512}, {4, gemmQ6Kx4AVX512}}
)
