//go:build amd64 && !purego

package kernel

import "github.com/llamakit/llamakit/formats/quant"

// The kernels of the codebook types. Panels are as IQ4_XS's, or for scales of groups of 16 as Q6_K's with signed weights on
// AVX2 and weights larger by 128 on AVX-512.

//go:noescape
func gemvIQ2XXSAVX512(w *byte, stride, groups, supers int, acts *byte, actStride int, y *float32, yStride int)

//go:noescape
func gemvIQ2XXSAVX2(w *byte, stride, groups, supers int, acts *byte, actStride int, y *float32, yStride int)

//go:noescape
func unpackIQ2XXSAVX512(w *byte, stride int, panel *byte)

//go:noescape
func unpackIQ2XXSAVX2(w *byte, stride int, panel *byte)

//go:noescape
func gemvIQ2XSAVX512(w *byte, stride, groups, supers int, acts *byte, actStride int, y *float32, yStride int)

//go:noescape
func gemvIQ2XSAVX2(w *byte, stride, groups, supers int, acts *byte, actStride int, y *float32, yStride int)

//go:noescape
func unpackIQ2XSAVX512(w *byte, stride int, panel *byte)

//go:noescape
func unpackIQ2XSAVX2(w *byte, stride int, panel *byte)

//go:noescape
func gemvIQ2SAVX512(w *byte, stride, groups, supers int, acts *byte, actStride int, y *float32, yStride int)

//go:noescape
func gemvIQ2SAVX2(w *byte, stride, groups, supers int, acts *byte, actStride int, y *float32, yStride int)

//go:noescape
func unpackIQ2SAVX512(w *byte, stride int, panel *byte)

//go:noescape
func unpackIQ2SAVX2(w *byte, stride int, panel *byte)

//go:noescape
func gemvIQ3XXSAVX512(w *byte, stride, groups, supers int, acts *byte, actStride int, y *float32, yStride int)

//go:noescape
func gemvIQ3XXSAVX2(w *byte, stride, groups, supers int, acts *byte, actStride int, y *float32, yStride int)

//go:noescape
func unpackIQ3XXSAVX512(w *byte, stride int, panel *byte)

//go:noescape
func unpackIQ3XXSAVX2(w *byte, stride int, panel *byte)

//go:noescape
func gemvIQ3SAVX512(w *byte, stride, groups, supers int, acts *byte, actStride int, y *float32, yStride int)

//go:noescape
func gemvIQ3SAVX2(w *byte, stride, groups, supers int, acts *byte, actStride int, y *float32, yStride int)

//go:noescape
func unpackIQ3SAVX512(w *byte, stride int, panel *byte)

//go:noescape
func unpackIQ3SAVX2(w *byte, stride int, panel *byte)

//go:noescape
func gemvIQ1SAVX512(w *byte, stride, groups, supers int, acts *byte, actStride int, y *float32, yStride int)

//go:noescape
func gemvIQ1SAVX2(w *byte, stride, groups, supers int, acts *byte, actStride int, y *float32, yStride int)

//go:noescape
func unpackIQ1SAVX512(w *byte, stride int, panel *byte)

//go:noescape
func unpackIQ1SAVX2(w *byte, stride int, panel *byte)

//go:noescape
func gemvIQ1MAVX512(w *byte, stride, groups, supers int, acts *byte, actStride int, y *float32, yStride int)

//go:noescape
func gemvIQ1MAVX2(w *byte, stride, groups, supers int, acts *byte, actStride int, y *float32, yStride int)

//go:noescape
func unpackIQ1MAVX512(w *byte, stride int, panel *byte)

//go:noescape
func unpackIQ1MAVX2(w *byte, stride int, panel *byte)

//go:noescape
func gemmIQ2x6AVX512(panel, act *byte, actStride, tiles int, src, dst *float32, srcStride, dstStride int, ahead uintptr, aheadStep int)

//go:noescape
func gemmIQ2x4AVX512(panel, act *byte, actStride, tiles int, src, dst *float32, srcStride, dstStride int, ahead uintptr, aheadStep int)

//go:noescape
func gemmIQ1x6AVX512(panel, act *byte, actStride, tiles int, src, dst *float32, srcStride, dstStride int, ahead uintptr, aheadStep int)

//go:noescape
func gemmIQ1x4AVX512(panel, act *byte, actStride, tiles int, src, dst *float32, srcStride, dstStride int, ahead uintptr, aheadStep int)

