package limit

import "encoding/binary"

// loops are the bodies for one instruction set, and how many multiply-adds a turn makes.
type loops struct {
	read          func(data []byte) // whole pieces
	floats        func(turns int)
	bf16          func(turns int)
	integers      func(turns int)
	floatsATurn   int
	bf16ATurn     int
	integersATurn int
}

// generic are the loops without assembly. The compiler makes single operations of them.
var generic = loops{readGeneric, floatsGeneric, floatsGeneric, integersGeneric, 8, 8, 8}

// sink keeps the compiler from leaving out a loop.
var sink struct {
	bits  uint64
	float float32
	int   int32
}

func readGeneric(data []byte) {
	var a, b, c, d uint64
	for ; len(data) >= 32; data = data[32:] {
		a |= binary.LittleEndian.Uint64(data)
		b |= binary.LittleEndian.Uint64(data[8:])
		c |= binary.LittleEndian.Uint64(data[16:])
		d |= binary.LittleEndian.Uint64(data[24:])
	}
	if a|b|c|d == 3 { // never, as the bytes are 0 and 1
		sink.bits = a
	}
}

func floatsGeneric(turns int) {
	var a [8]float32
	x := float32(turns)
	for range turns {
		for i := range a {
			a[i] += x * x
		}
	}
	if a[0]+a[1]+a[2]+a[3]+a[4]+a[5]+a[6]+a[7] < 0 { // never
		sink.float = a[0]
	}
}

func integersGeneric(turns int) {
	var a [8]int32
	x := int8(turns & 1)
	for range turns {
		for i := range a {
			a[i] += int32(x) * int32(x)
		}
	}
	if a[0]+a[1]+a[2]+a[3]+a[4]+a[5]+a[6]+a[7] < 0 { // never
		sink.int = a[0]
	}
}
