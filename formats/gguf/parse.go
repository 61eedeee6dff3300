package gguf

import (
	"cmp"
	"math"
	"slices"

	"github.com/llamakit/llamakit/formats/quant"
)

// Limits that no known model comes near; they bound the memory that a hostile file can cost before it is rejected.
const (
	maxKeys      = 1 << 16
	maxKeyLength = 1<<16 - 1
	maxTensors   = 1 << 16
	maxAlignment = 1 << 21

	minKeyEntry    = 8 + 1 + 4 + 1 // name of one byte, type, u8
	minTensorEntry = 8 + 4 + 4 + 8 // empty name, no dimensions, type, offset
	defaultAlign   = 32            // when general.alignment is absent
	alignmentKey   = "general.alignment"
)

// shard is one parsed file. Its tensors, keys and values refer to data.
type shard struct {
	name      string
	data      []byte // nil where source is set
	source    Source
	size      int64
	begin     int64 // byte of the data, which offsets in the file count from
	version   uint32
	md        *Metadata
	tensors   []Tensor
	alignment int
	close     func() error

	mapped     bool // data is a mapping of the file
	headerOnly bool // there is no data
}

// parseShard reads the header in data and checks that everything it promises is there.
func parseShard(name string, data []byte) (*shard, error) {
	s := &shard{name: name, data: data, size: int64(len(data)), alignment: defaultAlign, close: func() error { return nil }}
	return s, s.parse(newCursor(name, data))
}

func (s *shard) parse(c *cursor) error {
	s.version = c.version()
	nTensors := c.count("tensors", maxTensors, minTensorEntry)
	nKeys := c.count("keys", maxKeys, minKeyEntry)
	s.readKeys(c, nKeys)
	s.readTensors(c, nTensors)
	c.item = item{}
	if c.err == nil {
		s.place(c)
	}
	return c.err
}

// version reads magic and version.
func (c *cursor) version() uint32 {
	if !c.need(min(64, c.size)) {
		return 0
	}
	if c.size < 4 || string(c.data[:4]) != "GGUF" {
		what, kind := foreign(c.data)
		c.fail(kind, 0, "%s", what)
		return 0
	}
	c.pos = 4
	v := c.u32("version")
	switch {
	case c.err != nil, v == 2, v == 3:
	case v != 0 && v&0xffff == 0:
		c.fail(ErrUnsupported, 4, "big-endian file; only little-endian ones are read (convert it on the machine it came from)")
	case v == 1:
		c.fail(ErrUnsupported, 4, "GGUF version 1, which was used for weeks in 2023; versions 2 and 3 are read (convert the model again)")
	case v == 0:
		c.fail(ErrCorrupt, 4, "GGUF version 0 does not exist")
	default:
		c.fail(ErrUnsupported, 4, "GGUF version %d is newer than 3, the last one this program reads", v)
	}
	return v
}

// count reads a number of entries of at least size bytes each.
func (c *cursor) count(what string, limit, size uint64) uint64 {
	at := c.pos
	n := c.u64("the number of " + what)
	switch {
	case c.err != nil:
	case n > c.left()/size:
		c.fail(ErrCorrupt, at, "%d %s cannot fit into the %d bytes that follow (incomplete download? fetch it again)", n, what, c.left())
	case n > limit:
		c.fail(ErrUnsupported, at, "%d %s are more than the limit of %d", n, what, limit)
	}
	return n
}

func (s *shard) readKeys(c *cursor, n uint64) {
	s.md = NewMetadata()
	s.md.file = s.name
	for i := 0; uint64(i) < n && c.err == nil; i++ {
		c.begin("key", i, n)
		name := c.str("name")
		s.checkKey(c, name)
		c.named(name)
		v := c.value(c.valueType("value type"))
		if name == alignmentKey && c.err == nil {
			s.setAlignment(c, v)
		}
		if c.err == nil {
			s.md.Set(name, v)
		}
	}
}

func (s *shard) checkKey(c *cursor, name string) {
	switch _, twice := s.md.Get(name); {
	case c.err != nil:
	case name == "":
		c.fail(ErrCorrupt, c.item.position, "the name is empty")
	case len(name) > maxKeyLength:
		c.fail(ErrCorrupt, c.item.position, "a name of %d bytes is longer than the limit of %d", len(name), maxKeyLength)
	case twice:
		first := c.findKey(name)
		c.named(name)
		c.fail(ErrCorrupt, c.item.position, "is there twice, first at byte %d (one of them must go)", first)
	}
}

// findKey returns the byte of the entry of a key that was read before.
func (c *cursor) findKey(name string) int {
	again := newCursor("", c.data)
	again.pos = 4 + 4 + 8 + 8
	for again.err == nil {
		at := again.pos
		if again.str("name") == name {
			return at
		}
		again.value(again.valueType("value type"))
	}
	return 0
}

