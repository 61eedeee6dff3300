package vocab

import (
	"bufio"
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/llamakit/llamakit/bench/golden"
)

// ranges spells the parts of the text that the tokens come from, one after another.
func ranges(v *Vocab, text string, opt EncodeOptions) string {
	var parts []string
	for _, r := range v.Locate(text, v.Encode(text, opt), opt) {
		parts = append(parts, text[r.From:r.To])
	}
	return strings.Join(parts, "|")
}

func TestLocate(t *testing.T) {
	for _, c := range []struct {
		vocab, text, want string
		opt               EncodeOptions
	}{
		{"demo", "", "", EncodeOptions{}},
		{"demo", "Hello <|im_end|>", "Hello| |<|im_end|>", EncodeOptions{ParseSpecial: true}},
		{"demo", "é", "\xc3|\xa9", EncodeOptions{}},
		{"spm", "a b", "|a| |b", EncodeOptions{AddSpecial: true}},
		{"spm", "<s>a", "|<s>|a", EncodeOptions{AddSpecial: true, ParseSpecial: true}},
		{"spm", "<s>", "||<|s|>", EncodeOptions{AddSpecial: true}},
		{"bert", "Héllo,  WORLD ", "|Héllo|,|W|O|R|L|D|", EncodeOptions{AddSpecial: true}},
		{"bert", "hello 日 world", "hello|日|w|o|r|l|d", EncodeOptions{}}, // the second is unknown
		{"bert", "he\u0301llo", "he\u0301llo", EncodeOptions{}},
	} {
		v := mustNew(t, recordings[c.vocab](t))
		if got := ranges(v, c.text, c.opt); got != c.want {
			t.Errorf("%s: %q, %+v: %q, want %q (%v)", c.vocab, c.text, c.opt, got, c.want, v.Encode(c.text, c.opt))
		}
	}
}

// checkRanges wants ranges in order, inside the text, and where pieces are spelled out, of the same text.
func checkRanges(t *testing.T, v *Vocab, name, text string) {
	t.Helper()
	for _, opt := range []EncodeOptions{{}, {AddSpecial: true, ParseSpecial: true}} {
		tokens := v.Encode(text, opt)
		at := 0
		for i, r := range v.Locate(text, tokens, opt) {
			gap := i > 0 && r.From < at // unknown tokens share a range
			if r.From > r.To || r.To > len(text) || gap && r.To != at {
				t.Errorf("%s: %q: token %d is at %v", name, text, i, r)
			}
			at = r.To
		}
		if at > len(text) || v.Model == "gpt2" && strings.ToValidUTF8(text, "") == text && ranges(v, text, opt) != tiled(v, tokens) {
			t.Errorf("%s: %q: %q, want %q", name, text, ranges(v, text, opt), tiled(v, tokens))
		}
	}
}

// tiled spells the pieces of a vocabulary that changes nothing; tokens that were put around the text are empty.
func tiled(v *Vocab, tokens []Token) string {
	var parts []string
	for i, t := range tokens {
		if i == 0 && t == v.begin || i == len(tokens)-1 && t == v.end {
			parts = append(parts, "")
			continue
		}
		parts = append(parts, string(v.Piece(t, true)))
	}
	return strings.Join(parts, "|")
}

func TestLocateRecorded(t *testing.T) {
	for name, md := range recordings {
		v := mustNew(t, md(t))
		for _, c := range readJSON[[]recordedCase](t, name+".json") {
			checkRanges(t, v, name, c.Text)
		}
	}
}

func TestLocateGolden(t *testing.T) {
	f, err := os.Open(golden.Shared(t, "golden", "vocab", "tokens.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	vocabs := map[string]*Vocab{}
	for s := bufio.NewScanner(f); s.Scan(); {
		var row struct{ Vocab, Text string }
		if err := json.Unmarshal(s.Bytes(), &row); err != nil {
			t.Fatal(err)
		}
		if vocabs[row.Vocab] == nil {
			vocabs[row.Vocab] = openVocab(t, golden.Shared(t, "golden", "vocab", row.Vocab))
		}
		checkRanges(t, vocabs[row.Vocab], row.Vocab, row.Text)
	}
}

// TestLocateTime: what cannot be found costs no more than its share.
func TestLocateTime(t *testing.T) {
	for name, text := range map[string]string{"demo": strings.Repeat("\xff", 20_000), "bert": strings.Repeat("日", 20_000), "spm": strings.Repeat("日\xff", 10_000)} {
		v := mustNew(t, recordings[name](t))
		checkRanges(t, v, name, text)
	}
}

func FuzzLocate(f *testing.F) {
	for _, text := range []string{"Hello <|im_end|>", "<s>a  b", "He\u0301llo, 日 WORLD", "\xff\u2581"} {
		f.Add(text)
	}
	vocabs := map[string]*Vocab{}
	for name, md := range recordings {
		vocabs[name] = mustNew(f, md(f))
	}
	f.Fuzz(func(t *testing.T, text string) {
		for name, v := range vocabs {
			checkRanges(t, v, name, text)
		}
	})
}
