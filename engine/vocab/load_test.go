package vocab

import (
	"errors"
	"strings"
	"testing"

	"github.com/llamakit/llamakit/formats/gguf"
)

func bpeMetadata(tokens []string, merges ...string) *gguf.Metadata {
	md := metadata("gpt2", tokens, nil)
	md.Set("tokenizer.ggml.merges", gguf.Strings(merges))
	return md
}

// TestNewErrors: what cannot be a vocabulary is refused with the key that is at fault.
func TestNewErrors(t *testing.T) {
	key := func(k string, v gguf.Value) func(*gguf.Metadata) {
		return func(md *gguf.Metadata) { md.Set("tokenizer.ggml."+k, v) }
	}
	drop := func(k string) func(*gguf.Metadata) {
		return func(md *gguf.Metadata) { md.Delete("tokenizer.ggml." + k) }
	}
	for name, c := range map[string]struct {
		change func(*gguf.Metadata)
		kind   error
		says   string
	}{
		"no model":           {drop("model"), gguf.ErrNotFound, "tokenizer.ggml.model"},
		"model is a number":  {key("model", gguf.Uint32(1)), gguf.ErrCorrupt, "tokenizer.ggml.model"},
		"model none":         {key("model", gguf.String("none")), ErrNoVocab, `"none"`},
		"model no_vocab":     {key("model", gguf.String("no_vocab")), ErrNoVocab, `"no_vocab"`},
		"model plamo3":       {key("model", gguf.String("plamo3")), gguf.ErrUnsupported, `"plamo3"`},
		"model plamo2":       {key("model", gguf.String("plamo2")), gguf.ErrCorrupt, "no byte token <0x00>"},
		"unknown model":      {key("model", gguf.String("x\x1b[2J")), gguf.ErrUnsupported, `no tokenizer is called "x`},
		"unknown pre":        {key("pre", gguf.String("no-such-pre")), gguf.ErrUnsupported, `"no-such-pre"`},
		"no tokens":          {drop("tokens"), gguf.ErrNotFound, "tokenizer.ggml.tokens"},
		"tokens empty":       {key("tokens", gguf.Strings(nil)), gguf.ErrCorrupt, "tokenizer.ggml.tokens is empty"},
		"tokens are numbers": {key("tokens", gguf.Int32s([]int32{1})), gguf.ErrCorrupt, "tokenizer.ggml.tokens"},
		"same token twice":   {key("tokens", gguf.Strings([]string{"a", "b", "a"})), gguf.ErrCorrupt, `"a" is both token 0 and token 2`},
		"few scores":         {key("scores", gguf.Float32s([]float32{1})), gguf.ErrCorrupt, "tokenizer.ggml.scores has 1 entries for 3 tokens"},
		"scores are text":    {key("scores", gguf.String("x")), gguf.ErrCorrupt, "tokenizer.ggml.scores"},
		"few types":          {key("token_type", gguf.Int32s([]int32{1, 1})), gguf.ErrCorrupt, "tokenizer.ggml.token_type has 2 entries for 3 tokens"},
		"types are text":     {key("token_type", gguf.Strings([]string{"x"})), gguf.ErrCorrupt, "tokenizer.ggml.token_type"},
		"no merges":          {drop("merges"), gguf.ErrNotFound, "tokenizer.ggml.merges"},
		"merges are numbers": {key("merges", gguf.Int32s([]int32{1})), gguf.ErrCorrupt, "tokenizer.ggml.merges"},
		"bos is text":        {key("bos_token_id", gguf.String("a")), gguf.ErrCorrupt, "tokenizer.ggml.bos_token_id"},
		"bos is missing":     {key("add_bos_token", gguf.Bool(true)), gguf.ErrCorrupt, "tokenizer.ggml.add_bos_token"},
		"eos is missing":     {key("add_eos_token", gguf.Bool(true)), gguf.ErrCorrupt, "tokenizer.ggml.add_eos_token"},
		"add_bos is text":    {key("add_bos_token", gguf.String("yes")), gguf.ErrCorrupt, "tokenizer.ggml.add_bos_token"},
	} {
		md := bpeMetadata([]string{"a", "b", "ab"}, "a b")
		c.change(md)
		v, err := New(md)
		if v != nil || !errors.Is(err, c.kind) || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: New = %v, %v, want %v that says %s", name, v, err, c.kind, c.says)
		}
		if err != nil && strings.ContainsAny(err.Error(), "\n\x1b") {
			t.Errorf("%s: %q is not one plain line", name, err)
		}
	}
}

