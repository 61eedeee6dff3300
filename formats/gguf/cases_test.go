package gguf

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/llamakit/llamakit/formats/quant"
)

// refusal is a file that must be refused: the kind of the error, and what its line must name.
type refusal struct {
	name string
	data []byte
	kind error
	want string // regular expression for what follows the file name
}

func keyFile(keys ...rawKey) []byte { return rawFile{keys: append([]rawKey{archKey}, keys...)}.build() }

func tensorFile(data int, tensors ...rawTensor) []byte {
	return rawFile{keys: []rawKey{archKey}, tensors: tensors, data: make([]byte, data)}.build()
}

// refusals are the broken files that people meet or attackers make. Cut files, and files with any one byte changed, are
// tested on top of these.
func refusals() []refusal {
	cut := func(b []byte, n int) []byte { return b[:len(b)-n] }
	long := strings.Repeat("k", 65536)
	deep := Uint32s(nil)
	for range maxDepth - 1 {
		deep = ArrayOf(TypeArray, []Value{deep})
	}
	tooDeep := rawArray(TypeArray, 1, deep.appendTo(nil)...)
	two := tensorFile(64, f32Tensor("a", 8, 0), f32Tensor("b", 8, 32))
	var sum []refusal
	add := func(name string, kind error, want string, data []byte) {
		sum = append(sum, refusal{name, data, kind, want})
	}

	// What is not GGUF, or not this GGUF.
	add("empty file", ErrCorrupt, `byte 0: the file is empty`, nil)
	add("three bytes", ErrCorrupt, `byte 0: not a GGUF file: it begins with "GGU"`, []byte("GGU"))
	add("control characters for magic", ErrCorrupt, `begins with "\\x1b\[2J"`, []byte("\x1b[2J0123"))
	add("LFS pointer", ErrNotFound, `Git LFS pointer.*git lfs pull`, []byte("version https://git-lfs.github.com/spec/v1\noid sha256:0\n"))
	add("HTML", ErrCorrupt, `HTML page`, []byte("<!DOCTYPE html><html></html>"))
	add("GGJT", ErrUnsupported, `GGJT`, []byte("tjgg\x03\x00\x00\x00"))
	add("zip", ErrUnsupported, `PyTorch`, []byte("PK\x03\x04aaaaaaaa"))
	add("safetensors", ErrUnsupported, `safetensors`, []byte("\x08\x00\x00\x00\x00\x00\x00\x00{}      "))
	add("magic only", ErrCorrupt, `byte 4: version of 4 bytes.*4 bytes missing`, []byte("GGUF"))
	add("version 0", ErrCorrupt, `byte 4: .*version 0`, append([]byte("GGUF"), make([]byte, 20)...))
	add("version 1", ErrUnsupported, `byte 4: GGUF version 1`, rawFile{version: 1}.build())
	add("version 4", ErrUnsupported, `byte 4: GGUF version 4 is newer`, rawFile{version: 4}.build())
	add("big-endian", ErrUnsupported, `byte 4: big-endian file`, rawFile{order: binary.BigEndian, keys: []rawKey{archKey}}.build())
	add("big-endian version 2", ErrUnsupported, `big-endian`, rawFile{order: binary.BigEndian, version: 2}.build())

	// Counts and lengths beyond the file.
	add("key length 2^64-1", ErrCorrupt, `byte 32: key 1 of 1: name of 18446744073709551615 bytes`, append(rawFile{nKeys: ptr(1)}.head(binary.LittleEndian), bytes.Repeat([]byte{255}, 30)...))
	add("key length past the end", ErrCorrupt, `key 1 of 1: name of 100 bytes.*88 bytes missing`, append(append(rawFile{nKeys: ptr(1)}.head(binary.LittleEndian), 100, 0, 0, 0, 0, 0, 0, 0), "0123456789ab"...))
	add("2^64-1 keys", ErrCorrupt, `byte 16: 18446744073709551615 keys cannot fit`, rawFile{keys: []rawKey{archKey}, nKeys: ptr(math.MaxUint64)}.build())
	add("2^40 tensors", ErrCorrupt, `byte 8: 1099511627776 tensors cannot fit`, rawFile{nTensors: ptr(1 << 40)}.build())
	add("one key too many", ErrCorrupt, `key 2 of 2: `, rawFile{keys: []rawKey{archKey}, nKeys: ptr(2)}.build())
	add("text length 2^63", ErrCorrupt, `key "k": text of 9223372036854775808 bytes`, keyFile(rawKey{"k", rawBytes(TypeString, 0, 0, 0, 0, 0, 0, 0, 0x80)}))
	for e := range numTypes {
		add("array of 2^63 "+e.String(), ErrCorrupt, `key "k": array of 9223372036854775808 `+e.String(), keyFile(rawKey{"k", rawArray(e, 1<<63, make([]byte, 64)...)}))
		add("array of 1000 "+e.String(), ErrCorrupt, `key "k": array of 1000 `+e.String(), keyFile(rawKey{"k", rawArray(e, 1000, make([]byte, 64)...)}))
	}
	add("last text of an array", ErrCorrupt, `key "k": text of 99 bytes`, keyFile(rawKey{"k", rawArray(TypeString, 2, append(String("a").appendTo(nil), 99, 0, 0, 0, 0, 0, 0, 0)...)}))
	add("65,537 keys", ErrUnsupported, `byte 16: 65537 keys are more than the limit`, append(rawFile{nKeys: ptr(65537)}.head(binary.LittleEndian), make([]byte, 1<<20)...))
	add("65,537 tensors", ErrUnsupported, `byte 8: 65537 tensors are more than the limit`, append(rawFile{nTensors: ptr(65537)}.head(binary.LittleEndian), make([]byte, 2<<20)...))

	// Keys.
	add("key type 13", ErrCorrupt, `key "k": value type is 13`, keyFile(rawKey{"k", rawBytes(13, 0)}))
	add("element type 99", ErrCorrupt, `key "k": element type is 99`, keyFile(rawKey{"k", rawArray(99, 0)}))
	add("nested element type 99", ErrCorrupt, `key "k": element type is 99`, keyFile(rawKey{"k", rawArray(TypeArray, 1, 99, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)}))
	add("arrays too deep", ErrUnsupported, `key "k": arrays nested more than 4 deep`, keyFile(rawKey{"k", tooDeep}))
	add("empty key", ErrCorrupt, `key 2 of 2: the name is empty`, keyFile(rawKey{"", rawU32(1)}))
	add("long key", ErrCorrupt, `key 2 of 2: a name of 65536 bytes`, keyFile(rawKey{long, rawU32(1)}))
	add("key twice", ErrCorrupt, `byte 84: key "k": is there twice, first at byte 69`, keyFile(rawKey{"k", rawBytes(TypeUint16, 1, 0)}, rawKey{"k", rawU32(2)}))
	add("key of control characters", ErrCorrupt, `key "\\x1b\]0;x\\x07\\u202e": value type is 77`, keyFile(rawKey{"\x1b]0;x\a\u202e", rawBytes(77, 0)}))

	// Alignment.
	for name, v := range map[string]rawValue{
		"u32 0": rawU32(0), "u32 24": rawU32(24), "i32 32": of(Int32(32)), "u64 32": of(Uint64(32)), "u32 2^31": rawU32(1 << 31),
		"u32 2^32-1": rawU32(math.MaxUint32), "text": rawStr("32"), "array": of(Uint32s([]uint32{32})), "f32 32": of(Float32(32)), "bool": of(Bool(true)),
	} {
		add("alignment "+name, ErrCorrupt, `byte 69: key "general.alignment": is .* must be a u32 that is a power of two`, keyFile(rawKey{alignmentKey, v}))
	}

	// Tensors: names, shapes, types.
	add("name of 64 bytes", ErrUnsupported, `tensor 1 of 1: a name of 64 bytes`, tensorFile(32, f32Tensor(strings.Repeat("t", 64), 8, 0)))
	add("name of 2^20 bytes", ErrUnsupported, `a name of 1048576 bytes`, tensorFile(32, f32Tensor(strings.Repeat("t", 1<<20), 8, 0)))
	add("tensor twice", ErrCorrupt, `byte 102: tensor "a": is there twice, first at byte 69`, tensorFile(64, f32Tensor("a", 8, 0), f32Tensor("a", 8, 32)))
	add("empty name twice", ErrCorrupt, `tensor "": is there twice`, tensorFile(64, f32Tensor("", 8, 0), f32Tensor("", 8, 32)))
	add("5 dimensions", ErrUnsupported, `tensor "a": 5 dimensions`, tensorFile(32, rawTensor{"a", []uint64{1, 1, 1, 1, 1}, 0, 0}))
	for name, dims := range map[string][]uint64{
		"2^63": {1 << 63}, "2^64-1": {math.MaxUint64}, "4 x 2^63": {4, 1 << 63}, "0 x 2^63": {0, 1 << 63},
	} {
		add("dimension "+name, ErrCorrupt, `tensor "a": dimension . is \d+, more than 2\^63-1`, tensorFile(32, rawTensor{"a", dims, 24, 0}))
	}
	add("I8 (2^63-1) x 2", ErrCorrupt, `tensor "a": shape \[9223372036854775807 2\] has more`, tensorFile(32, rawTensor{"a", []uint64{math.MaxInt64, 2}, uint32(quant.I8), 0}))
	add("I8 2^32 x 2^32", ErrCorrupt, `tensor "a": shape \[4294967296 4294967296\] has more`, tensorFile(32, rawTensor{"a", []uint64{1 << 32, 1 << 32}, uint32(quant.I8), 0}))
	add("I8 2^32 x 0 x 2^32", ErrCorrupt, `tensor "a": shape .* has more`, tensorFile(32, rawTensor{"a", []uint64{1 << 32, 0, 1 << 32}, uint32(quant.I8), 0}))
	add("I8 2^16 x 2^16 x 2^16 x 2^16", ErrCorrupt, `shape .* has more than 2\^63-1 elements`, tensorFile(32, rawTensor{"a", []uint64{1 << 16, 1 << 16, 1 << 16, 1 << 16}, uint32(quant.I8), 0}))
	add("F32 2^62", ErrCorrupt, `tensor "a": shape \[4611686018427387904\] of f32 has more than 2\^63-1 bytes`, tensorFile(32, rawTensor{"a", []uint64{1 << 62}, 0, 0}))
	add("Q8_0 2^62", ErrCorrupt, `tensor "a": .*63`, tensorFile(32, rawTensor{"a", []uint64{1 << 62, 1}, uint32(quant.Q8_0), 0}))
	for _, typ := range []uint32{4, 5, 31, 33, 36, 38} {
		add("removed type", ErrUnsupported, `tensor "a": type \d+ \(.*\) was removed`, tensorFile(32, rawTensor{"a", []uint64{8}, typ, 0}))
	}
	for _, typ := range []uint32{43, 99, 999, 1 << 31, math.MaxUint32} {
		add("unknown type", ErrUnsupported, `tensor "a": type \d+ is not known`, tensorFile(32, rawTensor{"a", []uint64{8}, typ, 0}))
	}
	for _, typ := range quant.Types() {
		if n := uint64(typ.BlockSize()); n > 1 {
			add("half a block of "+typ.String(), ErrCorrupt, `tensor "a": shape \[\d+ 2\]: rows of \d+ are not whole blocks of \d+, which `+typ.String(), tensorFile(4096, rawTensor{"a", []uint64{n + n/2, 2}, uint32(typ), 0}))
		}
	}
	add("Q4_0 with 33 columns", ErrCorrupt, `rows of 33 are not whole blocks of 32`, tensorFile(64, rawTensor{"a", []uint64{33}, uint32(quant.Q4_0), 0}))
	add("Q4_0 without dimensions", ErrCorrupt, `rows of 1 are not whole blocks of 32`, tensorFile(64, rawTensor{"a", nil, uint32(quant.Q4_0), 0}))

	// Tensors: place.
	add("misaligned", ErrCorrupt, `byte 69: tensor "a": offset 8 is not a multiple of the alignment 32`, tensorFile(64, f32Tensor("a", 8, 8)))
	add("misaligned for 64", ErrCorrupt, `offset 32 is not a multiple of the alignment 64`, rawFile{keys: []rawKey{{alignmentKey, rawU32(64)}}, tensors: []rawTensor{f32Tensor("a", 8, 32)}, data: make([]byte, 128), align: 64}.build())
	add("offset 2^63", ErrCorrupt, `tensor "a": 32 bytes at offset 9223372036854775808 end beyond`, tensorFile(64, f32Tensor("a", 8, 1<<63)))
	add("offset 2^64-32", ErrCorrupt, `end beyond 2\^63`, tensorFile(64, f32Tensor("a", 8, math.MaxUint64-31)))
	add("offset near 2^63", ErrCorrupt, `tensor "a"`, tensorFile(64, f32Tensor("a", 8, math.MaxInt64-31)))
	add("offset 2^40", ErrCorrupt, `byte 192: tensor "a": the file ends here.*bytes missing`, tensorFile(64, f32Tensor("a", 8, 1<<40)))
	add("no data", ErrCorrupt, `byte 128: tensor "a": .* 256 bytes of data begin at byte 128: .* 256 bytes missing`, tensorFile(0, f32Tensor("a", 64, 0)))
	add("16 of 256 bytes", ErrCorrupt, `tensor "a": .* 240 bytes missing`, tensorFile(16, f32Tensor("a", 64, 0)))
	add("last byte", ErrCorrupt, `tensor "b": .* 1 bytes missing`, cut(two, 1))
	add("overlap", ErrCorrupt, `byte 102: tensor "b": its data begins at byte 160, inside the data of tensor "a", which is bytes 160 to 224`, tensorFile(64, f32Tensor("a", 16, 0), f32Tensor("b", 8, 0)))
	add("overlap in reverse", ErrCorrupt, `tensor "a": .* inside the data of tensor "b"`, tensorFile(128, f32Tensor("a", 8, 32), f32Tensor("b", 16, 0)))
	add("data shared by two names", ErrCorrupt, `tensor "b": its data begins .* inside the data of tensor "a"`, tensorFile(64, f32Tensor("a", 8, 0), f32Tensor("b", 8, 0)))

	// Files joined.
	add("two files", ErrCorrupt, `byte 224: another GGUF file begins here`, append(bytes.Clone(two), two...))
	add("two files, unpadded", ErrCorrupt, `another GGUF file begins here`, append(tensorFile(20, f32Tensor("a", 5, 0)), two...))
	add("vocabularies joined", ErrCorrupt, `another GGUF file begins here`, append(keyFile(), keyFile()...))
	return sum
}

