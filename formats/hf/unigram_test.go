package hf

import (
	"maps"
	"slices"
	"testing"
)

// xlmRoberta is a tokenizer.json as XLM-RoBERTa's.
var xlmRoberta = object{
	"model": object{"type": "Unigram", "unk_id": 3, "vocab": list{list{"<s>", 0}, list{"<pad>", 0}, list{"</s>", 0}, list{"<unk>", 0},
		list{"▁", -2}, list{"▁a", -3}, list{"b", -4}, list{"ab", -2.5}}},
	"added_tokens": list{object{"id": 0, "content": "<s>", "special": true}, object{"id": 1, "content": "<pad>", "special": true},
		object{"id": 2, "content": "</s>", "special": true}, object{"id": 8, "content": "<mask>", "special": true}},
	"normalizer": object{"type": "Sequence", "normalizers": list{object{"type": "Precompiled", "precompiled_charsmap": "CAAAAAAAAAAAAAAA"},
		object{"type": "Replace", "pattern": object{"Regex": " {2,}"}, "content": " "}}},
	"pre_tokenizer":  object{"type": "Metaspace", "replacement": "▁", "prepend_scheme": "always"},
	"post_processor": object{"type": "RobertaProcessing", "cls": list{"<s>", 0}, "sep": list{"</s>", 2}},
}

func TestUnigram(t *testing.T) {
	v := vocabularyOf(t, 10, files{"tokenizer.json": xlmRoberta, "tokenizer_config.json": object{"cls_token": "<s>", "sep_token": "</s>",
		"unk_token": "<unk>", "pad_token": "<pad>"}})
	if want := []Kind{Control, Control, Control, Unknown, Normal, Normal, Normal, Normal, Control, Unused}; !slices.Equal(v.Kinds, want) {
		t.Errorf("kinds %v, want %v", v.Kinds, want)
	}
	if want := []float32{0, 0, 0, 0, -2, -3, -4, -2.5, unusedScore, unusedScore}; !slices.Equal(v.Scores, want) {
		t.Errorf("scores %v, want %v", v.Scores, want)
	}
	if !v.mergeSpaces || !*v.prefix || len(v.charsMap) != 12 {
		t.Errorf("merged spaces %t, prefix %t, map of %d bytes", v.mergeSpaces, *v.prefix, len(v.charsMap))
	}
	if !v.add["sep"] {
		t.Error("no SEP after the end of a query")
	}
	ends(t, v, map[string]int{"bos": 0, "eos": 2, "unk": 3, "sep": 2, "pad": 1, "cls": 0})
}

// TestUnigramSplitAtSpaces: XLM-RoBERTa's older files split words at white space instead.
func TestUnigramSplitAtSpaces(t *testing.T) {
	old := object{}
	for k, x := range xlmRoberta {
		old[k] = x
	}
	delete(old, "normalizer")
	old["pre_tokenizer"] = object{"type": "Sequence", "pretokenizers": list{object{"type": "WhitespaceSplit"}, object{"type": "Metaspace", "add_prefix_space": true}}}
	if v := vocabularyOf(t, 0, files{"tokenizer.json": old}); !v.mergeSpaces || !*v.prefix || v.charsMap != nil {
		t.Errorf("merged spaces %t, prefix %t, map %v", v.mergeSpaces, *v.prefix, v.charsMap)
	}
}

func TestWordPiece(t *testing.T) {
	file := object{
		"model":          object{"type": "WordPiece", "vocab": tokens("[PAD]", "[UNK]", "[CLS]", "[SEP]", "a", "##b", "##", "Ä")},
		"added_tokens":   list{object{"id": 0, "content": "[PAD]", "special": true}, object{"id": 1, "content": "[UNK]", "special": true}, object{"id": 2, "content": "[CLS]", "special": true}, object{"id": 3, "content": "[SEP]", "special": true}},
		"normalizer":     object{"type": "BertNormalizer", "lowercase": false, "strip_accents": nil},
		"post_processor": object{"type": "BertProcessing", "cls": list{"[CLS]", 2}, "sep": list{"[SEP]", 3}},
	}
	v := vocabularyOf(t, 0, files{"tokenizer.json": file})
	if want := []string{"[PAD]", "[UNK]", "[CLS]", "[SEP]", "▁a", "b", "▁##", "▁Ä"}; !slices.Equal(v.Tokens, want) {
		t.Errorf("tokens %q, want %q", v.Tokens, want)
	}
	if v.normalizer["lowercase"] || len(v.normalizer) != 1 {
		t.Errorf("normalizer %v", v.normalizer)
	}
	if v.add["sep"] {
		t.Error("two SEP between a query and a document")
	}
	ends(t, v, map[string]int{"bos": 2, "eos": 3, "unk": 1, "sep": 3, "pad": 0, "cls": 2})
}

// ends compares the special tokens, the first and last of which are put around a text.
func ends(t *testing.T, v *Vocabulary, want map[string]int) {
	t.Helper()
	if !maps.Equal(v.special, want) || !v.add["bos"] || !v.add["eos"] {
		t.Errorf("special tokens %v, added %v, want %v, bos and eos", v.special, v.add, want)
	}
}