// TestNewTolerates: oddities that llama.cpp loads.
func TestNewTolerates(t *testing.T) {
	md := bpeMetadata([]string{"a", "b", "ab", "", "c"}, "a b", "ab zz", "zz a", "nospace", "", " ", "x ", "a b", "q r")
	md.Set("tokenizer.ggml.scores", gguf.Float32s(make([]float32, 9)))
	md.Set("tokenizer.ggml.token_type", gguf.Int32s([]int32{1, 1, 1, -7, 99, 1, 1}))
	md.Set("tokenizer.ggml.eos_token_id", gguf.Uint32(1<<31))
	md.Set("tokenizer.ggml.pre", gguf.String(""))
	md.Set("tokenizer.ggml.suppress_tokens", gguf.Int32s([]int32{-1, 2, 99}))
	v := mustNew(t, md)
	wantTexts(t, v, "abcab", EncodeOptions{}, "ab", "c", "ab")
	if v.Text(3) != "[EMPTY_3]" || v.Kind(3) != Undefined || v.EOS != None || v.Pre != "default" || v.Size() != 5 {
		t.Errorf("entry 3 is %q of kind %d, EOS %d, pre %q, size %d", v.Text(3), v.Kind(3), v.EOS, v.Pre, v.Size())
	}
	if len(v.Suppressed) != 1 || v.Suppressed[0] != 2 {
		t.Errorf("suppressed are %v, want [2]", v.Suppressed)
	}
	wantTexts(t, v, "xé!", EncodeOptions{}) // no token spells them: nothing is left, and nothing breaks
}

// TestOutOfRange: methods answer for any number.
func TestOutOfRange(t *testing.T) {
	v := mustNew(t, tinySPM())
	for _, id := range []Token{-1, None, 365, 1 << 30, -1 << 31} {
		if v.Valid(id) || v.Text(id) != "" || v.Piece(id, true) != nil || v.Kind(id) != Undefined || v.IsEOG(id) || v.IsControl(id) || v.Score(id) != 0 {
			t.Errorf("token %d is something", id)
		}
	}
	if got := v.Decode([]Token{-5, 1 << 20}, true); got != "" {
		t.Errorf("Decode = %q", got)
	}
}

func FuzzNew(f *testing.F) {
	f.Add("gpt2", "qwen2", "a\x00b\x00ab", "a b\x00ab a", []byte{1, 3, 4, 6, 2}, "ab<a>", uint32(1))
	f.Add("llama", "", "<unk>\x00<s>\x00▁a\x00<0x41>", "", []byte{2, 3, 1, 6}, "a\xff", uint32(0))
	f.Add("bert", "", "[UNK]\x00▁a\x00b", "", []byte{2, 1, 1}, "ab é中", uint32(9))
	f.Add("gemma4", "", "a\x00\n\n\x00▁", "a a", []byte{1}, "a \n\n", uint32(0))
	f.Add("hybriddna", "default", "<dna>\x00</dna>\x00<oov>\x00AAAAAA\ue000", "", []byte{1}, "x<dna>aac</dna>", uint32(0))
	f.Add("whitespace", "whitespace", "a\x00b", "a b", []byte{1}, "A b\xed\xa0\x80", uint32(0))
	f.Add("t5", "", "<pad>\x00</s>\x00<unk>\x00▁\x00a\x00\xe6", "", []byte{3, 3, 2, 1, 4}, "ab 日", uint32(0))
	f.Add("rwkv", "", "<s>\x00\\xe6\x00\\x4", "", []byte{3, 1, 1}, "日", uint32(0))
	f.Fuzz(func(t *testing.T, model, pre, tokens, merges string, types []byte, text string, id uint32) {
		list := strings.Split(tokens, "\x00")
		kinds := make([]int32, len(types))
		for i, k := range types {
			kinds[i] = int32(k)
		}
		md := metadata(model, list, nil)
		if len(types) > 0 {
			md.Set("tokenizer.ggml.token_type", gguf.Int32s(kinds))
		}
		md.Set("tokenizer.ggml.pre", gguf.String(pre))
		md.Set("tokenizer.ggml.merges", gguf.Strings(strings.Split(merges, "\x00")))
		md.Set("tokenizer.ggml.bos_token_id", gguf.Uint32(id))
		v, err := New(md)
		if err != nil {
			if v != nil || strings.Contains(err.Error(), "\n") {
				t.Errorf("New = %v, %q", v, err)
			}
			return
		}
		for _, opt := range []EncodeOptions{{}, {AddSpecial: true, ParseSpecial: true}} {
			got := v.Encode(text, opt)
			for _, id := range got {
				if !v.Valid(id) {
					t.Fatalf("Encode(%q, %+v) = %v", text, opt, got)
				}
			}
			v.Decode(got, true)
		}
	})
}
