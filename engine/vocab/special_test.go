package vocab

import (
	"slices"
	"strings"
	"testing"

	"github.com/llamakit/llamakit/formats/gguf"
)

// specialsVocab is a byte-level vocabulary with the given entries at its end, all of one kind.
func specialsVocab(t testing.TB, k Kind, entries ...string) *Vocab {
	return mustNew(t, specialsMetadata(k, entries...))
}

func specialsMetadata(k Kind, entries ...string) *gguf.Metadata {
	tokens := append(alphabet(), entries...)
	types := make([]int32, len(tokens))
	for i := range types {
		types[i] = int32(Normal)
		if i >= 256 {
			types[i] = int32(k)
		}
	}
	md := metadata("gpt2", tokens, types)
	md.Set("tokenizer.ggml.pre", gguf.String("gpt-2"))
	md.Set("tokenizer.ggml.merges", gguf.Strings([]string{"a b"}))
	md.Set("tokenizer.ggml.eos_token_id", gguf.Uint32(0))
	return md
}

func endsOf(v *Vocab) (ends []string) {
	for i := 256; i < v.Size(); i++ {
		if v.IsEOG(Token(i)) {
			ends = append(ends, v.Text(Token(i)))
		}
	}
	return ends
}

// TestEnds: which tokens end generation. All of these are what llama.cpp v0.7.0 prints for the same vocabularies.
func TestEnds(t *testing.T) {
	for _, s := range endSpellings {
		v := specialsVocab(t, Normal, s)
		if !v.IsEOG(256) || !v.IsControl(256) || !v.IsEOG(0) {
			t.Errorf("%s: end %v, control %v; the file's eos %v", s, v.IsEOG(256), v.IsControl(256), v.IsEOG(0))
		}
	}
	for _, c := range []struct{ entries, ends string }{
		{"<|return|> <|call|> <|end|> <|start|>", "<|return|> <|call|>"},
		{"<|flush|> <|calls|> <|end|>", "<|flush|> <|calls|>"},
		{"<|flush|> <|return|> <|end|>", "<|flush|> <|return|> <|end|>"},
		{"<|call|> <|end|>", "<|call|> <|end|>"},
		{"<|tool_response> </s> <eos> <turn|>", "<|tool_response> <eos> <turn|>"},
		{"</s> <eos>", "</s> <eos>"},
		{"<|fim_pad|> <|repo_name|> <|file_sep|> <|fim_prefix|>", "<|fim_pad|> <|repo_name|> <|file_sep|>"},
		{"<think> <|im_start|> <|eot|>", ""},
	} {
		v := specialsVocab(t, Control, strings.Fields(c.entries)...)
		if got := endsOf(v); !slices.Equal(got, strings.Fields(c.ends)) {
			t.Errorf("%s: %q end generation, want %s", c.entries, got, c.ends)
		}
	}
	md := specialsMetadata(Normal, "<|plamo:eos|>", "</s>")
	md.Set("tokenizer.ggml.eos_token_id", gguf.Uint32(256))
	if v := mustNew(t, md); v.IsEOG(257) || v.IsControl(257) || !v.IsEOG(256) {
		t.Error("PLaMo's </s> is a normal token")
	}
}

// TestRoles: a special token is what its key says, else the first of its spellings.
func TestRoles(t *testing.T) {
	v := specialsVocab(t, Normal)
	for _, r := range v.roles() {
		for _, s := range r.spellings {
			v := specialsVocab(t, Normal, s)
			for _, q := range v.roles() {
				if slices.Contains(q.spellings, s) != (*q.token == 256) && q.token != &v.BOS && q.token != &v.EOS {
					t.Errorf("%s: token of role %v is %d", s, q.keys, *q.token)
				}
			}
			if !v.IsControl(256) {
				t.Errorf("%s is no control token", s)
			}
		}
		for _, key := range r.keys {
			md := specialsMetadata(Normal, "xyz", "<|endoftext|>")
			md.Set("tokenizer.ggml."+key, gguf.Uint32(256))
			v := mustNew(t, md)
			for _, q := range v.roles() {
				if slices.Contains(q.keys, key) && *q.token != 256 {
					t.Errorf("%s: token is %d, want 256", key, *q.token)
				}
			}
		}
	}
	if v := specialsVocab(t, Normal, "<|endoftext|>", "<|im_end|>"); v.EOT != 257 {
		t.Errorf("EOT is %d, want <|im_end|>", v.EOT)
	}
}

