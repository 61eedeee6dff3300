package hf

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
)

var somePieces = []piece{{"<unk>", 0, 2}, {"<s>", 0, 3}, {"</s>", 0, 3}, {"<0x0A>", 0, 6}, {"▁a", -1.5, 1}, {"▁▁", 0, 4}, {"x", -3, 5}}

func TestSentencePiece(t *testing.T) {
	v := vocabularyOf(t, 13, files{
		"tokenizer.model":   sentencePieceFile(somePieces, true),
		"added_tokens.json": object{"<img>": 7, "<late>": 99},
		"tokenizer_config.json": object{"bos_token": "<s>", "eos_token": "</s>", "add_prefix_space": nil, "added_tokens_decoder": object{
			"1": object{"content": "<s>", "special": true}, "8": object{"content": "▁tab", "special": false}, "9": object{"content": "<|x|>"}}},
		"tokenizer.json": object{"model": object{"type": "BPE"}, "added_tokens": list{object{"id": 10, "content": "<more>", "special": true},
			object{"id": 8, "content": "other"}}},
	})
	if want := []string{"<unk>", "<s>", "</s>", "<0x0A>", "▁a", "▁▁", "x", "<img>", " tab", "<|x|>", "<more>", "[PAD11]", "[PAD12]"}; !reflect.DeepEqual(v.Tokens, want) {
		t.Errorf("tokens %q, want %q", v.Tokens, want)
	}
	if want := []Kind{2, 3, 3, 6, 1, 1, 5, 4, 4, 3, 3, 5, 5}; !reflect.DeepEqual(v.Kinds, want) {
		t.Errorf("kinds %v, want %v", v.Kinds, want)
	}
	if want := []float32{0, -1000, 0, 0, -1.5, 0, -3, -1000, -1000, -1000, -1000, -10000, -10000}; !reflect.DeepEqual(v.Scores, want) {
		t.Errorf("scores %v, want %v", v.Scores, want)
	}
	if fmt.Sprint(v.special) != "map[bos:1 eos:2]" || v.Model != "llama" || v.Pre != "default" || !*v.prefix {
		t.Errorf("special %v, model %q, pre %q, prefix %v", v.special, v.Model, v.Pre, *v.prefix)
	}
	if len(v.Notes) != 1 || !strings.Contains(v.Notes[0], `"<late>" has the number 99`) {
		t.Errorf("notes %q, want one of the token beyond the embedding", v.Notes)
	}
}

// TestSentencePieceSize counts the tokens where no embedding says how many there are.
func TestSentencePieceSize(t *testing.T) {
	v := vocabularyOf(t, 0, files{"tokenizer.model": sentencePieceFile(somePieces, false), "added_tokens.json": object{"<img>": 8}})
	if len(v.Tokens) != 9 || v.Tokens[7] != "[PAD7]" || *v.prefix {
		t.Errorf("%d tokens, %q, prefix %v", len(v.Tokens), v.Tokens[7], *v.prefix)
	}
	v = vocabularyOf(t, 0, files{"tokenizer.model": sentencePieceFile(somePieces, false), "tokenizer_config.json": object{"add_prefix_space": true}})
	if !*v.prefix {
		t.Error("add_prefix_space of tokenizer_config.json is passed over")
	}
}

// TestTornSentencePiece cuts a file at every byte: an error or fewer pieces, never a crash.
func TestTornSentencePiece(t *testing.T) {
	whole := sentencePieceFile(somePieces, true)
	for n := range len(whole) {
		m, err := parseSentencePiece(whole[:n])
		if err == nil && len(m.pieces) > len(somePieces) {
			t.Errorf("%d bytes of %d give %d pieces", n, len(whole), len(m.pieces))
		}
	}
	for name, c := range map[string]struct {
		data []byte
		want string
	}{
		"empty":     {nil, "the file is cut"},
		"text":      {[]byte("version 1 of nothing\n"), "the file is cut"},
		"group":     {[]byte{0x0b}, "the file is cut"},
		"long":      {[]byte{0x0a, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01}, "the file is cut"},
		"unigram":   {append(sentencePieceFile(somePieces, true), field(nil, 2, 2, []byte{0x18, 1})...), "model of type 1, want 2"},
		"bad piece": {sentencePieceFile([]piece{{"a", 0, 7}}, true), "piece 0 is of type 7, want 1 to 6"},
		"few rows":  {sentencePieceFile(somePieces, true), "7 tokens, but the embedding has 5 rows only"},
	} {
		_, err := folder(t, files{"tokenizer.model": c.data}).Vocabulary(5)
		if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), "tokenizer.model: ") {
			t.Errorf("%s: error %v, want %q", name, err, c.want)
		}
	}
}