func (s *shard) setAlignment(c *cursor, v Value) {
	a, ok := alignmentOf(v)
	if !ok {
		c.fail(ErrCorrupt, c.item.position, "is %s, but must be a u32 that is a power of two and at most %d", describe(v), maxAlignment)
		return
	}
	s.alignment = a
}

// alignmentOf returns the alignment that a value of general.alignment means.
func alignmentOf(v Value) (int, bool) {
	a := v.bits
	return int(a), v.typ == TypeUint32 && a != 0 && a&(a-1) == 0 && a <= maxAlignment
}

// readTensors reads the entries. Offset is what the file has, from the beginning of the data, until place.
func (s *shard) readTensors(c *cursor, n uint64) {
	if c.err != nil {
		return
	}
	s.tensors = make([]Tensor, 0, min(n, c.left()/minTensorEntry))
	for i := 0; uint64(i) < n && c.err == nil; i++ {
		c.begin("tensor", i, n)
		if t := s.readTensor(c); c.err == nil {
			s.tensors = append(s.tensors, t)
		}
	}
}

func (s *shard) readTensor(c *cursor) Tensor {
	t := Tensor{entry: c.pos}
	name := c.str("name")
	if bad := checkName(name); bad != nil {
		c.fail(bad.kind, t.entry, "%s", bad.fact)
	}
	if c.err != nil {
		return t
	}
	t.Name = string([]byte(name))
	c.named(t.Name)
	t.Shape = c.shape()
	t.Type = quant.Type(c.u32("type"))
	offset := c.u64("offset")
	if c.err != nil {
		return t
	}
	size, bad := dataSize(t.Type, t.Shape)
	if bad != nil {
		c.fail(bad.kind, t.entry, "%s", bad.fact)
	}
	if offset%uint64(s.alignment) != 0 {
		c.fail(ErrCorrupt, t.entry, "offset %d is not a multiple of the alignment %d", offset, s.alignment)
	}
	if offset > math.MaxInt64-uint64(c.size)-maxAlignment || size > math.MaxInt64-int64(offset)-int64(c.size)-maxAlignment {
		c.fail(ErrCorrupt, t.entry, "%d bytes at offset %d end beyond 2^63", size, offset)
	}
	t.Offset, t.Size = int64(offset), size
	return t
}

// shape reads the number of dimensions and the dimensions.
func (c *cursor) shape() []int {
	at := c.pos
	n := c.u32("number of dimensions")
	if n > maxDims {
		c.fail(ErrUnsupported, at, "%d dimensions are more than the limit of %d", n, maxDims)
	}
	if c.err != nil {
		return nil
	}
	if n == 0 {
		return []int{1}
	}
	shape := make([]int, n)
	for i := range shape {
		at := c.pos
		d := c.u64("dimension")
		if d > math.MaxInt {
			c.fail(ErrCorrupt, at, "dimension %d is %d, more than 2^63-1", i, d)
		}
		shape[i] = int(d)
	}
	return shape
}

// place turns the offsets into positions in the file and checks that the data is there and nothing overlaps.
func (s *shard) place(c *cursor) {
	begin := int64(alignUp(c.pos, s.alignment))
	s.begin = begin
	end, cut := begin, (*Tensor)(nil)
	for i := range s.tensors {
		t := &s.tensors[i]
		t.Offset += begin
		if t.Size == 0 {
			continue
		}
		if t.Offset+t.Size > s.size && cut == nil {
			cut = t
		}
		end = max(end, t.Offset+t.Size)
	}
	if cut != nil {
		c.fail(ErrCorrupt, int(s.size), "tensor %s: the file ends here, but its %d bytes of data begin at byte %d: with those of all tensors %d bytes missing (incomplete download? fetch it again)",
			quote(cut.Name), cut.Size, cut.Offset, end-s.size)
		return
	}
	s.checkOverlap(c)
	s.checkJoined(c, int(end))
}

// checkOverlap refuses tensors that share bytes.
func (s *shard) checkOverlap(c *cursor) {
	byOffset := make([]*Tensor, 0, len(s.tensors))
	for i := range s.tensors {
		if s.tensors[i].Size > 0 {
			byOffset = append(byOffset, &s.tensors[i])
		}
	}
	slices.SortStableFunc(byOffset, func(a, b *Tensor) int { return cmp.Compare(a.Offset, b.Offset) })
	for i := 1; i < len(byOffset); i++ {
		if a, b := byOffset[i-1], byOffset[i]; a.Offset+a.Size > b.Offset {
			c.fail(ErrCorrupt, b.entry, "tensor %s: its data begins at byte %d, inside the data of tensor %s, which is bytes %d to %d",
				quote(b.Name), b.Offset, quote(a.Name), a.Offset, a.Offset+a.Size)
			return
		}
	}
}

func alignUp(n, alignment int) int { return (n + alignment - 1) &^ (alignment - 1) }
