package hf

import (
	"strings"
	"testing"
)

// split is a step that makes the matches pieces of their own.
func split(regex string) object {
	return object{"type": "Split", "behavior": "Isolated", "invert": false, "pattern": object{"Regex": regex}}
}

var (
	digits = object{"type": "Digits", "individual_digits": true}
	bytes1 = object{"type": "ByteLevel", "add_prefix_space": false, "use_regex": false}
	words  = object{"type": "ByteLevel", "add_prefix_space": false, "use_regex": true}
)

func sequence(steps ...any) object { return object{"type": "Sequence", "pretokenizers": list(steps)} }

const llama3Regex = `(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+`

// TestPreTokenizers recognises the definitions of published tokenizers.
func TestPreTokenizers(t *testing.T) {
	kept := split(llama3Regex)
	kept["behavior"], kept["invert"] = "Removed", true
	merged := split(llama3Regex)
	merged["behavior"] = "MergedWithPrevious"
	for _, c := range []struct {
		want  string
		steps any
		model object
	}{
		{"llama-bpe", sequence(split(llama3Regex), bytes1), object{"ignore_merges": true}},
		{"llama-bpe", sequence(kept, bytes1), object{"ignore_merges": true}},
		{"dbrx", sequence(split(llama3Regex), bytes1), nil},
		{"", sequence(merged, bytes1), nil},
		{"qwen2", sequence(split(strings.Replace(llama3Regex, `{1,3}| ?`, `|\ ?`, 1)), bytes1), nil},
		{"qwen2", sequence(split(strings.NewReplacer(`{1,3}`, ``, `\r`, "\r", `\n`, "\n").Replace(llama3Regex)), bytes1), nil},
		{"granite-embed-multi-97m", sequence(split(`[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?|`+
			`[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+`), bytes1), nil},
		{"tekken", sequence(split(`[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+|`+
			`[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n\/]*|\s*[\r\n]+|\s+(?!\S)|\s+`), bytes1), nil},
		{"gpt-2", words, nil},
		{"gpt-2", object{"type": "ByteLevel"}, nil},
		{"smollm", sequence(digits, words), nil},
		{"falcon", sequence(object{"type": "Punctuation", "behavior": "Contiguous"}, words, object{"type": "Digits", "individual_digits": false}, split("[0-9][0-9][0-9]")), nil},
		{"bloom", sequence(split(` ?[^(\s|[.,!?…。，、।۔،])]+`), bytes1), nil},
		{"deepseek-v3", sequence(split(`\p{N}{1,3}`), split("[一-龥\u3040-ゟ゠-ヿ]+"),
			split("[!\"#$%&'()*+,\\-./:;<=>?@\\[\\\\\\]^_`{|}~][A-Za-z]+|[^\r\n\\p{L}\\p{P}\\p{S}]?[\\p{L}\\p{M}]+| ?[\\p{P}\\p{S}]+[\r\n]*|\\s*[\r\n]+|\\s+(?!\\S)|\\s+"), bytes1), nil},
		{"deepseek-coder", sequence(split("[\r\n]"), split(`\s?\p{L}+`), split(`\s?\p{P}+`), split("[一-龥ࠀ-一가-\ud7ff]+"), digits, bytes1), nil},
		{"", object{"type": "Whitespace"}, nil},
		{"", nil, nil},
	} {
		model := object{"type": "BPE", "vocab": tokens("a"), "merges": list{}}
		for k, v := range c.model {
			model[k] = v
		}
		v, err := folder(t, files{"tokenizer.json": object{"model": model, "pre_tokenizer": c.steps}}).Vocabulary(0)
		switch {
		case c.want == "" && err == nil:
			t.Errorf("%v is %q, want an error", c.steps, v.Pre)
		case c.want != "" && err != nil:
			t.Errorf("%s: %v", c.want, err)
		case c.want != "" && v.Pre != c.want:
			t.Errorf("%q, want %q", v.Pre, c.want)
		}
	}
}

// TestPreTokenizerHints tells equal cuts apart by what else the tokenizer says.
func TestPreTokenizerHints(t *testing.T) {
	base := object{"model": object{"type": "BPE", "vocab": tokens("a"), "ignore_merges": true}, "pre_tokenizer": sequence(digits, words),
		"normalizer": object{"type": "Sequence", "normalizers": list{object{"type": "NFC"}, object{"type": "Lowercase"}}}}
	v := vocabularyOf(t, 0, files{"tokenizer.json": base, "tokenizer_config.json": object{"clean_up_tokenization_spaces": true}})
	if v.Pre != "starcoder" || !v.normalizer["lowercase"] {
		t.Errorf("pre %q, lowercase %v, want starcoder, true", v.Pre, v.normalizer["lowercase"])
	}
	base["pre_tokenizer"] = sequence(split(llama3Regex), bytes1)
	if v := vocabularyOf(t, 0, files{"tokenizer.json": base}); v.add["bos"] || len(v.add) != 1 {
		t.Errorf("add %v, want BOS to be turned off in so many words", v.add)
	}
}
