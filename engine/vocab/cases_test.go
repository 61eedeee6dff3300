package vocab

import (
	"slices"
	"strings"
	"testing"

	"github.com/llamakit/llamakit/formats/gguf"
)

// texts returns the entries of tokens.
func texts(v *Vocab, tokens []Token) []string {
	out := []string{}
	for _, t := range tokens {
		out = append(out, v.Text(t))
	}
	return out
}

func wantTexts(t *testing.T, v *Vocab, text string, opt EncodeOptions, want ...string) {
	t.Helper()
	if got := texts(v, v.Encode(text, opt)); !slices.Equal(got, want) {
		t.Errorf("Encode(%q, %+v) = %q, want %q", text, opt, got, want)
	}
}

// TestUserDefinedRuns: the longest run of tabs is taken once, no space is invented after it (llama.cpp v0.7.0 puts one), and
// decoding gives the text back. https://github.com/ggml-org/llama.cpp/issues/8338
func TestUserDefinedRuns(t *testing.T) {
	v := mustNew(t, tinySPM())
	wantTexts(t, v, strings.Repeat("\t", 6)+"test", EncodeOptions{}, strings.Repeat("\t", 6), "t", "e", "s", "t")
	wantTexts(t, v, "a"+strings.Repeat("\t", 10)+" b", EncodeOptions{},
		"▁a", strings.Repeat("\t", 6), strings.Repeat("\t", 3), "<0x09>", "▁", "b")
	for n := range 20 {
		for _, s := range []string{"test", " test", "", "  x"} {
			for _, text := range []string{strings.Repeat("\t", n) + s, s + strings.Repeat("\t", n)} {
				if got := v.Decode(v.Encode(text, EncodeOptions{}), false); got != text {
					t.Errorf("%q comes back as %q", text, got)
				}
			}
		}
	}
}

// TestTextAfterSpecial: text beside a special token is encoded as it would be by itself, with the file's space before it.
func TestTextAfterSpecial(t *testing.T) {
	md := tinySPM()
	special := EncodeOptions{ParseSpecial: true}
	v := mustNew(t, md)
	wantTexts(t, v, "<|im_start|>user", special, "<|im_start|>", "▁", "u", "s", "e", "r")
	wantTexts(t, v, "<|im_start|> user", special, "<|im_start|>", "▁▁", "u", "s", "e", "r")
	wantTexts(t, v, "a<|im_end|> b", special, "▁a", "<|im_end|>", "▁▁", "b")
	md.Set("tokenizer.ggml.add_space_prefix", gguf.Bool(false))
	v = mustNew(t, md)
	wantTexts(t, v, "<|im_start|>user", special, "<|im_start|>", "u", "s", "e", "r")
	wantTexts(t, v, "<|im_start|> user", special, "<|im_start|>", "▁", "u", "s", "e", "r")
	wantTexts(t, v, "a<|im_end|> b", special, "a", "<|im_end|>", "▁", "b")

	for _, md := range []*gguf.Metadata{tinySPM(), md, demoVocab(t)} {
		v := mustNew(t, md)
		for _, text := range []string{"user", " user", "a\n", "he {\"x\"}"} {
			piecewise := append([]Token{must(v.Lookup("<|im_start|>"))}, v.Encode(text, EncodeOptions{})...)
			if whole := v.Encode("<|im_start|>"+text, special); !slices.Equal(whole, piecewise) {
				t.Errorf("%s: <|im_start|>%s is %v, piece by piece %v", v.Model, text, whole, piecewise)
			}
		}
	}
}

func must(t Token, ok bool) Token {
	if !ok {
		panic("no such entry")
	}
	return t
}

// TestMissingByteTokens: what a vocabulary cannot spell is its unknown token, and not a crash.
func TestMissingByteTokens(t *testing.T) {
	all := func(string) bool { return true }
	without := func(drop func(string) bool) *Vocab {
		v := mustNew(t, tinySPM())
		var tokens []string
		var types []int32
		for i := range v.words {
			if s := v.words[i].text; !(v.words[i].attr.has(Byte) && drop(s)) {
				tokens, types = append(tokens, s), append(types, int32(v.Kind(Token(i))))
			}
		}
		return mustNew(t, metadata("llama", tokens, types))
	}
	noLF := without(func(s string) bool { return s == "<0x0A>" })
	wantTexts(t, noLF, "a\nb🦙", EncodeOptions{}, "▁a", "<unk>", "b", "<0xF0>", "<0x9F>", "<0xA6>", "<0x99>")
	if noLF.NL != None {
		t.Errorf("NL = %d without <0x0A>, want None", noLF.NL)
	}
	wantTexts(t, without(func(s string) bool { return s == "<0x99>" }), "🦙日é", EncodeOptions{}, "▁", "<unk>", "日", "<0xC3>", "<0xA9>")
	wantTexts(t, without(all), "é\n", EncodeOptions{}, "▁", "<unk>", "<unk>")

	md := metadata("llama", []string{"▁", "a", "b"}, nil)
	md.Set("tokenizer.ggml.add_bos_token", gguf.Bool(false))
	md.Set("tokenizer.ggml.unknown_token_id", gguf.Uint32(7)) // out of range: the default stands
	wantTexts(t, mustNew(t, md), "aéb", EncodeOptions{}, "▁", "a", "▁", "b")
}