var oneLine = regexp.MustCompile(`^[^\x00-\x1f\x7f]+$`)

// TestRefusals wants of each broken file one printable line of the right kind, in under a second and 64 MiB.
func TestRefusals(t *testing.T) {
	for _, c := range refusals() {
		t.Run(c.name, func(t *testing.T) {
			start, before := time.Now(), allocated()
			f, err := Parse("bad.gguf", c.data)
			took, cost := time.Since(start), allocated()-before
			if err == nil {
				f.Close()
				t.Fatal("was accepted")
			}
			line, ok := strings.CutPrefix(err.Error(), "bad.gguf: ")
			if !ok || !oneLine.MatchString(line) || !regexp.MustCompile(`^byte \d+: `).MatchString(line) {
				t.Errorf("%q is not one line with file and byte", err)
			}
			if !regexp.MustCompile(c.want).MatchString(line) {
				t.Errorf("%q does not match %s", line, c.want)
			}
			if !errors.Is(err, c.kind) {
				t.Errorf("%v is not %v", err, c.kind)
			}
			if cost > 16<<20 || took > patience {
				t.Errorf("refusing took %v and %d bytes", took, cost)
			}
		})
	}
}

// TestRefusalsFromFile goes through Open for a few of them, which must leave no mapping behind.
func TestRefusalsFromFile(t *testing.T) {
	for _, c := range refusals()[:20] {
		path := store(t, "bad.gguf", c.data)
		if _, err := Open(path); err == nil || !errors.Is(err, c.kind) || !strings.Contains(err.Error(), path+": byte ") {
			t.Errorf("%s: Open: %v", c.name, err)
		}
	}
}

