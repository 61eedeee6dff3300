package vocab

import (
	"encoding/binary"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/llamakit/llamakit/formats/gguf"
)

// tinyT5 is a unigram vocabulary of letters and a few pieces, with the map of characters written.
func tinyT5(prefix, merge bool) *gguf.Metadata {
	tokens, types := []string{"<pad>", "</s>", "<unk>", "▁"}, []int32{3, 3, 2, 1}
	add := func(k Kind, texts ...string) {
		for _, s := range texts {
			tokens, types = append(tokens, s), append(types, int32(k))
		}
	}
	for c := rune('!'); c <= '~'; c++ {
		add(Normal, string(c))
	}
	add(Normal, "▁the", "the", "▁th", "he", "▁hello", "hell", "lo", "▁He", "ing", "▁▁", "日", "日本", "é", "▁12", "12", "123", "fi", "привет", "▁п", "...", "’s", "🦙", "ﬁ")
	add(UserDefined, "<x>", "camel")
	add(Unused, "zz", "Case")
	add(Control, "<|im_start|>", "<|im_end|>")
	r := rand.New(rand.NewPCG(1, 2))
	scores := make([]float32, len(tokens))
	for i := range scores {
		scores[i] = -float32(r.Float64()*4+2) * float32(1+len([]rune(tokens[i]))) / 2
	}
	md := metadata("t5", tokens, types)
	md.Set("tokenizer.ggml.scores", gguf.Float32s(scores))
	md.Set("tokenizer.ggml.precompiled_charsmap", gguf.Uint8s(buildCharsMap(charsWritten)))
	md.Set("tokenizer.ggml.add_space_prefix", gguf.Bool(prefix))
	md.Set("tokenizer.ggml.remove_extra_whitespaces", gguf.Bool(merge))
	return md
}

// charsWritten are some of the replacements of NFKC, and ones that begin alike.
var charsWritten = map[string]string{"\t": " ", "\n": " ", "\r": "", "\u00a0": " ", "\u3000": " ", "\u2003": " ", "ﬁ": "fi", "①": "1", "１": "1", "２": "2",
	"３": "3", "½": "1/2", "…": "...", "e\u0301": "é", "e\u0301\u0301": "É", "\u200b": "", "Ａ": "A", "™": "TM", "²": "2", "\ufeff": "", "ﬂ": "fl"}

// buildCharsMap packs a map as SentencePiece does.
func buildCharsMap(replace map[string]string) []byte {
	var texts []byte
	at := map[string]uint32{}
	children := map[string][]byte{} // of each beginning of a key
	for from, to := range replace {
		at[from] = uint32(len(texts))
		texts = append(append(texts, to...), 0)
		for i := range len(from) {
			if c := children[from[:i]]; !slices.Contains(c, from[i]) {
				children[from[:i]] = append(c, from[i])
			}
		}
	}
	units := make([]uint32, 1<<14)
	used := map[uint32]bool{0: true}
	var place func(key string, pos uint32)
	place = func(key string, pos uint32) {
		labels := slices.Clone(children[key])
		value, ends := at[key]
		if ends {
			labels = append(labels, 0)
		}
		offset := uint32(1)
		for slices.ContainsFunc(labels, func(c byte) bool { return used[pos^offset^uint32(c)] }) {
			offset++
		}
		units[pos] |= offset << 10
		for _, c := range labels {
			used[pos^offset^uint32(c)] = true
		}
		if ends {
			units[pos] |= 1 << 8
			units[pos^offset] = value | 1<<31
		}
		for _, c := range children[key] {
			units[pos^offset^uint32(c)] = uint32(c)
			place(key+string([]byte{c}), pos^offset^uint32(c))
		}
	}
	place("", 0)
	size := slices.Max(slices.Collect(maps.Keys(used)))/256*256 + 256
	units = units[:size]
	out := binary.LittleEndian.AppendUint32(nil, 4*size)
	for _, u := range units {
		out = binary.LittleEndian.AppendUint32(out, u)
	}
	return append(out, texts...)
}

func TestCharsMap(t *testing.T) {
	m, err := newCharsMap(buildCharsMap(charsWritten))
	if err != nil {
		t.Fatal(err)
	}
	for from, want := range charsWritten {
		if to, n := m.replace(from + "x"); string(to) != want || n != len(from) {
			t.Errorf("%q becomes %q of %d bytes, want %q", from, to, n, want)
		}
	}
	for _, s := range []string{"", "x", "e", "\xef", "e\u0300"} {
		if to, n := m.replace(s); n != 0 {
			t.Errorf("%q becomes %q", s, to)
		}
	}
	for _, data := range [][]byte{{}, {1, 2}, {0, 0, 0, 0}, {8, 0, 0, 0, 1, 2, 3, 4}, {3, 0, 0, 0, 1, 2, 3}} {
		if _, err := newCharsMap(data); err == nil {
			t.Errorf("%v: accepted", data)
		}
	}
}

