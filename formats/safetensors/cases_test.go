package safetensors

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"time"
)

// file is a file with this header, as it is, and n bytes of data.
func file(header string, n int) []byte {
	b := binary.LittleEndian.AppendUint64(nil, uint64(len(header)))
	return append(append(b, header...), make([]byte, n)...)
}

// entry is the header entry of a tensor.
func entry(name, dtype, shape string, begin, end int) string {
	return fmt.Sprintf(`"%s":{"dtype":"%s","shape":%s,"data_offsets":[%d,%d]}`, name, dtype, shape, begin, end)
}

// entries is a file with these entries and n bytes of data.
func entries(n int, list ...string) []byte { return file("{"+strings.Join(list, ",")+"}", n) }

type refusal struct {
	name string
	data []byte
	kind error
	want string // regular expression for what follows the file name
}

// refusals are the broken files that people meet or attackers make; cut files and files with any one byte changed are
// tested on top of these.
func refusals() []refusal {
	a := entry("a", "F32", "[2]", 0, 8)
	var all []refusal
	add := func(name string, kind error, want string, data []byte) {
		all = append(all, refusal{name, data, kind, want})
	}

	add("empty", ErrCorrupt, `byte 0: a file of 0 bytes has no header`, nil)
	add("7 bytes", ErrCorrupt, `a file of 7 bytes`, []byte("1234567"))
	add("LFS pointer", ErrUnsupported, `Git LFS pointer`, []byte("version https://git-lfs.github.com/spec/v1\n"))
	add("GGUF", ErrUnsupported, `GGUF`, []byte("GGUF\x03\x00\x00\x00\x00\x00\x00\x00"))
	add("zip", ErrUnsupported, `PyTorch`, []byte("PK\x03\x04aaaaaaaaaaa"))
	add("header of 2^64-1", ErrCorrupt, `byte 0: a header of 18446744073709551615 bytes`, bytes.Repeat([]byte{255}, 20))
	add("header of 100,000,001", ErrCorrupt, `longer than the limit`, binary.LittleEndian.AppendUint64(nil, 100_000_001))
	add("header cut", ErrCorrupt, `byte 0: .* 12 bytes missing`, binary.LittleEndian.AppendUint64(nil, 12))
	add("header of 0", ErrCorrupt, `byte 8: the header does not begin`, file("", 8))
	add("a list", ErrCorrupt, `byte 8: the header does not begin`, file("[]", 0))
	add("a space first", ErrCorrupt, `byte 8: the header does not begin`, file(" {}", 0))
	add("not UTF-8", ErrCorrupt, `byte 8: the header is not UTF-8`, file("{\"\xff\":{}}", 0))
	add("something behind", ErrCorrupt, `byte 10: the header goes on`, file("{}x", 0))
	for _, json := range []string{`{`, `{"`, `{"a`, `{"a"`, `{"a":`, `{"a":{`, `{"a":{}`, `{"a":{},}`, `{,}`, `{"a" {}}`, `{a:{}}`, `{"a":{}]`, `{"a":[]}`, `{"a":1}`, `{"a":null}`,
		`{"a\`, `{"a\u12":{}}`, "{\"a\n\":{}}", `{"a":{"x":}}`, `{"a":{"x":tru}}`, `{"a":{"x":01}}`, `{"a":{"x":[1,]}}`, `{"a":{"x":"}}`} {
		add("JSON "+json, ErrCorrupt, `byte \d+: `, file(json, 0))
	}
	deep := strings.Repeat("[", 5000)
	add("deep nesting", ErrUnsupported, `JSON nested more than 64 deep`, file(`{"a":{"x":`+deep+`}}`, 0))
	add("long name", ErrUnsupported, `a text of 70000 bytes`, file(`{"`+strings.Repeat("n", 70000)+`":{}}`, 0))

	add("name twice", ErrCorrupt, `byte 62: tensor "a" is there twice, first at byte 9`, entries(16, a, entry("a", "F32", "[2]", 8, 16)))
	add("name twice, escaped", ErrCorrupt, `tensor "a" is there twice`, entries(16, a, entry(`\u0061`, "F32", "[2]", 8, 16)))
	add("metadata of a number", ErrCorrupt, `byte 36: `, file(`{"__metadata__":{"k":       1}}`, 0))
	add("metadata twice", ErrCorrupt, `"__metadata__" is there twice`, file(`{"__metadata__":{},"__metadata__":{}}`, 0))
	add("metadata key twice", ErrCorrupt, `key "k" is there twice`, file(`{"__metadata__":{"k":"1","k":"2"}}`, 0))
	for _, fields := range []string{
		``, `"dtype":"F32"`, `"dtype":"F32","shape":[2]`, `"dtype":"F32","data_offsets":[0,8]`, `"shape":[2],"data_offsets":[0,8]`,
		`"dtype":"F32","shape":[2],"data_offsets":[]`, `"dtype":"F32","shape":[2],"data_offsets":[0]`,
	} {
		add("fields "+fields, ErrCorrupt, `byte 9: tensor "a": dtype, shape and two data_offsets are needed`, file(`{"a":{`+fields+`}}`, 8))
	}
	add("three offsets", ErrUnsupported, `a list of more than 2`, file(`{"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8,8]}}`, 8))
	add("33 dimensions", ErrUnsupported, `a list of more than 32`, entries(4, entry("a", "F32", "[1"+strings.Repeat(",1", 32)+"]", 0, 4)))
	add("field twice", ErrCorrupt, `tensor "a": a field is there twice`, file(`{"a":{"dtype":"F32","dtype":"F32","shape":[2],"data_offsets":[0,8]}}`, 8))
	for _, dtype := range []string{"", "f32", "F7", "Q4_0", `\u001b[2J`} {
		add("dtype "+dtype, ErrUnsupported, `byte 9: tensor "a": dtype ".*" is not known`, entries(8, entry("a", dtype, "[2]", 0, 8)))
	}
	for _, shape := range []string{"[-1]", "[1.0]", "[1e3]", "[01]", `["1"]`, "[9223372036854775808]", "[18446744073709551616]", "[00000000000000000000000001]", "[null]", "[ ]x", "2"} {
		add("shape "+shape, ErrCorrupt, `byte \d+: `, entries(8, entry("a", "F32", shape, 0, 8)))
	}
	for _, shape := range []string{"[]", "[1]", "[3]", "[0]", "[2,0]", "[4294967296,4294967296]", "[9223372036854775807,2]", "[4294967296,0,4294967296]", "[4611686018427387904]", "[2147483648,2147483648,2]"} {
		add("size of "+shape, ErrCorrupt, `byte 9: tensor "a": 8 bytes of data cannot be shape`, entries(8, entry("a", "F32", shape, 0, 8)))
	}
	add("half a byte", ErrCorrupt, `cannot be shape \[3\] of F4`, entries(2, entry("a", "F4", "[3]", 0, 2)))
	add("end before begin", ErrCorrupt, `byte 9: tensor "a": its data ends at 0, before it begins at 8`, entries(8, entry("a", "F32", "[2]", 8, 0)))

	add("cut", ErrCorrupt, `byte 69: tensor "a": the file ends here, but its data ends 1 bytes later; .* 1 bytes missing`, entries(7, a))
	add("no data", ErrCorrupt, `8 bytes missing`, entries(0, a))
	add("two cut", ErrCorrupt, `tensor "a": .* ends 4 bytes later; .* 12 bytes missing`, entries(4, a, entry("b", "F32", "[2]", 8, 16)))
	add("far away", ErrCorrupt, `bytes missing`, entries(8, entry("a", "U8", "[1152921504606846974]", 1, 1152921504606846975)))
	add("rest", ErrCorrupt, `byte 70: 1 bytes follow`, entries(9, a))
	add("rest without tensors", ErrCorrupt, `byte 10: 5 bytes follow`, file("{}", 5))
	add("gap", ErrCorrupt, `tensor "b": its data begins at 12, behind a gap of 4 bytes`, entries(20, a, entry("b", "F32", "[2]", 12, 20)))
	add("gap at the beginning", ErrCorrupt, `tensor "a": its data begins at 4, behind a gap`, entries(12, entry("a", "F32", "[2]", 4, 12)))
	add("overlap", ErrCorrupt, `tensor "b": its data begins at 4, inside the data of tensor "a"`, entries(12, a, entry("b", "F32", "[2]", 4, 12)))
	add("shared with another shape", ErrCorrupt, `tensor "b": its data begins at 0, inside`, entries(8, a, entry("b", "F32", "[1,2]", 0, 8)))
	add("shared with another type", ErrCorrupt, `inside the data of tensor`, entries(8, a, entry("b", "I32", "[2]", 0, 8)))
	add("empty inside another", ErrCorrupt, `tensor "b": its data begins at 4, inside`, entries(8, a, entry("b", "F32", "[0]", 4, 4)))
	add("controls in a name", ErrCorrupt, `tensor "\\x1b\]0;x\\x07\\u202e": `, entries(8, entry("\\u001b]0;x\\u0007\\u202e", "F32", "[3]", 0, 8)))
	return all
}

var oneLine = regexp.MustCompile(`^[^\x00-\x1f\x7f]+$`)

func TestRefusals(t *testing.T) {
	for _, c := range refusals() {
		t.Run(c.name, func(t *testing.T) {
			start, before := time.Now(), allocated()
			f, err := Parse("bad.safetensors", c.data)
			took, cost := time.Since(start), allocated()-before
			if err == nil {
				f.Close()
				t.Fatal("was accepted")
			}
			line, ok := strings.CutPrefix(err.Error(), "bad.safetensors: ")
			if !ok || !oneLine.MatchString(line) || !regexp.MustCompile(`^byte \d+: `).MatchString(line) {
				t.Errorf("%q is not one line with file and byte", err)
			}
			if !regexp.MustCompile(c.want).MatchString(line) {
				t.Errorf("%q does not match %s", line, c.want)
			}
			if !errors.Is(err, c.kind) {
				t.Errorf("%v is not %v", err, c.kind)
			}
			if cost > 4<<20 || took > patience {
				t.Errorf("refusing took %v and %d bytes", took, cost)
			}
		})
	}
}

// allocated is the number of bytes that were ever allocated.
func allocated() uint64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.TotalAlloc
}

// patience is several times what the slowest refusal takes on an idle core: the machine may be busy.
const patience = 30 * time.Second

// TestLateRefusal measures files that are as expensive as they can be and are refused at their last entry.
func TestLateRefusal(t *testing.T) {
	repeat := func(n int, format string) string {
		var b strings.Builder
		b.WriteByte('{')
		for i := range n {
			fmt.Fprintf(&b, format+",", i)
		}
		return b.String()
	}
	tensors := repeat(maxTensors, `"model.layers.%d.self_attn.q_proj.weight":{"dtype":"F32","shape":[1,0],"data_offsets":[0,0]}`)
	for name, data := range map[string][]byte{
		"tensors":  file(tensors+`"a":{}}`, 0),
		"metadata": file(`{"__metadata__":`+repeat(maxMetadata+1, `"a rather long key %d":"value"`)+`"":""}}`, 0),
		"skipped":  file(`{"a":{"x":[`+strings.Repeat(`{"y":[[]]},`, 2_000_000)+`]}}`, 0),
		"spaces":   file(`{`+strings.Repeat(" ", 50_000_000)+`"a"}`, 0),
		"long":     file(`{"`+strings.Repeat("a", 50_000_000), 0),
	} {
		start, before := time.Now(), allocated()
		_, err := Parse(name, data)
		if cost, took := allocated()-before, time.Since(start); err == nil || cost > 100<<20 || took > patience {
			t.Errorf("%s: %d MiB of file cost %d MiB and %v: %v", name, len(data)>>20, cost>>20, took, err)
		}
	}
}

// TestCut cuts a file at every byte.
func TestCut(t *testing.T) {
	whole := written(t, sample(), map[string]string{"format": "pt"})
	for n := range whole {
		if _, err := Parse("cut", whole[:n:n]); !errors.Is(err, ErrCorrupt) {
			t.Fatalf("cut to %d of %d bytes: %v", n, len(whole), err)
		}
	}
}

// TestChanged gives every byte of a file other values. Whatever is accepted must be readable to the end.
func TestChanged(t *testing.T) {
	whole := written(t, sample(), map[string]string{"format": "pt"})
	for i := range whole {
		for _, x := range []byte{0x01, 0x80, 0xff, 0x20, 0x12} {
			b := bytes.Clone(whole)
			b[i] ^= x
			if f, err := Parse("changed", b); err == nil {
				readAll(f)
			} else if !oneLine.MatchString(err.Error()) {
				t.Fatalf("byte %d: %q is not one line", i, err)
			}
		}
	}
}

// readAll touches everything in a file.
func readAll(f *File) {
	for i := range f.Tensors() {
		t := &f.Tensors()[i]
		if int64(len(f.Bytes(t))) != t.Size {
			panic("size of the data")
		}
		if t.Size > 0 && t.Elements() < 1<<20 {
			f.Floats(t, make([]float32, t.Elements()))
		}
	}
}
