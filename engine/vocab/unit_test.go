package vocab

import (
	"hash/crc32"
	"math/rand/v2"
	"slices"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/llamakit/llamakit/formats/gguf"
)

func metadataModel(s string) gguf.Value { return gguf.String(s) }
func metadataID(id uint32) gguf.Value   { return gguf.Uint32(id) }

// TestClasses pins the class of every code point to llama.cpp's table (Unicode 15.1). If it fails after an upgrade of Go,
// Go's tables moved, and unicode.go must list what did.
func TestClasses(t *testing.T) {
	table := classTable()
	b := make([]byte, len(table))
	for i, c := range table {
		b[i] = byte(c)
	}
	if sum := crc32.ChecksumIEEE(b); sum != 0xe05105b9 {
		t.Errorf("checksum of the classes is %#x; Go's Unicode is %s", sum, unicode.Version)
	}
	for r, want := range map[rune]class{'a': letter, '9': number, '½': number, '\u0301': mark, '~': symbol, '_': punct,
		'\u0085': space, '\u3000': space, '\u200b': other, '\u0378': other, 0x2ebf0: letter, 0x31ef: symbol} {
		if table[r] != want {
			t.Errorf("class of %U is %b, want %b", r, table[r], want)
		}
	}
}

// TestDecodeRune compares with Go's decoder, which differs in surrogates only.
func TestDecodeRune(t *testing.T) {
	r := rand.New(rand.NewPCG(18, 19))
	for range 20000 {
		s := randomText(r, 3, broken)
		for i := range len(s) {
			got, n := decodeRune(s[i:])
			want, m := utf8.DecodeRuneInString(s[i:])
			if got >= 0xd800 && got <= 0xdfff {
				want, m = got, 3
			}
			if got != want || n != m {
				t.Fatalf("decodeRune(%q) = %U, %d, want %U, %d", s[i:], got, n, want, m)
			}
			if back := string(appendRune(nil, got)); got != utf8.RuneError && back != s[i:i+n] {
				t.Fatalf("%q is encoded as %q", s[i:i+n], back)
			}
		}
	}
}

// TestMergesAgree: the two ways of applying merges give the same, for words short enough for both.
func TestMergesAgree(t *testing.T) {
	r := rand.New(rand.NewPCG(20, 21))
	var q queue
	for range 3000 {
		table := newMergeTable(40)
		for rank := range 40 {
			a, b := int32(r.IntN(12)), int32(r.IntN(12))
			table.add(a, b, merge{rank: int32(rank / 2), result: int32(r.IntN(20))})
		}
		nodes := make([]node, r.IntN(shortWord+1))
		for i := range nodes {
			nodes[i] = node{symbol: int32(r.IntN(4)) - 1, from: int32(i), to: int32(i + 1)}
			nodes[i].symbol = max(nodes[i].symbol, -1)
		}
		short := table.applyShort(slices.Clone(nodes))
		long := table.applyLong(slices.Clone(nodes), &q)
		same := slices.EqualFunc(short, long, func(a, b node) bool { return a.symbol == b.symbol && a.from == b.from && a.to == b.to })
		if !same {
			t.Fatalf("%v: one way %v, the other %v", nodes, short, long)
		}
	}
}

func TestQueueSorts(t *testing.T) {
	r := rand.New(rand.NewPCG(22, 23))
	for n := range 200 {
		var q queue
		var want, got []uint64
		for range n {
			k := uint64(r.IntN(50))
			want = append(want, k)
			q.push(candidate{key: k})
		}
		for len(q) > 0 {
			got = append(got, q.pop().key)
		}
		slices.Sort(want)
		if !slices.Equal(got, want) {
			t.Fatalf("%v came out as %v", want, got)
		}
	}
}

func TestDescending(t *testing.T) {
	scores := []float32{1e30, 5, 1, 0.5, 1e-40, 0, -1e-40, -0.5, -1, -1e30}
	for i := 1; i < len(scores); i++ {
		if descending(scores[i-1]) >= descending(scores[i]) {
			t.Errorf("%g does not come before %g", scores[i-1], scores[i])
		}
	}
	negativeZero := float32(0)
	negativeZero = -negativeZero
	if descending(negativeZero) != descending(0) {
		t.Error("0 and -0 differ")
	}
}

func TestByteNames(t *testing.T) {
	for i := range 256 {
		if b, ok := nameByte(byteName(byte(i))); !ok || b != byte(i) {
			t.Errorf("%s is read as %d, %v", byteName(byte(i)), b, ok)
		}
		if got := appendBytes(nil, byteSpelling(byte(i))); len(got) != 1 || got[0] != byte(i) {
			t.Errorf("%q spells %v, want %d", byteSpelling(byte(i)), got, i)
		}
	}
	if b, ok := nameByte("<0xfe>"); !ok || b != 0xfe {
		t.Error("lower case digits are not read")
	}
	for _, s := range []string{"", "<0x0>", "<0x0AB>", "<0xGG>", "0x0A", "<0x+1>", "<0x0A)"} {
		if _, ok := nameByte(s); ok {
			t.Errorf("%q is read as a byte", s)
		}
	}
	if got := string(appendBytes(nil, "Ġa日 ")); got != " a日 " {
		t.Errorf("characters outside the alphabet: %q", got)
	}
}
