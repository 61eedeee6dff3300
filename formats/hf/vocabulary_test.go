package hf

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/llamakit/llamakit/formats/gguf"
)

// tokens makes a vocabulary of these texts.
func tokens(texts ...string) object {
	out := object{}
	for i, t := range texts {
		out[t] = i
	}
	return out
}

func tokenizer(model object, more object) object {
	out := object{"model": model, "pre_tokenizer": object{"type": "ByteLevel"}}
	for k, v := range more {
		out[k] = v
	}
	return out
}

func vocabularyOf(t *testing.T, size int, content files) *Vocabulary {
	t.Helper()
	v, err := folder(t, content).Vocabulary(size)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func TestByteLevel(t *testing.T) {
	v := vocabularyOf(t, 8, files{
		"tokenizer.json": tokenizer(object{"type": "BPE", "vocab": tokens("a", "b", "ab"), "merges": list{list{"a", "b"}, list{" a", "b "}}},
			object{"added_tokens": list{object{"id": 3, "content": "<|end|>"}, object{"id": 4, "content": "▁x", "special": false},
				object{"id": 5, "content": "[S]", "special": true}}}),
		"tokenizer_config.json": object{"eos_token": object{"content": "<|end|>"}, "pad_token": "b", "unk_token": nil, "add_bos_token": false,
			"added_tokens_decoder": object{"6": object{"content": "<tool>"}}},
	})
	if want := []string{"a", "b", "ab", "<|end|>", " x", "[S]", "<tool>", "[PAD7]"}; !reflect.DeepEqual(v.Tokens, want) {
		t.Errorf("tokens %q, want %q", v.Tokens, want)
	}
	if want := []Kind{Normal, Normal, Normal, Control, UserDefined, Control, UserDefined, Unused}; !reflect.DeepEqual(v.Kinds, want) {
		t.Errorf("kinds %v, want %v", v.Kinds, want)
	}
	if want := []string{"a b", "Ġa bĠ"}; !reflect.DeepEqual(v.Merges, want) {
		t.Errorf("merges %q, want %q", v.Merges, want)
	}
	if fmt.Sprint(v.special, v.add) != "map[eos:3 pad:1] map[bos:false]" || v.Pre != "gpt-2" || v.Scores != nil {
		t.Errorf("special %v, add %v, pre %q", v.special, v.add, v.Pre)
	}
}

// TestByteFallback reads a SentencePiece model that stands in tokenizer.json: scores follow the merges.
func TestByteFallback(t *testing.T) {
	model := object{"type": "BPE", "byte_fallback": true, "vocab": tokens("<unk>", "<0x0A>", "▁", "a", "Ġ", "▁a", "aĠ"),
		"merges": list{"▁ a", "a Ġ"}}
	v := vocabularyOf(t, 8, files{"tokenizer.json": tokenizer(model, object{"pre_tokenizer": nil,
		"added_tokens": list{object{"id": 7, "content": "</s>", "special": true}}, "normalizer": object{"type": "Replace"}})})
	if want := []float32{0, 0, -2, -2, -2, 0, -1, addedScore}; !reflect.DeepEqual(v.Scores, want) {
		t.Errorf("scores %v, want %v", v.Scores, want)
	}
	if want := []Kind{Unknown, Byte, Normal, Normal, Normal, Normal, Normal, Control}; !reflect.DeepEqual(v.Kinds, want) {
		t.Errorf("kinds %v, want %v", v.Kinds, want)
	}
	if v.Model != "llama" || v.Merges != nil || v.prefix == nil || *v.prefix {
		t.Errorf("model %q, merges %q, prefix %v", v.Model, v.Merges, v.prefix)
	}
}

func TestSpacePrefix(t *testing.T) {
	for _, c := range []struct {
		steps object
		want  bool
	}{
		{object{"normalizer": object{"type": "Sequence", "normalizers": list{object{"type": "Prepend", "prepend": "▁"}, object{"type": "Replace"}}}}, true},
		{object{"normalizer": object{"type": "Replace"}, "pre_tokenizer": object{"type": "Split", "pattern": object{"String": " "}}}, false},
		{object{"pre_tokenizer": object{"type": "Metaspace"}}, true},
		{object{"pre_tokenizer": object{"type": "Metaspace", "add_prefix_space": false}}, false},
		{object{"pre_tokenizer": object{"type": "Metaspace", "prepend_scheme": "never", "add_prefix_space": true}}, false},
		{object{"pre_tokenizer": object{"type": "Sequence", "pretokenizers": list{object{"type": "Metaspace", "prepend_scheme": "first"}}}}, true},
	} {
		model := object{"type": "BPE", "byte_fallback": true, "vocab": tokens("a"), "merges": list{}}
		base := object{"model": model}
		for k, x := range c.steps {
			base[k] = x
		}
		v := vocabularyOf(t, 0, files{"tokenizer.json": base})
		if *v.prefix != c.want {
			t.Errorf("%v: prefix %v, want %v", c.steps, *v.prefix, c.want)
		}
	}
}

// TestSpecialTokens takes them from the post-processor, from the configuration, from the older map, and by number.
func TestSpecialTokens(t *testing.T) {
	model := object{"type": "BPE", "vocab": tokens("x"), "merges": list{}}
	added := list{object{"id": 1, "content": "<s>", "special": true}, object{"id": 2, "content": "</s>", "special": true},
		object{"id": 3, "content": "<eot>", "special": true}}
	special := func(id string) object { return object{"SpecialToken": object{"id": id}} }
	around := object{"type": "Sequence", "processors": list{object{"type": "ByteLevel"}, object{"type": "TemplateProcessing",
		"single": list{special("<s>"), object{"Sequence": object{"id": "A"}}, special("</s>")}}}}
	before := object{"type": "TemplateProcessing", "single": list{special("<s>"), object{"Sequence": object{"id": "A"}}}}
	for _, c := range []struct {
		name      string
		processor any
		files     files
		special   string
		add       string
	}{
		{"template alone", around, nil, "map[bos:1 eos:2]", "map[bos:true eos:true]"},
		{"configured", before, files{"tokenizer_config.json": object{"bos_token": "<s>", "eos_token": "</s>"}}, "map[bos:1 eos:2]", "map[bos:true]"},
		{"another first", before, files{"tokenizer_config.json": object{"bos_token": "</s>"}}, "map[bos:2]", "map[bos:false]"},
		{"turn ends otherwise", around, files{"tokenizer_config.json": object{"bos_token": "<s>", "eos_token": "<eot>"}},
			"map[bos:1 eos:2 eot:3]", "map[bos:true eos:true]"},
		{"told not to", before, files{"tokenizer_config.json": object{"bos_token": "<s>", "add_bos_token": false}}, "map[bos:1]", "map[bos:false]"},
		{"older map", nil, files{"special_tokens_map.json": object{"eos_token": object{"content": "</s>"}, "unk_token": "<s>"}}, "map[eos:2 unk:1]", "map[]"},
		{"numbers", nil, files{"config.json": object{"bos_token_id": 1, "eos_token_id": list{2, 3}, "pad_token_id": 99, "text_config": object{"eos_token_id": 3}}},
			"map[bos:1 eos:3]", "map[]"},
		{"texts before numbers", nil, files{"tokenizer_config.json": object{"eos_token": "</s>"}, "config.json": object{"eos_token_id": 3}}, "map[eos:2]", "map[]"},
	} {
		content := files{"tokenizer.json": tokenizer(model, object{"added_tokens": added, "post_processor": c.processor})}
		v := vocabularyOf(t, 0, content.with(c.files))
		if got := fmt.Sprint(v.special); got != c.special {
			t.Errorf("%s: special %s, want %s", c.name, got, c.special)
		}
		if got := fmt.Sprint(v.add); got != c.add {
			t.Errorf("%s: add %s, want %s", c.name, got, c.add)
		}
	}
}

func TestTemplates(t *testing.T) {
	for _, c := range []struct {
		name  string
		files files
		want  string
	}{
		{"none", files{}, ""},
		{"text", files{"tokenizer_config.json": object{"chat_template": "A"}, "chat_template.jinja": "B"}, "chat_template=A"},
		{"file", files{"tokenizer_config.json": object{"chat_template": nil}, "chat_template.jinja": "B\n"}, "chat_template=B\n"},
		{"named", files{"tokenizer_config.json": object{"chat_template": list{object{"name": "tool use", "template": "T"}, object{"name": "default", "template": "D"}}}},
			"chat_template.tool_use=T chat_template=D chat_templates=[tool_use]"},
		{"folder", files{"chat_template.jinja": "B", "additional_chat_templates/RAG.jinja": "R", "additional_chat_templates/x.txt": "no"},
			"chat_template=B chat_template.RAG=R chat_templates=[RAG]"},
		{"json", files{"chat_template.json": object{"chat_template": "J"}}, "chat_template=J"},
	} {
		v := vocabularyOf(t, 0, files{"tokenizer.json": tinyTokenizer(3)}.with(c.files))
		md := gguf.NewMetadata()
		v.setTemplates(md)
		var got []string
		for k, x := range md.All() {
			got = append(got, fmt.Sprintf("%s=%v", strings.TrimPrefix(k, "tokenizer."), x.Any()))
		}
		if s := strings.Join(got, " "); s != c.want {
			t.Errorf("%s: %q, want %q", c.name, s, c.want)
		}
	}
}

func TestBadTokenizers(t *testing.T) {
	bpe := func(model object) object { return tokenizer(model, nil) }
	for name, c := range map[string]struct {
		size  int
		files files
		want  string
	}{
		"none":           {0, files{}, "no tokenizer.json, no tokenizer.model"},
		"not JSON":       {0, files{"tokenizer.json": "{"}, "tokenizer.json: byte 1: unexpected end of JSON input"},
		"words":          {0, files{"tokenizer.json": bpe(object{"type": "WordLevel", "vocab": tokens("a")})}, `unsupported tokenizer model "WordLevel"`},
		"no score":       {0, files{"tokenizer.json": bpe(object{"type": "Unigram", "vocab": list{list{"a"}}})}, "no text with a score"},
		"piece twice":    {0, files{"tokenizer.json": bpe(object{"type": "Unigram", "vocab": list{list{"a", 1}, list{"a", 2}}})}, `token "a" is there twice`},
		"characters map": {0, files{"tokenizer.json": tokenizer(object{"type": "Unigram", "vocab": list{list{"a", 1}}}, object{"normalizer": object{"type": "Precompiled", "precompiled_charsmap": "?"}})}, "precompiled_charsmap: illegal base64"},
		"empty":          {0, files{"tokenizer.json": bpe(object{"type": "BPE"})}, "the vocabulary is empty"},
		"merges":         {0, files{"tokenizer.json": bpe(object{"type": "BPE", "vocab": tokens("a"), "merges": list{"a b c"}})}, `merge 0 is "a b c"`},
		"merge of three": {0, files{"tokenizer.json": bpe(object{"type": "BPE", "vocab": tokens("a"), "merges": 3})}, "merges are neither texts nor pairs"},
		"negative":       {0, files{"tokenizer.json": bpe(object{"type": "BPE", "vocab": object{"a": -1}})}, `token "a" has the number -1`},
		"twice":          {0, files{"tokenizer.json": bpe(object{"type": "BPE", "vocab": object{"a": 0, "b": 0}})}, `tokens "a" and "b" have the same number 0`},
		"gap":            {0, files{"tokenizer.json": bpe(object{"type": "BPE", "vocab": object{"a": 1 << 23}})}, "a vocabulary of 8388609 with 1 tokens"},
		"huge":           {1 << 30, files{"tokenizer.json": bpe(object{"type": "BPE", "vocab": tokens("a")})}, "a vocabulary of 1073741824 with 1 tokens"},
		"too few rows":   {300, files{"tokenizer.json": tinyTokenizer(320)}, "320 tokens, but the embedding has 300 rows only"},
		"steps": {0, files{"tokenizer.json": tokenizer(object{"type": "BPE", "vocab": tokens("a")}, object{"pre_tokenizer": object{"type": "Whitespace"}})},
			`no name is known for the steps ["Whitespace"]`},
		"decoder":  {0, files{"tokenizer.json": tinyTokenizer(3), "tokenizer_config.json": object{"added_tokens_decoder": object{"x": object{}}}}, `added_tokens_decoder: "x" is not a number`},
		"template": {0, files{"tokenizer.json": tinyTokenizer(3), "tokenizer_config.json": object{"chat_template": 3}}, "chat_template is neither a text nor a list"},
	} {
		_, err := folder(t, c.files).Vocabulary(c.size)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want %q", name, err, c.want)
		}
	}
}
