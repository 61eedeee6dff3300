package vocab

import (
	"testing"

	"github.com/llamakit/llamakit/formats/gguf"
)

// pairVocab is a byte-level vocabulary of all bytes and all pairs of bytes: each cut that a pre-tokenizer makes or does not
// make changes the tokens.
func pairVocab(pre string) *gguf.Metadata {
	tokens, merges := make([]string, 0, 256+65536), make([]string, 0, 65536)
	for i := range 256 {
		tokens = append(tokens, byteSpelling(byte(i)))
	}
	for i := range 65536 {
		k := uint16(i * 40503) // in an order that has nothing to do with the bytes
		a, b := byteSpelling(byte(k>>8)), byteSpelling(byte(k))
		tokens, merges = append(tokens, a+b), append(merges, a+" "+b)
	}
	md := gguf.NewMetadata()
	md.Set("tokenizer.ggml.model", gguf.String("gpt2"))
	md.Set("tokenizer.ggml.pre", gguf.String(pre))
	md.Set("tokenizer.ggml.tokens", gguf.Strings(tokens))
	md.Set("tokenizer.ggml.merges", gguf.Strings(merges))
	return md
}

func mustNew(t testing.TB, md *gguf.Metadata) *Vocab {
	t.Helper()
	v, err := New(md)
	if err != nil {
		t.Fatal(err)
	}
	return v
}