// FuzzCharsMap: no map and no text leads out of the array.
func FuzzCharsMap(f *testing.F) {
	f.Add(buildCharsMap(map[string]string{"a": "b", "ab": "", "é": "e"}), "abé")
	f.Add([]byte{8, 0, 0, 0, 0, 0xff, 0xff, 0xff, 0x61, 1, 0xff, 0xff, 0}, "aa")
	f.Fuzz(func(t *testing.T, data []byte, text string) {
		m, err := newCharsMap(data)
		if err != nil {
			return
		}
		for i := range len(text) {
			if _, n := m.replace(text[i:]); n > len(text)-i {
				t.Errorf("%d bytes of %q replaced", n, text[i:])
			}
		}
	})
}

// TestPrefixes compares with a look at each entry.
func TestPrefixes(t *testing.T) {
	v := mustNew(t, tinyT5(true, true))
	p := newPrefixes(v, func(w *word) (string, bool) { return w.text, true })
	for _, s := range []string{"the", "them", "▁hello", "▁▁▁", "123456", "日本語", "é", "", "\xff", "<|im_end|>"} {
		var got, want []int
		p.each(s, func(tok Token, n int) {
			if v.Text(tok) != s[:n] {
				t.Errorf("%q: token %q of %d bytes", s, v.Text(tok), n)
			}
			got = append(got, n)
		})
		for n := range len(s) {
			if _, ok := v.ids[s[:n+1]]; ok {
				want = append(want, n+1)
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("%q: entries of %v bytes, want %v", s, got, want)
		}
	}
}

// TestUnigramUnknown: unknown characters in a row are one token.
func TestUnigramUnknown(t *testing.T) {
	v := mustNew(t, tinyT5(true, true))
	wantTexts(t, v, "漢字の", EncodeOptions{AddSpecial: true}, "▁", "<unk>", "</s>")
	if got := v.Decode(v.Encode("the hello", EncodeOptions{}), false); got != "the hello" {
		t.Errorf("%q", got)
	}
}

// tinyRWKV has all bytes, spelled in the ways that its files do, and a few words.
func tinyRWKV() *gguf.Metadata {
	tokens, types := []string{"<s>"}, []int32{3}
	for b := range 256 {
		tokens = append(tokens, pythonByte(byte(b)))
	}
	tokens = append(tokens, `\n\n`, `\t\t`, "the", " the", "hello", "hell", "12", "123", "日", "日本", `\\n`, `it\'s`, "  ", "...", `\xe6\x97`)
	for len(types) < len(tokens) {
		types = append(types, int32(Normal))
	}
	return metadata("rwkv", tokens, types)
}

func pythonByte(b byte) string {
	switch {
	case b == '\t':
		return `\t`
	case b == '\n':
		return `\n`
	case b == '\r':
		return `\r`
	case b == '\\' || b == '\'':
		return `\` + string(rune(b))
	case b >= ' ' && b < 127:
		return string(rune(b))
	}
	return `\x` + strings.ToLower(byteName(b)[3:5])
}

func TestRWKVSpellsEverything(t *testing.T) {
	v := mustNew(t, tinyRWKV())
	r := rand.New(rand.NewPCG(3, 4))
	for range 200 {
		text := randomText(r, 20, nil)
		if got := v.Decode(v.Encode(text, EncodeOptions{}), true); got != text {
			t.Errorf("%q comes back as %q", text, got)
		}
	}
}

// tinyPLaMo has byte tokens, and entries whose scores differ by less and by more than the rounding.
func tinyPLaMo() *gguf.Metadata {
	tokens, types := []string{"<|plamo:unk|>", "<|plamo:bos|>", "<|plamo:eos|>", "<|plamo:pad|>"}, []int32{2, 3, 3, 3}
	for b := range 256 {
		tokens, types = append(tokens, byteName(byte(b))), append(types, int32(Byte))
	}
	for c := rune(' '); c <= '~'; c++ {
		tokens = append(tokens, string(c))
	}
	tokens = append(tokens, "the", " the", "th", "he", "hello", "hell", "lo", " he", "12", "123", "日", "日本", "本語", "é", "...", "  ", "    ", "\n\n", "🦙")
	r := rand.New(rand.NewPCG(5, 6))
	scores := make([]float32, len(tokens))
	for i := range scores {
		if scores[i] = -float32(r.IntN(40)) / 4; i >= len(types) {
			types = append(types, int32(Normal))
		}
	}
	clear(scores[:4])
	md := metadata("plamo2", tokens, types)
	md.Set("tokenizer.ggml.scores", gguf.Float32s(scores))
	return md
}
