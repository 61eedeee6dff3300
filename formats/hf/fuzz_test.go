package hf

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/llamakit/llamakit/formats/gguf"
	"github.com/llamakit/llamakit/formats/safetensors"
)

// folderWith is a folder that holds the given files only.
func folderWith(t *testing.T, files map[string][]byte) *Folder {
	t.Helper()
	dir := t.TempDir()
	for name, data := range files {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	f, err := Open(dir)
	if err != nil {
		t.Skip()
	}
	t.Cleanup(func() { f.Close() })
	return f
}

// checkVocabulary wants the lists of a vocabulary to fit one another.
func checkVocabulary(t *testing.T, f *Folder) {
	t.Helper()
	v, err := f.Vocabulary(0)
	if err != nil {
		return
	}
	if len(v.Kinds) != len(v.Tokens) || v.Scores != nil && len(v.Scores) != len(v.Tokens) {
		t.Errorf("%d tokens, %d kinds, %d scores", len(v.Tokens), len(v.Kinds), len(v.Scores))
	}
	for name, id := range v.special {
		if id < 0 || id >= len(v.Tokens) {
			t.Errorf("%s is %d of %d", name, id, len(v.Tokens))
		}
	}
	for i, k := range v.Kinds {
		if k < Normal || k > Byte {
			t.Errorf("token %d is of kind %d", i, k)
		}
	}
	v.Set(gguf.NewMetadata())
}

// seed is a file of testdata.
func seed(f *testing.F, elem ...string) []byte {
	f.Helper()
	data, err := os.ReadFile(filepath.Join(append([]string{"testdata"}, elem...)...))
	if err != nil {
		f.Fatal(err)
	}
	return data
}

func FuzzTokenizerJSON(f *testing.F) {
	for _, dir := range []string{"qwen3", "gemma3-json"} {
		f.Add(seed(f, dir, "tokenizer.json"), seed(f, dir, "tokenizer_config.json"))
	}
	f.Add(toJSON(tinyTokenizer(20)), []byte(`{"bos_token":"<s>","add_bos_token":true,"added_tokens_decoder":{"3":{"content":"<s>","special":true}}}`))
	f.Add([]byte(`{"model":{"type":"BPE","byte_fallback":true,"vocab":{"<unk>":0,"<0x0A>":1,"a":2,"b":3,"ab":4},"merges":[["a","b"]]}}`), []byte(`{"chat_template":[{"name":"default","template":"x"}]}`))
	f.Add([]byte(`{"model":{"type":"BPE","vocab":{"a":-1,"b":99999999}},"added_tokens":[{"id":5,"content":"x"}],"pre_tokenizer":{"type":"Sequence","pretokenizers":[{"type":"Digits"}]}}`), []byte(`{}`))
	f.Add([]byte(`{"model":{"type":"Unigram","unk_id":0,"vocab":[["<unk>",0],["a",-1.5]]},"normalizer":{"type":"Precompiled","precompiled_charsmap":"AAA="}}`), []byte(`{}`))
	f.Add([]byte(`{"model":{"type":"WordPiece","vocab":{"[UNK]":0,"##a":1}},"post_processor":{"type":"BertProcessing","cls":["[CLS]",1],"sep":[]}}`), []byte(`{}`))
	f.Add([]byte(`{"model":{"type":"BPE","vocab":{"a":0},"merges":["a"]},"pre_tokenizer":{"type":"ByteLevel"}}`), []byte(`[]`))
	f.Fuzz(func(t *testing.T, tokenizer, config []byte) {
		checkVocabulary(t, folderWith(t, map[string][]byte{"tokenizer.json": tokenizer, "tokenizer_config.json": config}))
	})
}

func FuzzTokenizerModel(f *testing.F) {
	f.Add(seed(f, "llama-spm", "tokenizer.model"), seed(f, "llama-spm", "added_tokens.json"))
	// pieces <unk> (2), <s> (3), <0x41> (6), ▁a with a score; trainer_spec.model_type 2
	f.Add([]byte("\x0a\x09\x0a\x05<unk>\x18\x02\x0a\x07\x0a\x03<s>\x18\x03\x0a\x0a\x0a\x06<0x41>\x18\x06\x0a\x0b\x0a\x04\xe2\x96\x81a\x15\x00\x00\x80\xbf\x12\x02\x18\x02"), []byte(`{"x":4}`))
	f.Add([]byte("\x0a\xff\xff\xff\xff\x0f"), []byte(`{"x":-4}`))
	f.Add([]byte("\x12\x02\x18\x02"), []byte(`{}`))
	f.Fuzz(func(t *testing.T, model, added []byte) {
		checkVocabulary(t, folderWith(t, map[string][]byte{"tokenizer.model": model, "added_tokens.json": added}))
	})
}

func FuzzTekken(f *testing.F) {
	f.Add(toJSON(tinyTekken()))
	f.Add([]byte(`{"config":{"default_vocab_size":9,"default_num_special_tokens":3},"vocab":[{"token_bytes":"YQ=="},{"token_bytes":"YQ=="}],"special_tokens":[{"rank":-1},{"rank":2,"token_str":"a"}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		checkVocabulary(t, folderWith(t, map[string][]byte{"tekken.json": data}))
	})
}

func FuzzConfig(f *testing.F) {
	f.Add(seed(f, "gemma3-json", "config.json"), seed(f, "qwen3", "README.md"))
	f.Add(seed(f, "llama-spm", "config.json"), []byte(readme))
	for _, class := range Classes() {
		f.Add([]byte(`{"architectures":["`+class+`"],"num_hidden_layers":1,"hidden_size":8,"intermediate_size":8,"num_attention_heads":2,"vocab_size":9,"rope_scaling":{"rope_type":"llama3"}}`), []byte("---\nlicense: mit\ntags:\n- a\n---\n"))
	}
	f.Add([]byte(`{"architectures":[7],"text_config":{"text_config":{}}}`), []byte("---\na: [b, c\n---"))
	tokenizer := toJSON(tinyTokenizer(5))
	var weights bytes.Buffer
	embd := safetensors.TensorData{Name: "model.embed_tokens.weight", DType: safetensors.F32, Shape: []int{9, 8}, Data: make([]byte, 4*9*8)}
	if err := safetensors.Write(&weights, []safetensors.TensorData{embd}, nil); err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, config, readme []byte) {
		dir := folderWith(t, map[string][]byte{"config.json": config, "README.md": readme, "tokenizer.json": tokenizer, "model.safetensors": weights.Bytes()})
		_, _ = dir.Convert(Options{Type: OutAuto})
		_, _ = dir.Convert(Options{VocabOnly: true})
	})
}
