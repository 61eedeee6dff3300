package vocab

import (
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"
)

// roundTrip checks that decoding gives the text back, where the vocabulary can spell everything.
func roundTrip(t *testing.T, bpe, spm *Vocab, text string) {
	t.Helper()
	if got := bpe.Decode(bpe.Encode(text, EncodeOptions{}), true); got != sanitize(text) {
		t.Errorf("gpt2: %q comes back as %q", text, got)
	}
	if got := spm.Decode(spm.Encode(text, EncodeOptions{}), true); utf8.ValidString(text) && got != unescapeSpaces(text) {
		t.Errorf("llama: %q comes back as %q", text, got)
	}
}

func TestRoundTrip(t *testing.T) {
	bpe, spm := mustNew(t, demoVocab(t)), mustNew(t, tinySPM())
	r := rand.New(rand.NewPCG(13, 14))
	for range 2000 {
		roundTrip(t, bpe, spm, randomText(r, 15, nil))
	}
}

func FuzzEncode(f *testing.F) {
	bpe, spm, bert := mustNew(f, demoVocab(f)), mustNew(f, tinySPM()), mustNew(f, tinyBERT())
	t5, rwkv, plamo2 := mustNew(f, tinyT5(true, true)), mustNew(f, tinyRWKV()), mustNew(f, tinyPLaMo())
	f.Add(strings.Join(scraps, ""))
	f.Add(strings.Join(broken, "a"))
	r := rand.New(rand.NewPCG(15, 16))
	for range 50 {
		f.Add(randomText(r, 20, nil))
	}
	f.Fuzz(func(t *testing.T, text string) {
		roundTrip(t, bpe, spm, text)
		for _, v := range []*Vocab{bpe, spm, bert, t5, rwkv, plamo2} {
			s := v.NewStream(true)
			for _, id := range v.Encode(text, EncodeOptions{AddSpecial: true, ParseSpecial: true, Rendered: true}) {
				if !v.Valid(id) {
					t.Fatalf("%s: Encode(%q) has %d", v.Model, text, id)
				}
				s.Push(id)
			}
			s.Flush()
		}
	})
}

// TestConcurrent: one vocabulary serves several goroutines (run with -race).
func TestConcurrent(t *testing.T) {
	v := mustNew(t, demoVocab(t))
	var wg sync.WaitGroup
	for seed := range uint64(4) {
		wg.Go(func() {
			r := rand.New(rand.NewPCG(seed, 17))
			for range 100 {
				text := sanitize(randomText(r, 30, nil))
				if got := v.Decode(v.Encode(text, EncodeOptions{}), true); got != text {
					t.Errorf("%q comes back as %q", text, got)
				}
			}
		})
	}
	wg.Wait()
}

// TestEncodeKeepsNothing: the tokens are the caller's, and a later call does not change them.
func TestEncodeKeepsNothing(t *testing.T) {
	v := mustNew(t, demoVocab(t))
	first := v.Encode("one two three", EncodeOptions{})
	kept := v.Decode(first, false)
	v.Encode("completely different words", EncodeOptions{})
	if got := v.Decode(first, false); got != kept || kept != "one two three" {
		t.Errorf("the first text is %q, then %q", kept, got)
	}
}

// TestRelatives: the tokenizers that are byte-pair encoding with something before it.
func TestRelatives(t *testing.T) {
	md := metadata("whitespace", []string{"a", "b", "ab"}, nil)
	for k, v := range bpeMetadata(nil, "a b").All() {
		if k == "tokenizer.ggml.merges" {
			md.Set(k, v)
		}
	}
	wantTexts(t, mustNew(t, md), " AB\u3000a \n b", EncodeOptions{}, "ab", "a", "b")

	md = bpeMetadata([]string{"a", "c", "ac", "<dna>", "</dna>", "<oov>", "ACGTAC\ue000", "AAAAAA\ue000", "CCCAAA\ue000"}, "a c")
	md.Set("tokenizer.ggml.model", metadataModel("hybriddna"))
	v := mustNew(t, md)
	wantTexts(t, v, "ac<dna>acgtacAAAAAAxxxxxxCCC</dna>c<dna>ccc", EncodeOptions{},
		"ac", "<dna>", "ACGTAC", "AAAAAA", "<oov>", "CCCAAA", "</dna>", "c", "<dna>", "CCCAAA")
	wantTexts(t, v, "a<dna></dna><dna>", EncodeOptions{}, "a", "<dna>", "</dna>", "<dna>")

	md = bpeMetadata([]string{"▁", "a", "▁a", "\n", "\n\n", "<0xC3>", "<0xA9>", "<bos>"}, "▁ a", "\n \n")
	md.Set("tokenizer.ggml.model", metadataModel("gemma4"))
	md.Set("tokenizer.ggml.bos_token_id", metadataID(7))
	v = mustNew(t, md)
	wantTexts(t, v, "a a\n\n\n é", EncodeOptions{AddSpecial: true}, "<bos>", "a", "▁a", "\n\n", "\n", "▁", "<0xC3>", "<0xA9>")
	if v.Pre != "gemma4" {
		t.Errorf("Pre is %q", v.Pre)
	}
}
