//go:build amd64 && !purego

package kernel

// The kernels of Q8_0. For AVX-512 the panel's weights are unsigned, 128 larger; for AVX2 they are signed.

//go:noescape
func gemvQ80AVX512(w *byte, stride, groups, supers int, act *byte, y *float32)

//go:noescape
func gemvQ80AVX2(w *byte, stride, groups, supers int, act *byte, y *float32)

//go:noescape
func unpackQ80AVX512(w *byte, stride int, panel *byte)

//go:noescape
func unpackQ80AVX2(w *byte, stride int, panel *byte)

var q80Bodies = [tierCount]intBody{
	AVX2: {
		row: gemvQ80AVX2, unpack: unpackQ80AVX2, width: 16,
		tiles: signedTilesAVX2,
	},
	AVX512: {
		row: gemvQ80AVX512, unpack: unpackQ80AVX512, width: 32,
		tiles: blockTilesAVX512,
	},
}
