package model

import (
	"strings"

	"github.com/llamakit/llamakit/formats/gguf"
)

// wordPieces is a small WordPiece vocabulary: it spells lower-case letters and digits, and knows a few words and marks.
func (s *Shape) wordPieces(md *gguf.Metadata) {
	tokens := []string{"[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"}
	types := []int32{3, 2, 3, 3, 3}
	for _, c := range "abcdefghijklmnopqrstuvwxyz0123456789" {
		tokens = append(tokens, "▁"+string(c), string(c))
	}
	for _, word := range strings.Fields(". , ! ? - : ; the cat dog on mat sat of and is in it to") {
		tokens = append(tokens, "▁"+word)
	}
	tokens = tokens[:s.Vocab]
	for len(types) < len(tokens) {
		types = append(types, 1)
	}
	md.Set("tokenizer.ggml.model", gguf.String("bert"))
	md.Set("tokenizer.ggml.tokens", gguf.Strings(tokens))
	md.Set("tokenizer.ggml.token_type", gguf.Int32s(types))
	md.Set("tokenizer.ggml.token_type_count", gguf.Uint32(2))
	for i, key := range []string{"padding", "unknown", "bos", "seperator", "mask"} {
		md.Set("tokenizer.ggml."+key+"_token_id", gguf.Uint32(uint32(i)))
	}
}
