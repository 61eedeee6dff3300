package quant

import (
	"math"
	"slices"
)

// Encoders of MXFP4 and NVFP4. A block's scale follows from its largest magnitude; MXFP4 tries the powers of two next to
// it as well.

// fp4Code returns the code of the 4-bit float whose double is nearest to v; ties go towards zero.
func fp4Code(v float32) byte {
	a, code := magnitude(v), byte(0)
	switch {
	case a > 10:
		code = 7
	case a > 7:
		code = 6
	case a > 5:
		code = 5
	case a > 3.5:
		code = 4
	case a > 2.5:
		code = 3
	case a > 1.5:
		code = 2
	case a > 0.5:
		code = 1
	default:
		return 0
	}
	if v < 0 {
		code |= 8
	}
	return code
}

// roundFP4 writes the codes of x under scale d (for doubled values) and returns the squared error.
func roundFP4(q []byte, x []float32, d float32) (e float64) {
	inv := inverse(d)
	for i, v := range x {
		q[i] = fp4Code(v * inv)
		diff := float64(float32(d*e2m1Doubled[q[i]]) - v)
		e += float64(diff * diff)
	}
	return e
}

func encodeMXFP4(dst []byte, src, _ []float32) {
	for ; len(src) >= mxfp4Size; dst, src = dst[mxfp4Bytes:], src[mxfp4Size:] {
		x := src[:mxfp4Size]
		var best, q [mxfp4Size]byte
		guess, least := mxfp4Exponent(x), math.Inf(1)
		for e := max(guess-1, 0); e <= min(guess+1, 254); e++ {
			if err := roundFP4(q[:], x, halfE8M0(byte(e))); err < least {
				least, best, dst[0] = err, q, byte(e)
			}
		}
		packNibbles(dst[mxfp4Quant:], best[:], 16)
	}
}

// mxfp4Exponent returns the exponent code that puts the largest magnitude between 4 and 8; 6 is the largest float.
func mxfp4Exponent(x []float32) int {
	most := magnitude(farthest(x))
	if most == 0 {
		return 0
	}
	_, e := math.Frexp(float64(most)) // most = f 2^e, f from 1/2 to 1
	return min(max(e-1-2+127, 0), 254)
}

func encodeNVFP4(dst []byte, src, _ []float32) {
	for ; len(src) >= nvfp4Size; dst, src = dst[nvfp4Bytes:], src[nvfp4Size:] {
		for i := range dst[:nvfp4Quant] {
			x := src[16*i : 16*i+16]
			var q [16]byte
			dst[i] = ue4m3(magnitude(farthest(x)) / 6)
			roundFP4(q[:], x, HalfUE4M3(dst[i]))
			packNibbles(dst[nvfp4Quant+8*i:nvfp4Quant+8*i+8], q[:], 8)
		}
	}
}

// ue4m3 returns the code of the scale nearest to d; 0x7e is the largest.
func ue4m3(d float32) byte {
	d = float32(d * 0.5)
	next, _ := slices.BinarySearch(ue4m3Halves[:], d)
	switch {
	case next == 0:
		return 0
	case next == len(ue4m3Halves), d-ue4m3Halves[next-1] < ue4m3Halves[next]-d:
		return byte(next - 1)
	}
	return byte(next)
}

// ue4m3Halves holds half of every scale but the last code, which is none.
var ue4m3Halves = func() (values [0x7f]float32) {
	for i := range values {
		values[i] = HalfUE4M3(byte(i))
	}
	return values
}()
