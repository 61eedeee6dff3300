//go:build amd64 && !purego

package kernel

// The kernels of IQ4_NL. The panel's weights are unsigned, larger by 128, for AVX-512 and signed for AVX2.

//go:noescape
func gemvIQ4NLAVX512(w *byte, stride, groups, supers int, acts *byte, actStride int, y *float32, yStride int)

//go:noescape
func gemvIQ4NLAVX2(w *byte, stride, groups, supers int, acts *byte, actStride int, y *float32, yStride int)

//go:noescape
func unpackIQ4NLAVX512(w *byte, stride int, panel *byte)

//go:noescape
func unpackIQ4NLAVX2(w *byte, stride int, panel *byte)

var iq4nlBodies = [tierCount]intBody{
	AVX2:   {row: intRows{gemvIQ4NLAVX2}, unpack: unpackIQ4NLAVX2, width: 16, tiles: signedTilesAVX2},
	AVX512: {row: intRows{gemvIQ4NLAVX512}, unpack: unpackIQ4NLAVX512, width: 32, tiles: blockTilesAVX512},
}