// TestCut cuts a file with every kind of field at every byte. Only the padding at the end may be missing.
func TestCut(t *testing.T) {
	whole := sampleBytes(t)
	f, err := Parse("whole", whole)
	if err != nil {
		t.Fatal(err)
	}
	last := f.Tensors[len(f.Tensors)-1]
	for n := range whole {
		_, err := Parse("cut.gguf", whole[:n:n])
		if wantErr := int64(n) < last.Offset+last.Size; (err != nil) != wantErr {
			t.Fatalf("cut to %d of %d bytes: error %v", n, len(whole), err)
		}
		if err != nil && !errors.Is(err, ErrCorrupt) {
			t.Fatalf("cut to %d bytes: %v is not %v", n, err, ErrCorrupt)
		}
	}
}

// TestChanged gives every byte of a file other values. Whatever is accepted must be readable to the end.
func TestChanged(t *testing.T) {
	whole := sampleBytes(t)
	for i := range whole {
		for _, x := range []byte{0x01, 0x80, 0xff, 0x20} {
			b := bytes.Clone(whole)
			b[i] ^= x
			if f, err := Parse("changed.gguf", b); err == nil {
				readAll(f)
			} else if !oneLine.MatchString(err.Error()) {
				t.Fatalf("byte %d: %q is not one line", i, err)
			}
		}
	}
}

