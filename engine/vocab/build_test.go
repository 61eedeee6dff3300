package vocab

import (
	"os"
	"strings"
	"testing"

	"github.com/llamakit/llamakit/formats/gguf"
)

func mustNew(t testing.TB, md *gguf.Metadata) *Vocab {
	t.Helper()
	v, err := New(md)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// metadata returns the keys tokenizer.ggml.*; a nil slice leaves its key out.
func metadata(model string, tokens []string, types []int32) *gguf.Metadata {
	md := gguf.NewMetadata()
	md.Set("general.architecture", gguf.String("llama"))
	md.Set("tokenizer.ggml.model", gguf.String(model))
	md.Set("tokenizer.ggml.tokens", gguf.Strings(tokens))
	if types != nil {
		md.Set("tokenizer.ggml.token_type", gguf.Int32s(types))
	}
	return md
}

func alphabet() []string {
	s := make([]string, 256)
	for i := range s {
		s[i] = byteSpelling(byte(i))
	}
	return s
}

// pairVocab is a byte-level vocabulary of all bytes and all pairs of bytes: each cut that a pre-tokenizer makes or does not
// make changes the tokens.
func pairVocab(pre string) *gguf.Metadata {
	tokens, merges := alphabet(), make([]string, 0, 65536)
	for i := range 65536 {
		k := uint16(i * 40503) // in an order that has nothing to do with the bytes
		a, b := byteSpelling(byte(k>>8)), byteSpelling(byte(k))
		tokens, merges = append(tokens, a+b), append(merges, a+" "+b)
	}
	md := metadata("gpt2", tokens, nil)
	md.Set("tokenizer.ggml.pre", gguf.String(pre))
	md.Set("tokenizer.ggml.merges", gguf.Strings(merges))
	return md
}

// demoVocab is the tokenizer of the project's demo model: the bytes in the order of their spelling, then what the merges of
// testdata/demo.merges make, then five added tokens.
func demoVocab(t testing.TB) *gguf.Metadata {
	t.Helper()
	data, err := os.ReadFile("testdata/demo.merges")
	if err != nil {
		t.Fatal(err)
	}
	tokens := make([]string, 0, 4096)
	for _, r := range sortedAlphabet() {
		tokens = append(tokens, string(r))
	}
	merges := strings.Split(strings.TrimSuffix(string(data), "\n"), "\n")
	for _, m := range merges {
		tokens = append(tokens, strings.Replace(m, " ", "", 1))
	}
	types := make([]int32, len(tokens))
	for i := range types {
		types[i] = int32(Normal)
	}
	tokens = append(tokens, "<|endoftext|>", "<|im_start|>", "<|im_end|>", "<think>", "</think>")
	types = append(types, 3, 3, 3, 4, 4)
	md := metadata("gpt2", tokens, types)
	md.Set("tokenizer.ggml.pre", gguf.String("qwen2"))
	md.Set("tokenizer.ggml.merges", gguf.Strings(merges))
	md.Set("tokenizer.ggml.eos_token_id", gguf.Uint32(4093))
	md.Set("tokenizer.ggml.bos_token_id", gguf.Uint32(4091))
	return md
}

func sortedAlphabet() (runes []rune) {
	for r := range rune(alphabetEnd) {
		if spelled[r] >= 0 {
			runes = append(runes, r)
		}
	}
	return runes
}

// tinySPM is a SentencePiece vocabulary of 365 tokens: bytes, ASCII, a few words, two user-defined runs of tabs and the
// markers of ChatML.
func tinySPM() *gguf.Metadata {
	tokens := []string{"<unk>", "<s>", "</s>"}
	types := []int32{2, 3, 3}
	add := func(k Kind, texts ...string) {
		for _, s := range texts {
			tokens, types = append(tokens, s), append(types, int32(k))
		}
	}
	for i := range 256 {
		add(Byte, byteName(byte(i)))
	}
	add(Normal, "▁")
	for c := rune(33); c < 127; c++ {
		add(Normal, string(c))
	}
	add(Normal, "▁▁", "▁a", "he", "日", "▁he", `{"`, `"}`)
	add(UserDefined, strings.Repeat("\t", 3), strings.Repeat("\t", 6))
	add(Control, "<|im_start|>", "<|im_end|>")
	scores := make([]float32, len(tokens))
	for i := range scores {
		scores[i] = -float32(i)
	}
	md := metadata("llama", tokens, types)
	md.Set("tokenizer.ggml.scores", gguf.Float32s(scores))
	return md
}

// tinyBERT is a WordPiece vocabulary: letters and digits at the beginning of a word and inside it, and a few longer pieces.
func tinyBERT() *gguf.Metadata {
	tokens := []string{"[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"}
	types := []int32{3, 2, 3, 3, 3}
	for c := rune('!'); c <= '~'; c++ {
		tokens = append(tokens, "▁"+string(c), string(c))
	}
	tokens = append(tokens, "▁the", "▁hello", "ing", "ed", "▁中", "日", "▁é", "é", "▁привет", "world")
	for len(types) < len(tokens) {
		types = append(types, int32(Normal))
	}
	md := metadata("bert", tokens, types)
	for key, id := range map[string]uint32{"padding": 0, "unknown": 1, "bos": 2, "seperator": 3, "mask": 4} {
		md.Set("tokenizer.ggml."+key+"_token_id", gguf.Uint32(id))
	}
	return md
}
