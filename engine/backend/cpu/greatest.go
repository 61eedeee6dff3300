package cpu

import "math"

// greatestOf writes the indexes of the n greatest values in ascending order, the first of equals, and returns how many they are.
func greatestOf(dst, x []float32, n int) int {
	least, ties := rank(x, n)
	found := 0
	for i, v := range x {
		switch u := ordered(v); {
		case u < least:
			continue
		case u == least && ties == 0:
			continue
		case u == least:
			ties--
		}
		dst[found] = float32(i)
		found++
	}
	return found
}

// ordered maps a number to an integer of the same order; NaN is above or below all others.
func ordered(x float32) uint32 {
	u := math.Float32bits(x)
	if u>>31 == 1 {
		return ^u
	}
	return u | 1<<31
}

// rank finds the n-th greatest of x, ordered, byte by byte (a radix selection), and how many of those equal to it are among the n
// greatest.
func rank(x []float32, n int) (value uint32, ties int) {
	left := n
	for shift := 24; shift >= 0; shift -= 8 {
		var counts [256]int
		for _, v := range x {
			if u := ordered(v); uint64(u^value)>>(shift+8) == 0 {
				counts[u>>shift&255]++
			}
		}
		digit := 255
		for ; digit > 0 && counts[digit] < left; digit-- {
			left -= counts[digit]
		}
		value |= uint32(digit) << shift
	}
	return value, left
}