//go:noescape
func gemmSigned16x2AVX2(panel, act *byte, actStride, tiles int, src, dst *float32, srcStride, dstStride int, ahead uintptr, aheadStep int)

var (
	iq2TilesAVX512    = [2]intTile{{6, gemmIQ2x6AVX512}, {4, gemmIQ2x4AVX512}} // weights up to 43
	iq1TilesAVX512    = [2]intTile{{6, gemmIQ1x6AVX512}, {4, gemmIQ1x4AVX512}} // up to 9
	signed16TilesAVX2 = [2]intTile{{2, gemmSigned16x2AVX2}, {2, gemmSigned16x2AVX2}}
)

var (
	iq2xxsBodies = [tierCount]intBody{
		AVX2:   {row: intRows{gemvIQ2XXSAVX2}, unpack: unpackIQ2XXSAVX2, width: 16, tiles: iq4xsTilesAVX2},
		AVX512: {row: intRows{gemvIQ2XXSAVX512}, unpack: unpackIQ2XXSAVX512, width: 32, tiles: iq4xsTilesAVX512},
	}
	iq2xsBodies = [tierCount]intBody{
		AVX2:   {row: intRows{gemvIQ2XSAVX2}, unpack: unpackIQ2XSAVX2, width: 16, tiles: signed16TilesAVX2},
		AVX512: {row: intRows{gemvIQ2XSAVX512}, unpack: unpackIQ2XSAVX512, width: 32, tiles: iq2TilesAVX512},
	}
	iq2sBodies = [tierCount]intBody{
		AVX2:   {row: intRows{gemvIQ2SAVX2}, unpack: unpackIQ2SAVX2, width: 16, tiles: signed16TilesAVX2},
		AVX512: {row: intRows{gemvIQ2SAVX512}, unpack: unpackIQ2SAVX512, width: 32, tiles: iq2TilesAVX512},
	}
	iq3xxsBodies = [tierCount]intBody{
		AVX2:   {row: intRows{gemvIQ3XXSAVX2}, unpack: unpackIQ3XXSAVX2, width: 16, tiles: iq4xsTilesAVX2},
		AVX512: {row: intRows{gemvIQ3XXSAVX512}, unpack: unpackIQ3XXSAVX512, width: 32, tiles: iq4xsTilesAVX512},
	}
	iq3sBodies = [tierCount]intBody{
		AVX2:   {row: intRows{gemvIQ3SAVX2}, unpack: unpackIQ3SAVX2, width: 16, tiles: iq4xsTilesAVX2},
		AVX512: {row: intRows{gemvIQ3SAVX512}, unpack: unpackIQ3SAVX512, width: 32, tiles: iq4xsTilesAVX512},
	}
	iq1sBodies = [tierCount]intBody{
		AVX2:   {row: intRows{gemvIQ1SAVX2}, unpack: unpackIQ1SAVX2, width: 16, tiles: signed16TilesAVX2},
		AVX512: {row: intRows{gemvIQ1SAVX512}, unpack: unpackIQ1SAVX512, width: 32, tiles: iq1TilesAVX512},
	}
	iq1mBodies = [tierCount]intBody{
		AVX2:   {row: intRows{gemvIQ1MAVX2}, unpack: unpackIQ1MAVX2, width: 16, tiles: signed16TilesAVX2},
		AVX512: {row: intRows{gemvIQ1MAVX512}, unpack: unpackIQ1MAVX512, width: 32, tiles: iq1TilesAVX512},
	}
)

// The codebooks with the numbers of the magnitudes: 2 bits each, or 4 for IQ3.
var (
	iq2xxsDigits = [256]uint16(gridDigits(quant.Grid(quant.IQ2_XXS), 8))
	iq2xsDigits  = [512]uint16(gridDigits(quant.Grid(quant.IQ2_XS), 8))
	iq3xxsDigits = [256]uint16(gridDigits(quant.Grid(quant.IQ3_XXS), 4))
	iq3sDigits   = [512]uint16(gridDigits(quant.Grid(quant.IQ3_S), 4))
)

// gridDigits packs entries of n magnitudes.
func gridDigits(grid []uint64, n int) []uint16 {
	var number [256]uint16
	for _, g := range grid {
		for j := range n {
			number[byte(g>>(8*j))] = 1
		}
	}
	next := uint16(0)
	for i, there := range number {
		number[i] = next
		next += there
	}
	t := make([]uint16, len(grid))
	for i, g := range grid {
		for j := range n {
			t[i] |= number[byte(g>>(8*j))] << (16 / n * j)
		}
	}
	return t
}
