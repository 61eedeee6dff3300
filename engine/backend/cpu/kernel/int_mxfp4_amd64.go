//go:build amd64 && !purego

package kernel

// The kernels of MXFP4. The panel's weights are unsigned, larger by 12, for AVX-512 and signed for AVX2.

//go:noescape
func gemvMXFP4AVX512(w *byte, stride, groups, supers int, acts *byte, actStride int, y *float32, yStride int)

//go:noescape
func gemvMXFP4AVX2(w *byte, stride, groups, supers int, acts *byte, actStride int, y *float32, yStride int)

//go:noescape
func unpackMXFP4AVX512(w *byte, stride int, panel *byte)

//go:noescape
func unpackMXFP4AVX2(w *byte, stride int, panel *byte)

var mxfp4Bodies = [tierCount]intBody{
	AVX2:   {row: intRows{gemvMXFP4AVX2}, unpack: unpackMXFP4AVX2, width: 16, tiles: smallTilesAVX2},
	AVX512: {row: intRows{gemvMXFP4AVX512}, unpack: unpackMXFP4AVX512, width: 32, tiles: blockTilesAVX512},
}