// readAll touches everything in a file.
func readAll(f *File) (n int) {
	for _, v := range f.Metadata.All() {
		n += len(v.appendTo(nil))
		_ = v.Any()
		v.StrSlice()
		v.IntSlice()
		v.FloatSlice()
		v.BoolSlice()
	}
	for i := range f.Tensors {
		for _, b := range f.Bytes(&f.Tensors[i]) {
			n += int(b)
		}
		n += f.Tensors[i].Elements()
	}
	return n
}

// allocated is the number of bytes that were ever allocated.
func allocated() uint64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.TotalAlloc
}

// TestAccepted is for the choices where llama.cpp accepts a file that looks odd.
func TestAccepted(t *testing.T) {
	for _, c := range []struct {
		name  string
		data  []byte
		check func(f *File) bool
	}{
		{"nothing at all", rawFile{}.build(), func(f *File) bool { return f.Metadata.Len() == 0 && len(f.Tensors) == 0 }},
		{"header without padding", rawFile{}.build()[:24], func(f *File) bool { return f.Alignment == 32 }},
		{"version 2", rawFile{version: 2, keys: []rawKey{archKey}}.build(), func(f *File) bool { return f.Version == 2 }},
		{"dimension 0", tensorFile(0, rawTensor{"a", []uint64{4, 0}, 0, 0}), func(f *File) bool {
			return f.Tensors[0].Size == 0 && f.Tensors[0].Elements() == 0 && len(f.Bytes(&f.Tensors[0])) == 0
		}},
		{"rows of 0 in blocks", tensorFile(0, rawTensor{"a", []uint64{0, 7}, uint32(quant.Q4_K), 0}), func(f *File) bool { return f.Tensors[0].Size == 0 }},
		{"two empty tensors at one place", tensorFile(32, rawTensor{"a", []uint64{0}, 0, 0}, rawTensor{"b", []uint64{0}, 0, 0}, f32Tensor("c", 8, 0)), func(f *File) bool { return len(f.Tensors) == 3 }},
		{"no dimensions", tensorFile(4, rawTensor{"a", nil, 0, 0}), func(f *File) bool {
			return f.Tensors[0].Size == 4 && f.Tensors[0].Dim(0) == 1 && f.Tensors[0].Dim(3) == 1
		}},
		{"empty tensor name", tensorFile(32, f32Tensor("", 8, 0)), func(f *File) bool { _, ok := f.Tensor(""); return ok }},
		{"name of 63 bytes", tensorFile(32, f32Tensor(strings.Repeat("t", 63), 8, 0)), func(f *File) bool { return len(f.Tensors[0].Name) == 63 }},
		{"bool 7", keyFile(rawKey{"k", rawBytes(TypeBool, 7)}), func(f *File) bool { v, _ := f.Metadata.Get("k"); return v == Bool(true) }},
		{"bools 0 7", keyFile(rawKey{"k", rawArray(TypeBool, 2, 0, 7)}), func(f *File) bool {
			v, _ := f.Metadata.Get("k")
			b, ok := v.BoolSlice()
			return ok && !b[0] && b[1]
		}},
		{"empty array", keyFile(rawKey{"k", rawArray(TypeString, 0)}), func(f *File) bool {
			v, _ := f.Metadata.Get("k")
			s, ok := v.StrSlice()
			return ok && len(s) == 0 && v.Elem() == TypeString
		}},
		{"tensors in reverse, with a gap", tensorFile(128, f32Tensor("a", 8, 96), f32Tensor("b", 8, 0)), func(f *File) bool {
			return f.Tensors[0].Offset-f.Tensors[1].Offset == 96
		}},
		{"bytes after the data", tensorFile(100, f32Tensor("a", 8, 0)), func(f *File) bool { return f.Tensors[0].Size == 32 }},
		{"alignment 1", rawFile{keys: []rawKey{{alignmentKey, rawU32(1)}}, tensors: []rawTensor{f32Tensor("a", 1, 0), f32Tensor("b", 1, 4)}, data: make([]byte, 8), align: 1}.build(), func(f *File) bool {
			return f.Alignment == 1 && f.Tensors[1].Offset == f.Tensors[0].Offset+4
		}},
		{"alignment 2^21 without tensors", keyFile(rawKey{alignmentKey, rawU32(1 << 21)}), func(f *File) bool { return f.Alignment == 1<<21 }},
		{"key that is no UTF-8", keyFile(rawKey{"k\xff", rawU32(1)}), func(f *File) bool { _, ok := f.Metadata.Get("k\xff"); return ok }},
		{"absurd layer count", keyFile(rawKey{"llama.block_count", rawU32(math.MaxUint32)}), func(f *File) bool {
			r := f.Metadata.Reader("llama")
			return r.IntIn("block_count", 1, 4096) == 0 && errors.Is(r.Err(), ErrCorrupt)
		}},
	} {
		f, err := Parse(c.name, c.data)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if readAll(f); !c.check(f) {
			t.Errorf("%s: read as %v, %v", c.name, f.Metadata.Keys(), f.Tensors)
		}
	}
}
