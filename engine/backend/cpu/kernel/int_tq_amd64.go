//go:build amd64 && !purego

package kernel

// The kernels of TQ2_0 and TQ1_0. Panels are as IQ4_XS's, with scales of 1.

//go:noescape
func gemvTQ20AVX512(w *byte, stride, groups, supers int, acts *byte, actStride int, y *float32, yStride int)

//go:noescape
func gemvTQ20AVX2(w *byte, stride, groups, supers int, acts *byte, actStride int, y *float32, yStride int)

//go:noescape
func unpackTQ20AVX512(w *byte, stride int, panel *byte)

//go:noescape
func unpackTQ20AVX2(w *byte, stride int, panel *byte)

//go:noescape
func gemvTQ10AVX512(w *byte, stride, groups, supers int, acts *byte, actStride int, y *float32, yStride int)

//go:noescape
func gemvTQ10AVX2(w *byte, stride, groups, supers int, acts *byte, actStride int, y *float32, yStride int)

//go:noescape
func unpackTQ10AVX512(w *byte, stride int, panel *byte)

//go:noescape
func unpackTQ10AVX2(w *byte, stride int, panel *byte)

var (
	tq20Bodies = [tierCount]intBody{
		AVX2:   {row: intRows{gemvTQ20AVX2}, unpack: unpackTQ20AVX2, width: 16, tiles: iq4xsTilesAVX2},
		AVX512: {row: intRows{gemvTQ20AVX512}, unpack: unpackTQ20AVX512, width: 32, tiles: iq4xsTilesAVX512},
	}
	tq10Bodies = [tierCount]intBody{
		AVX2:   {row: intRows{gemvTQ10AVX2}, unpack: unpackTQ10AVX2, width: 16, tiles: iq4xsTilesAVX2},
		AVX512: {row: intRows{gemvTQ10AVX512}, unpack: unpackTQ10AVX512, width: 32, tiles: iq4xsTilesAVX512},
	}
)
