//go:build amd64 && !purego

package kernel

// The kernels of IQ4_XS. The panel's weights are unsigned, larger by 128, for AVX-512 and signed for AVX2; it ends with the
// integer scales and d.

//go:noescape
func gemvIQ4XSAVX512(w *byte, stride, groups, supers int, acts *byte, actStride int, y *float32, yStride int)

//go:noescape
func gemvIQ4XSAVX2(w *byte, stride, groups, supers int, acts *byte, actStride int, y *float32, yStride int)

//go:noescape
func unpackIQ4XSAVX512(w *byte, stride int, panel *byte)

//go:noescape
func unpackIQ4XSAVX2(w *byte, stride int, panel *byte)

//go:noescape
func gemmIQ4XSx6AVX512(panel, act *byte, actStride, tiles int, src, dst *float32, srcStride, dstStride int, ahead uintptr, aheadStep int)

//go:noescape
func gemmIQ4XSx4AVX512(panel, act *byte, actStride, tiles int, src, dst *float32, srcStride, dstStride int, ahead uintptr, aheadStep int)

//go:noescape
func gemmIQ4XSx2AVX2(panel, act *byte, actStride, tiles int, src, dst *float32, srcStride, dstStride int, ahead uintptr, aheadStep int)

// Also for the codebook types with scales for groups of 32.
var (
	iq4xsTilesAVX512 = [2]intTile{{6, gemmIQ4XSx6AVX512}, {4, gemmIQ4XSx4AVX512}}
	iq4xsTilesAVX2   = [2]intTile{{2, gemmIQ4XSx2AVX2}, {2, gemmIQ4XSx2AVX2}}
)

var iq4xsBodies = [tierCount]intBody{
	AVX2:   {row: intRows{gemvIQ4XSAVX2}, unpack: unpackIQ4XSAVX2, width: 16, tiles: iq4xsTilesAVX2},
	AVX512: {row: intRows{gemvIQ4XSAVX512}, unpack: unpackIQ4XSAVX512, width: 32, tiles: iq4xsTilesAVX512},
}
