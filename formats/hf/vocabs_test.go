package hf

import (
	"strconv"
	"strings"
	"testing"

	"github.com/llamakit/llamakit/bench/golden"
	"github.com/llamakit/llamakit/formats/gguf"
)

// published are the pre-tokenizers of llama.cpp's own vocabularies as their tokenizer.json has them, and the names they get here
// where several names mean the same.
var published = map[string]struct {
	steps any
	name  string
}{
	"gpt-2": {words, ""}, "mpt": {words, "gpt-2"}, "default": {words, "gpt-2"}, "starcoder": {sequence(digits, words), "smollm"}, "refact": {sequence(digits, words), "smollm"},
	"falcon":         {sequence(object{"type": "Punctuation", "behavior": "Contiguous"}, words, object{"type": "Digits"}, split("[0-9][0-9][0-9]")), ""},
	"deepseek-coder": {sequence(split("[\r\n]"), split(`\s?\p{L}+`), split(`\s?\p{P}+`), split("[一-龥ࠀ-一가-\ud7ff]+"), digits, bytes1), ""},
	"deepseek-llm": {sequence(split("[\r\n]"), split(`\s?[`+cased+`]+`), split(`\s?[!-/:-~！-／：-～‘-‟　-。]+`), split(`\s+$`), split("[一-龥ࠀ-一가-\ud7ff]+"),
		digits, bytes1), ""},
}

// TestPublishedVocabularies writes llama.cpp's vocabularies as Hugging Face has them, and wants them back.
func TestPublishedVocabularies(t *testing.T) {
	for _, name := range []string{"baichuan", "deepseek-coder", "deepseek-llm", "falcon", "gpt-2", "gpt-neox", "llama-spm", "mpt", "phi-3", "refact", "starcoder"} {
		t.Run(name, func(t *testing.T) {
			want := readVocabulary(t, openGGUF(t, golden.Shared(t, "golden", "vocab", "ggml-vocab-"+name+".gguf")))
			want.compare(t, vocabularyOf(t, len(want.tokens), want.folderOf()))
		})
	}
}

// vocabulary is the tokenizer of a GGUF file.
type vocabulary struct {
	model, pre     string
	tokens, merges []string
	scores         []float32
	kinds          []int64
}

func readVocabulary(t *testing.T, f *gguf.File) vocabulary {
	t.Helper()
	var v vocabulary
	r := f.Metadata.Reader("tokenizer.ggml")
	v.model, v.pre, v.tokens = r.Str("model"), r.StrOr("pre", "default"), r.Strs("tokens")
	if r.Has("merges") {
		v.merges = r.Strs("merges")
	}
	if r.Has("scores") {
		v.scores = r.Floats("scores")
	}
	kinds, _ := f.Metadata.Get("tokenizer.ggml.token_type")
	v.kinds, _ = kinds.IntSlice()
	if err := r.Err(); err != nil || len(v.kinds) != len(v.tokens) {
		t.Fatal(len(v.tokens), len(v.kinds), err)
	}
	return v
}

// folderOf writes the vocabulary as a tokenizer.json, or as a tokenizer.model with an added_tokens_decoder.
func (v vocabulary) folderOf() files {
	added, texts := list{}, object{}
	decoder := object{}
	var pieces []piece
	for i, text := range v.tokens {
		kind := Kind(v.kinds[i])
		switch {
		case kind == Control && v.model == "gpt2", kind == UserDefined:
			token := object{"id": i, "content": text, "special": kind == Control}
			added, decoder[strconv.Itoa(i)] = append(added, token), token
		case kind != Unused:
			texts[text] = i
		}
		if v.model == "llama" {
			pieces = append(pieces, piece{text, v.scores[i], int(kind)})
		}
	}
	if v.model == "llama" {
		return files{"tokenizer.model": sentencePieceFile(pieces, true), "tokenizer_config.json": object{"added_tokens_decoder": decoder}}
	}
	return files{"tokenizer.json": object{"model": object{"type": "BPE", "vocab": texts, "merges": v.merges}, "added_tokens": added,
		"pre_tokenizer": published[v.pre].steps}}
}

func (v vocabulary) compare(t *testing.T, got *Vocabulary) {
	t.Helper()
	pre := v.pre
	if name := published[v.pre].name; name != "" && v.model == "gpt2" {
		pre = name
	}
	if got.Model != v.model || got.Pre != pre || len(got.Tokens) != len(v.tokens) || strings.Join(got.Merges, "\n") != strings.Join(v.merges, "\n") {
		t.Fatalf("model %s, pre %s, %d tokens, %d merges; want %s, %s, %d, %d", got.Model, got.Pre, len(got.Tokens), len(got.Merges), v.model, pre, len(v.tokens), len(v.merges))
	}
	bad := 0
	for i, text := range v.tokens {
		same := got.Tokens[i] == text || v.kinds[i] == int64(Unused)
		if v.model == "llama" && v.kinds[i] != int64(UserDefined) {
			same = same && got.Scores[i] == v.scores[i]
		}
		if !same || int64(got.Kinds[i]) != v.kinds[i] && !looksSpecial(text) {
			if bad++; bad < 5 {
				t.Errorf("token %d is %q of kind %d, want %q, %d", i, got.Tokens[i], got.Kinds[i], text, v.kinds[i])
			}
		}
	}
}
