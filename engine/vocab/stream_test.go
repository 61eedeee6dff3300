package vocab

import (
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"
)

// pushAll returns what a stream makes of the bytes, one token a byte.
func pushAll(t *testing.T, bytes string) []string {
	t.Helper()
	v := mustNew(t, tinySPM())
	s := v.NewStream(false)
	var out []string
	for _, b := range []byte(bytes) {
		out = append(out, s.Push(must(v.Lookup(byteName(b)))))
	}
	return append(out, s.Flush())
}

func TestStream(t *testing.T) {
	for _, c := range []struct{ bytes, want string }{
		{"ab", "a|b|"},
		{"é", "|é|"},
		{"🦙", "|||🦙|"},
		{"日\n", "||日|\n|"},
		{"\xf0\x9f", "||\ufffd"},            // cut short: one replacement
		{"\xf0\x9fa", "||\ufffda|"},         // broken off by a letter
		{"\xf0\x9f\xc3\xa9", "||\ufffd|é|"}, // or by another character
		{"\x80", "\ufffd|"},
		{"\xff\xfe", "\ufffd|\ufffd|"},
		{"\xc0\x80", "\ufffd|\ufffd|"},
		{"\xed\xa0\x80", "|\ufffd\ufffd|\ufffd|"}, // half of a surrogate pair
		{"", ""},
	} {
		if got := strings.Join(pushAll(t, c.bytes), "|"); got != c.want {
			t.Errorf("%q comes as %q, want %q", c.bytes, got, c.want)
		}
	}
}

func TestStreamControl(t *testing.T) {
	v := mustNew(t, tinySPM())
	tokens := v.Encode("<s>he<|im_end|>", EncodeOptions{ParseSpecial: true})
	for special, want := range map[bool]string{false: " he", true: "<s> he<|im_end|>"} {
		s := v.NewStream(special)
		var got string
		for _, id := range tokens {
			got += s.Push(id)
		}
		if got += s.Flush(); got != want {
			t.Errorf("special %v: %q, want %q", special, got, want)
		}
	}
}

// TestStreamIsWhole: whatever the tokens, every string is valid UTF-8, and together they are the text when that is.
func TestStreamIsWhole(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 12))
	for _, v := range []*Vocab{mustNew(t, demoVocab(t)), mustNew(t, tinySPM())} {
		for range 500 {
			var tokens []Token
			if text := randomText(r, 10, nil); r.IntN(2) == 0 {
				tokens = v.Encode(text, EncodeOptions{})
			} else {
				for range 30 {
					tokens = append(tokens, Token(r.IntN(v.Size())))
				}
			}
			var pieces, got strings.Builder
			s := v.NewStream(true)
			for _, id := range tokens {
				pieces.Write(v.Piece(id, true))
				part := s.Push(id)
				if !utf8.ValidString(part) {
					t.Fatalf("Push gave %q", part)
				}
				got.WriteString(part)
			}
			got.WriteString(s.Flush())
			if want := pieces.String(); utf8.ValidString(want) && got.String() != want {
				t.Errorf("%q came as %q", want, got.String())
			}
		}
	}
}
