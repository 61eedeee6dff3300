package quant

// What the encoders share once the scales are known: rounding a block to integers and packing them.

// putScale writes a scale as f16 and returns what a decoder will read.
func putScale(dst []byte, scale float32) float32 {
	h := F32ToF16(scale)
	le.PutUint16(dst, h)
	return F16ToF32(h)
}

// inverse returns 1/d, and 0 for a scale so small that nothing can be divided by it: all elements round to zero then.
func inverse(d float32) float32 {
	if magnitude(d) < 0x1p-120 {
		return 0
	}
	return 1 / d
}

// packNibbles writes elements j and j+half as the low and the high nibble of byte j, half bytes for each 2 half elements.
func packNibbles(dst, q []byte, half int) {
	for ; len(q) >= 2*half; dst, q = dst[half:], q[2*half:] {
		for j := range dst[:half] {
			dst[j] = q[j]&15 | q[j+half]<<4
		}
	}
}

// packPairs writes the low two bits of 256 elements: bits 2k and up of byte l are element 32k+l of each half.
func packPairs(dst *[64]byte, q *[superSize]byte) {
	for i := range dst {
		at := i/32*128 + i%32
		dst[i] = q[at]&3 | q[at+32]&3<<2 | q[at+64]&3<<4 | q[at+96]&3<<6
	}
}

// fifthBits gathers bit 4 of 32 elements.
func fifthBits(q *[32]byte) (high uint32) {
	for j, v := range q {
		high |= uint32(v>>4) << j
	}
	return high
}
