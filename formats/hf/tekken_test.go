package hf

import (
	"encoding/base64"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// tinyTekken has all bytes, "ab", "abc" and " ab", of which the last is beyond the size that the file tells.
func tinyTekken() object {
	vocab := list{}
	for c := range 256 {
		vocab = append(vocab, object{"rank": c, "token_bytes": base64.StdEncoding.EncodeToString([]byte{byte(c)})})
	}
	for i, text := range []string{"ab", "abc", " ab"} {
		vocab = append(vocab, object{"rank": 256 + i, "token_bytes": base64.StdEncoding.EncodeToString([]byte(text))})
	}
	return object{"config": object{"pattern": tekkenPattern, "default_vocab_size": 5 + 258, "default_num_special_tokens": 5}, "vocab": vocab,
		"special_tokens": list{object{"rank": 0, "token_str": "<unk>"}, object{"rank": 1, "token_str": "<s>"}, object{"rank": 2, "token_str": "</s>"}, object{"rank": 4, "token_str": "[INST]"}}}
}

// tekkenPattern is the expression by which Mistral's tokenizer cuts words.
const tekkenPattern = `[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+`

func TestTekken(t *testing.T) {
	v, err := folder(t, files{"tekken.json": tinyTekken()}).Vocabulary(0)
	if err != nil {
		t.Fatal(err)
	}
	if v.Pre != "tekken" || v.Model != "gpt2" || len(v.Tokens) != 263 || v.Tokens[5] != "Ā" || v.Tokens[5+'a'] != "a" || v.Tokens[5+' '] != "Ġ" || v.Tokens[262] != "abc" {
		t.Errorf("%s %s, %d tokens, %q", v.Model, v.Pre, len(v.Tokens), v.Tokens[261:])
	}
	if want := []string{"<unk>", "<s>", "</s>", "<SPECIAL_3>", "[INST]"}; !slices.Equal(v.Tokens[:5], want) || v.Kinds[4] != Control || v.Kinds[5] != Normal {
		t.Errorf("special tokens %q, kinds %v, want %q", v.Tokens[:5], v.Kinds[:6], want)
	}
	if want := []string{"a b", "ab c"}; !slices.Equal(v.Merges, want) {
		t.Errorf("merges %q, want %q", v.Merges, want)
	}
	if fmt.Sprint(v.special) != "map[bos:1 eos:2 unk:0]" || !v.add["bos"] || v.add["eos"] {
		t.Errorf("special %v, added %v", v.special, v.add)
	}
	for want, change := range map[string]func(object){
		"special tokens among": func(o object) { o["config"].(object)["default_num_special_tokens"] = 300 },
		"in base64":            func(o object) { o["vocab"].(list)[0].(object)["token_bytes"] = "%" },
		"256 rows":             func(object) {},
	} {
		k := tinyTekken()
		change(k)
		if _, err := folder(t, files{"tekken.json": k}).Vocabulary(256); err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "tekken.json") {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}