// TestSpecialParsingOff: without ParseSpecial the spelling of a control token is characters; user-defined ones still match.
func TestSpecialParsingOff(t *testing.T) {
	v := mustNew(t, tinySPM())
	wantTexts(t, v, "<|im_end|>", EncodeOptions{ParseSpecial: true}, "<|im_end|>")
	wantTexts(t, v, "<|im_end|>", EncodeOptions{}, "▁", "<", "|", "i", "m", "_", "e", "n", "d", "|", ">")
	d := mustNew(t, demoVocab(t))
	if got := d.Encode("<think><|im_end|>", EncodeOptions{}); got[0] != must(d.Lookup("<think>")) || slices.Contains(got, must(d.Lookup("<|im_end|>"))) {
		t.Errorf("<think><|im_end|> = %q", texts(d, got))
	}
}

// TestDoubleBOS: a rendered template that has the beginning of text keeps one; a raw prompt keeps both and is flagged.
func TestDoubleBOS(t *testing.T) {
	v := mustNew(t, tinySPM())
	for _, c := range []struct {
		text   string
		opt    EncodeOptions
		want   []string
		double bool
	}{
		{"<s>a", EncodeOptions{AddSpecial: true, ParseSpecial: true, Rendered: true}, []string{"<s>", "▁a"}, false},
		{"a", EncodeOptions{AddSpecial: true, ParseSpecial: true, Rendered: true}, []string{"<s>", "▁a"}, false},
		{"<s>a", EncodeOptions{AddSpecial: true, ParseSpecial: true}, []string{"<s>", "<s>", "▁a"}, true},
		{"<s>a", EncodeOptions{ParseSpecial: true}, []string{"<s>", "▁a"}, false},
		{"", EncodeOptions{AddSpecial: true, Rendered: true}, []string{"<s>"}, false},
	} {
		wantTexts(t, v, c.text, c.opt, c.want...)
		if got := v.DoubleBOS(v.Encode(c.text, c.opt)); got != c.double {
			t.Errorf("DoubleBOS of %q, %+v is %v", c.text, c.opt, got)
		}
	}
	md := tinySPM()
	md.Set("tokenizer.ggml.add_eos_token", gguf.Bool(true))
	v = mustNew(t, md)
	wantTexts(t, v, "<s>a</s>", EncodeOptions{AddSpecial: true, ParseSpecial: true, Rendered: true}, "<s>", "▁a", "</s>")
	wantTexts(t, v, "a</s>", EncodeOptions{AddSpecial: true, ParseSpecial: true}, "<s>", "▁a", "</s>", "</s>")
}

// TestLookAhead: the texts that trip engines without look-ahead; TestGolden and TestRecorded have the tokens, this the text.
func TestLookAhead(t *testing.T) {
	v := mustNew(t, demoVocab(t))
	for _, text := range []string{"a   b", "a \n  b", "trailing   ", "I'LL", "١٢٣", "12345", "e\u0301", "\u2029 \ua3e4",
		"\u1112\u1161\u11ab", "🇫🇷", "👨\u200d👩\u200d👧"} {
		if got := v.Decode(v.Encode(text, EncodeOptions{}), true); got != text {
			t.Errorf("%q comes back as %q", text, got)
		}
	}
	wantTexts(t, v, "a   b", EncodeOptions{}, "a", "Ġ", "Ġ", "Ġb")
	wantTexts(t, v, "12345", EncodeOptions{}, "1", "2", "3", "4", "5")
}

// TestLongTexts: long words and many special tokens take nearly linear time. A tokenizer whose work grows with the square of
// these texts would need hours for them; how long this one takes is for benchmarks to say.
func TestLongTexts(t *testing.T) {
	turn := "<|im_start|>user\nhi<|im_end|>\n"
	for name, md := range map[string]*gguf.Metadata{"bpe": demoVocab(t), "spm": tinySPM(), "bert": tinyBERT()} {
		v := mustNew(t, md)
		for what, text := range map[string]string{
			"one word":      strings.Repeat("a", 1_000_000),
			"turns":         strings.Repeat(turn, 40_000),
			"blanks":        strings.Repeat(" ", 1_000_000) + "x",
			"tabs":          strings.Repeat("\t", 1_000_000),
			"markers begun": strings.Repeat("<|im_", 200_000),
		} {
			if n := len(v.Encode(text, EncodeOptions{ParseSpecial: true})); n == 0 && strings.TrimSpace(text) != "" {
				t.Errorf("%s: %s has no tokens", name, what)
			}
		}
	}
}

// TestNormalFormC: a letter and its accent are one character where the file asks for it.
func TestNormalFormC(t *testing.T) {
	md := demoVocab(t)
	plain := mustNew(t, md)
	md.Set("tokenizer.ggml.normalizer.nfc", gguf.Bool(true))
	v := mustNew(t, md)
	for text, want := range map[string]string{"e\u0301a": "\u00e9a", "\u1100\u1161": "\uac00", "\u00e9": "\u00e9", "e\xff": "e\ufffd", "\u2126": "\u03a9"} {
		if got := v.Encode(text, EncodeOptions{}); !slices.Equal(got, plain.Encode(want, EncodeOptions{})) {
			t.Errorf("%q becomes %q, want %q", text, v.Decode(got, false), want)
		}
	}
}
