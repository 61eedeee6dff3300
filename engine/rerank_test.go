package engine_test

import (
	"slices"
	"testing"

	"github.com/llamakit/llamakit/engine"
	"github.com/llamakit/llamakit/formats/gguf"
	"github.com/llamakit/llamakit/formats/quant"
)

// TestRankPrompt puts pairs together with the tokens that a file asks for, or by its template.
func TestRankPrompt(t *testing.T) {
	path := writeEncoder(t, "encoder-bert", quant.F32) // CLS 2, SEP 3, "cat" 85, "dog" 86
	for name, c := range map[string]struct {
		keys map[string]gguf.Value
		want []engine.Token
	}{
		"SEP alone": {nil, []engine.Token{2, 85, 3, 86}},
		"BERT": {map[string]gguf.Value{"tokenizer.ggml.add_eos_token": gguf.Bool(true), "tokenizer.ggml.eos_token_id": gguf.Uint32(3),
			"tokenizer.ggml.add_sep_token": gguf.Bool(false)}, []engine.Token{2, 85, 3, 86, 3}},
		"RoBERTa": {map[string]gguf.Value{"tokenizer.ggml.add_eos_token": gguf.Bool(true), "tokenizer.ggml.eos_token_id": gguf.Uint32(3)},
			[]engine.Token{2, 85, 3, 3, 86, 3}},
		"template": {map[string]gguf.Value{"tokenizer.chat_template.rerank": gguf.String("[CLS]{document} [SEP] {query}")},
			[]engine.Token{2, 86, 3, 85}},
	} {
		m := openEncoder(t, withKeys(t, path, c.keys), engine.Options{})
		if got, err := m.RankPrompt("cat", "dog"); err != nil || !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, %v, want %v", name, got, err, c.want)
		}
	}
}

// withKeys is a copy of a file with other keys.
func withKeys(t *testing.T, path string, keys map[string]gguf.Value) string {
	t.Helper()
	f, err := gguf.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	md := f.Metadata.Clone()
	for k, v := range keys {
		md.Set(k, v)
	}
	var infos []gguf.TensorInfo
	for i := range f.Tensors {
		infos = append(infos, f.Tensors[i].Info())
	}
	out, err := gguf.Create(path+".copy", md, infos)
	if err != nil {
		t.Fatal(err)
	}
	defer out.Abort() // without effect after Commit
	for i := range f.Tensors {
		if err := out.WriteTensor(f.Bytes(&f.Tensors[i])); err != nil {
			t.Fatal(err)
		}
	}
	if err := out.Commit(); err != nil {
		t.Fatal(err)
	}
	return path + ".copy"
}
