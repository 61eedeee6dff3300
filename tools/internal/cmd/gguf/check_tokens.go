package gguf

import (
	"context"
	"unicode/utf8"

	"github.com/llamakit/llamakit/engine/vocab"
)

// sampleTexts have what tokenizers are known to lose: spaces, breaks, digits, scripts, joined emoji.
var sampleTexts = []string{
	"Hello world", " leading and trailing  ", "a\nb\r\n\tc\n\n\n   d", "3.14159 + 1,000,000 = 0x1F", "don't I'LL we've",
	"func main() { fmt.Println(\"x\\n\") }", "naïve café Ünïcode e\u0301", "日本語のテキスト 한국어 中文", "Привет, мир! العربية עברית हिन्दी",
	"🦙 👩‍👩‍👧 🏳️‍🌈", "<tag attr='1'>&amp;</tag>", "\u00a0\u3000\u200d\ufeff",
}

// roundTrips encodes and decodes sample texts, and the text of every ordinary token. A vocabulary that changes texts on
// purpose (WordPiece) or cannot spell all of them (without byte tokens) is only noted.
func (k *checker) roundTrips(ctx context.Context, v *vocab.Vocab) {
	if v.Model == "bert" {
		return
	}
	lost, example := 0, ""
	try := func(text string) {
		if v.Decode(v.Encode(text, vocab.EncodeOptions{}), true) == text {
			return
		}
		if lost++; lost == 1 {
			example = text
		}
	}
	for _, text := range sampleTexts {
		try(text)
	}
	for t := range vocab.Token(v.Size()) {
		if ctx.Err() != nil {
			return
		}
		if piece := v.Piece(t, false); v.Kind(t) == vocab.Normal && utf8.Valid(piece) {
			try(string(piece))
		}
	}
	switch {
	case lost == 0:
	case spellsAll(v):
		k.fail("tokenizer", "%d texts do not survive encoding and decoding, the first is %q", lost, example)
	default:
		k.note("tokenizer", "the vocabulary cannot spell every byte; %d texts do not survive it, the first is %q", lost, example)
	}
}

// spellsAll reports whether every byte has a token.
func spellsAll(v *vocab.Vocab) bool {
	var has [256]bool
	for t := range vocab.Token(v.Size()) {
		if piece := v.Piece(t, false); len(piece) == 1 {
			has[piece[0]] = true
		}
	}
	for _, ok := range has {
		if !ok {
			return false
		}
	}
	return true
}
