package gguf

import (
	"encoding/binary"
)

// appendString appends a string as it stands in a file: its length and its bytes.
func appendString(b []byte, s string) []byte {
	return append(binary.LittleEndian.AppendUint64(b, uint64(len(s))), s...)
}

// appendTo appends the value without its type.
func (v Value) appendTo(b []byte) []byte {
	switch {
	case v.typ == TypeString:
		return appendString(b, v.raw)
	case v.typ == TypeArray:
		b = binary.LittleEndian.AppendUint32(b, uint32(v.elem))
		b = binary.LittleEndian.AppendUint64(b, uint64(v.n))
		return append(b, v.raw...)
	}
	switch typeSizes[v.typ] {
	case 1:
		return append(b, byte(v.bits))
	case 2:
		return binary.LittleEndian.AppendUint16(b, uint16(v.bits))
	case 4:
		return binary.LittleEndian.AppendUint32(b, uint32(v.bits))
	}
	return binary.LittleEndian.AppendUint64(b, v.bits)
}

// cutValue decodes the value of type t at the beginning of s, which was measured before, and returns what follows it.
func cutValue(t ValueType, s string) (Value, string) {
	switch t {
	case TypeString:
		n := 8 + int(binary.LittleEndian.Uint64(bytesOf(s)))
		return Value{typ: t, raw: s[8:n]}, s[n:]
	case TypeArray:
		c := newCursor("", bytesOf(s))
		v := c.array(1)
		return v, s[c.pos:]
	}
	n := typeSizes[t]
	return Value{typ: t, bits: decodeBits(t, bytesOf(s[:n]))}, s[n:]
}

// decodeBits returns Value.bits of a number or bool of type t; b holds its bytes.
func decodeBits(t ValueType, b []byte) uint64 {
	switch t {
	case TypeUint8:
		return uint64(b[0])
	case TypeInt8:
		return uint64(int8(b[0]))
	case TypeUint16:
		return uint64(binary.LittleEndian.Uint16(b))
	case TypeInt16:
		return uint64(int16(binary.LittleEndian.Uint16(b)))
	case TypeUint32, TypeFloat32:
		return uint64(binary.LittleEndian.Uint32(b))
	case TypeInt32:
		return uint64(int32(binary.LittleEndian.Uint32(b)))
	case TypeBool:
		return Bool(b[0] != 0).bits
	}
	return binary.LittleEndian.Uint64(b)
}
