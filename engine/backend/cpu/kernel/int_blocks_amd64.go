//go:build amd64 && !purego

package kernel

// Panel kernels for blocks of 32 weights that have a float32 scale each, 8 x 32 of them at the panel's end.

// Unsigned weights; the record's centring makes up for their offset.

//go:noescape
func gemmBlocks6AVX512(panel, act *byte, actStride, tiles int, src, dst *float32, srcStride, dstStride int, ahead uintptr, aheadStep int)

//go:noescape
func gemmBlocks4AVX512(panel, act *byte, actStride, tiles int, src, dst *float32, srcStride, dstStride int, ahead uintptr, aheadStep int)

// Unsigned weights and mins, 8 x 32 of them after the scales.

//go:noescape
func gemmMins6AVX512(panel, act *byte, actStride, tiles int, src, dst *float32, srcStride, dstStride int, ahead uintptr, aheadStep int)

//go:noescape
func gemmMins4AVX512(panel, act *byte, actStride, tiles int, src, dst *float32, srcStride, dstStride int, ahead uintptr, aheadStep int)

// Signed weights, from -128 to 127.

//go:noescape
func gemmSigned2AVX2(panel, act *byte, actStride, tiles int, src, dst *float32, srcStride, dstStride int, ahead uintptr, aheadStep int)

// Signed weights, from -16 to 16.

//go:noescape
func gemmSmall2AVX2(panel, act *byte, actStride, tiles int, src, dst *float32, srcStride, dstStride int, ahead uintptr, aheadStep int)

var (
	blockTilesAVX512 = [2]intTile{{6, gemmBlocks6AVX512}, {4, gemmBlocks4AVX512}}
	minsTilesAVX512  = [2]intTile{{6, gemmMins6AVX512}, {4, gemmMins4AVX512}}
	signedTilesAVX2  = [2]intTile{{2, gemmSigned2AVX2}, {2, gemmSigned2AVX2}}
	smallTilesAVX2   = [2]intTile{{2, gemmSmall2AVX2}, {2, gemmSmall2AVX2}}
)
