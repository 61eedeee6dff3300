//go:build amd64 && !purego

package kernel

// Panel kernels for blocks of 32 unsigned weights that have a float32 scale each, 8 x 32 of them at the panel's end; the
// record's centring makes up for the weights' offset.

//go:noescape
func gemmBlocks6AVX512(panel, act *byte, actStride, tiles int, src, dst *float32, srcStride, dstStride int)

//go:noescape
func gemmBlocks4AVX512(panel, act *byte, actStride, tiles int, src, dst *float32, srcStride, dstStride int)