// TestDefaults: what a model or pre-tokenizer adds when no key says otherwise.
func TestDefaults(t *testing.T) {
	for _, c := range []struct {
		pre                    string
		bos, addBOS, addSEP, _ bool
	}{
		{"gpt-2", true, false, false, false}, {"llama-bpe", true, true, false, false}, {"tekken", true, true, false, false},
		{"chameleon", true, true, false, false}, {"qwen2", true, false, false, false}, {"glm4", false, false, false, false},
		{"roberta-bpe", true, false, true, false}, {"gemma4", true, true, false, false},
	} {
		md := specialsMetadata(Normal)
		md.Set("tokenizer.ggml.pre", gguf.String(c.pre))
		v := mustNew(t, md)
		if (v.BOS != None) != c.bos || v.AddBOS != c.addBOS || v.AddSEP != c.addSEP || v.AddEOS {
			t.Errorf("%s: BOS %d, AddBOS %v, AddSEP %v, AddEOS %v", c.pre, v.BOS, v.AddBOS, v.AddSEP, v.AddEOS)
		}
		md.Set("tokenizer.ggml.add_bos_token", gguf.Bool(false))
		if got, want := mustNew(t, md).AddBOS, c.pre == "gemma4"; got != want {
			t.Errorf("%s: AddBOS is %v where the file says false", c.pre, got)
		}
	}
	if v := mustNew(t, tinySPM()); !v.AddBOS || v.AddEOS || v.BOS != 1 || v.EOS != 2 || v.UNK != 0 || v.NL != must(v.Lookup("<0x0A>")) {
		t.Errorf("llama: %+v, AddBOS %v", v.Specials, v.AddBOS)
	}
	v := mustNew(t, tinyBERT())
	wantTexts(t, v, "The inging", EncodeOptions{AddSpecial: true}, "[CLS]", "▁the", "▁i", "n", "g", "ing", "[SEP]")
}

// TestStrips: white space that special tokens swallow, known only by the name of the model.
func TestStrips(t *testing.T) {
	opt := EncodeOptions{ParseSpecial: true}
	md := tinySPM()
	md.Set("general.name", gguf.String("A Phi-3 model"))
	wantTexts(t, mustNew(t, md), "a <|im_end|> \n b<s> c", opt, "▁a", "▁", "<|im_end|>", "▁", "b", "<s>", "▁▁", "c")

	md = specialsMetadata(Control, "<mask>", "<other>")
	md.Set("tokenizer.ggml.pre", gguf.String("jina-v2-code"))
	wantTexts(t, mustNew(t, md), "a \t<mask> b <other> c", opt, "a", "<mask>", "Ġ", "b", "Ġ", "<other>", "Ġ", "c")

	md = specialsMetadata(Control, "[MASK]")
	md.Set("general.name", gguf.String("Modern-BERT"))
	wantTexts(t, mustNew(t, md), " [MASK] ", opt, "[MASK]", "Ġ")
}

// TestKinds: New's changes to the kinds of a file, and what they mean for the text of a token.
func TestKinds(t *testing.T) {
	v := specialsVocab(t, Control, "<|channel|>", "<|message|>", "<|eot_id|>", "<unused1>")
	for i, want := range []Kind{UserDefined, UserDefined, Control, Control} {
		id := Token(256 + i)
		if v.Kind(id) != want || (len(v.Piece(id, false)) > 0) != (want == UserDefined) || string(v.Piece(id, true)) != v.Text(id) {
			t.Errorf("%s: kind %d, text %q and %q", v.Text(id), v.Kind(id), v.Piece(id, false), v.Piece(id, true))
		}
	}
	for k, text := range map[Kind]string{Normal: "a b", Unused: "", Undefined: ""} {
		if v := specialsVocab(t, k, "aĠb"); string(v.Piece(256, true)) != text {
			t.Errorf("kind %d: text %q, want %q", k, v.Piece(256, true), text)
		}
	}
}
