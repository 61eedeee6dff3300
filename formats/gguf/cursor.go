package gguf

import (
	"encoding/binary"
	"fmt"
	"math"

	"github.com/llamakit/llamakit/formats/internal/fault"
)

// cursor reads the header of a file front to back. It keeps the first error; after it every read returns zero values
// without moving, so callers check err once per key or tensor.
type cursor struct {
	file string
	data []byte                      // the beginning of the file; all of it where more is nil
	size int                         // bytes of the file
	more func(n int) ([]byte, error) // returns the beginning of the file, at least n bytes
	pos  int
	item item
	err  error
}

func newCursor(file string, data []byte) *cursor {
	return &cursor{file: file, data: data, size: len(data)}
}

// item is what is being read, for errors. It is spelled only when there is one.
type item struct {
	kind     string // "key" or "tensor"
	index    int    // from 0
	of       uint64
	name     string
	hasName  bool
	position int // byte where the item begins
}

func (it *item) String() string {
	switch {
	case it.hasName:
		return fmt.Sprintf("%s %s: ", it.kind, quote(it.name))
	case it.kind != "":
		return fmt.Sprintf("%s %d of %d: ", it.kind, it.index+1, it.of)
	}
	return ""
}

// begin starts an item without a name yet.
func (c *cursor) begin(kind string, index int, of uint64) {
	c.item = item{kind: kind, index: index, of: of, position: c.pos}
}

func (c *cursor) named(name string) { c.item.name, c.item.hasName = name, true }

// fail keeps an error at byte at, unless there is one already.
func (c *cursor) fail(kind error, at int, format string, args ...any) {
	if c.err == nil {
		c.err = fault.At(kind, c.file, int64(at), "%s%s", &c.item, fmt.Sprintf(format, args...))
	}
}

// left is the number of bytes that were not read yet.
func (c *cursor) left() uint64 { return uint64(c.size - c.pos) }

// need makes the next n bytes, which the file has, part of data.
func (c *cursor) need(n int) bool {
	if c.err == nil && n > len(c.data)-c.pos {
		var data []byte
		if data, c.err = c.more(c.pos + n); c.err == nil {
			c.data = data
		}
	}
	return c.err == nil
}

// take returns the next n bytes, which are what.
func (c *cursor) take(n uint64, what string) []byte {
	if c.err == nil && n > c.left() {
		c.fail(ErrCorrupt, c.pos, "%s of %d bytes, but the file ends after %d: %d bytes missing (incomplete download? fetch it again)",
			what, n, c.left(), n-c.left())
	}
	if c.err != nil || !c.need(int(n)) {
		return nil
	}
	b := c.data[c.pos : c.pos+int(n)]
	c.pos += int(n)
	return b
}

func (c *cursor) u32(what string) uint32 {
	b := c.take(4, what)
	if b == nil {
		return 0
	}
	return binary.LittleEndian.Uint32(b)
}

func (c *cursor) u64(what string) uint64 {
	b := c.take(8, what)
	if b == nil {
		return 0
	}
	return binary.LittleEndian.Uint64(b)
}

// str reads a string. It refers to the data.
func (c *cursor) str(what string) string {
	n := c.u64("the length of " + what)
	return view(c.take(n, what))
}

func (c *cursor) valueType(what string) ValueType {
	at := c.pos
	t := ValueType(c.u32(what))
	if !t.valid() {
		c.fail(ErrCorrupt, at, "%s is %d, but value types go from 0 to %d", what, uint32(t), numTypes-1)
		return 0
	}
	return t
}

// value reads a value of type t.
func (c *cursor) value(t ValueType) Value {
	switch t {
	case TypeString:
		return Value{typ: t, raw: c.str("text")}
	case TypeArray:
		return c.array(1)
	}
	b := c.take(uint64(typeSizes[t]), "value")
	if b == nil {
		return Value{}
	}
	return Value{typ: t, bits: decodeBits(t, b)}
}

// array reads an array that stands depth levels deep; 1 is not inside another.
func (c *cursor) array(depth int) Value {
	elem := c.valueType("element type")
	n := c.u64("array length")
	begin := c.pos
	c.elements(elem, n, depth)
	if c.err != nil {
		return Value{}
	}
	return Value{typ: TypeArray, elem: elem, n: int(n), raw: view(c.data[begin:c.pos])}
}

// elements steps over the n elements of an array and checks that all of them are there.
func (c *cursor) elements(elem ValueType, n uint64, depth int) {
	size := uint64(minSize(elem))
	if c.err == nil && n > c.left()/size {
		c.fail(ErrCorrupt, c.pos, "array of %d %v needs %s bytes, but the file has %d left (incomplete download? fetch it again)",
			n, elem, atLeast(n, size, elem), c.left())
	}
	if c.err != nil {
		return
	}
	switch elem {
	case TypeString:
		for i := uint64(0); i < n && c.err == nil; i++ {
			c.skipString()
		}
	case TypeArray:
		if depth >= maxDepth {
			c.fail(ErrUnsupported, c.pos, "arrays nested more than %d deep", maxDepth)
			return
		}
		for i := uint64(0); i < n && c.err == nil; i++ {
			c.array(depth + 1)
		}
	default:
		if c.need(int(n * size)) {
			c.pos += int(n * size)
		}
	}
}

// skipString is take for the strings of an array, of which there may be many.
func (c *cursor) skipString() {
	if c.left() >= 8 && c.need(8) {
		if n := binary.LittleEndian.Uint64(c.data[c.pos:]); n <= c.left()-8 && c.need(8+int(n)) {
			c.pos += 8 + int(n)
			return
		}
	}
	c.str("text")
}

// minSize is the least number of bytes that a value of type t takes.
func minSize(t ValueType) int {
	switch t {
	case TypeString:
		return 8
	case TypeArray:
		return 12
	}
	return typeSizes[t]
}

// atLeast spells n*size, which may overflow.
func atLeast(n, size uint64, elem ValueType) string {
	switch {
	case n > math.MaxUint64/size:
		return "more than 2^64"
	case typeSizes[elem] == 0:
		return fmt.Sprintf("at least %d", n*size)
	}
	return fmt.Sprint(n * size)
}
