package hf

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/llamakit/llamakit/formats/gguf"
)

// addFiles seeds a fuzz test with files of testdata's folders.
func addFiles(f *testing.F, name string) {
	f.Helper()
	paths, err := filepath.Glob(filepath.Join("testdata", "*", name))
	if err != nil || len(paths) == 0 {
		f.Fatal("no seeds", err)
	}
	for _, path := range paths {
		data, err := os.ReadFile(path)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
}

// checkVocabulary wants as many kinds and scores as tokens, and special tokens among them.
func checkVocabulary(t *testing.T, v *Vocabulary) {
	t.Helper()
	if len(v.Kinds) != len(v.Tokens) || v.Scores != nil && len(v.Scores) != len(v.Tokens) {
		t.Fatalf("%d tokens, %d kinds, %d scores", len(v.Tokens), len(v.Kinds), len(v.Scores))
	}
	for name, id := range v.special {
		if id < 0 || id >= len(v.Tokens) {
			t.Fatalf("%s is %d of %d", name, id, len(v.Tokens))
		}
	}
	for i, k := range v.Kinds {
		if k < Normal || k > Byte {
			t.Fatalf("token %d is of kind %d", i, k)
		}
	}
	v.Set(gguf.NewMetadata())
}

func FuzzTokenizerJSON(f *testing.F) {
	addFiles(f, "tokenizer.json")
	for _, seed := range []string{`{"model":{"type":"BPE","vocab":{"a":16777215}}}`, `{"model":{"type":"BPE","byte_fallback":true,"vocab":{"<0x00>":0,"ab":1},"merges":["a b"]}}`,
		`{"model":{"type":"BPE","vocab":[["a",0.5]]},"post_processor":{"processors":[{"type":"TemplateProcessing","single":[{},{}]}]}}`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		var j tokenizerJSON
		if json.Unmarshal(data, &j) != nil {
			return
		}
		v, err := j.vocabulary(0, &tokenizerConfig{})
		if err != nil {
			return
		}
		if err := (&Folder{Path: t.TempDir()}).finish(v, &j, &tokenizerConfig{}); err != nil {
			t.Fatal(err)
		}
		checkVocabulary(t, v)
	})
}

func FuzzTokenizerModel(f *testing.F) {
	addFiles(f, "tokenizer.model")
	f.Add(sentencePieceFile(somePieces, false))
	f.Fuzz(func(t *testing.T, data []byte) {
		m, err := parseSentencePiece(data)
		if err != nil {
			return
		}
		if len(m.pieces) > len(data) {
			t.Fatalf("%d pieces of %d bytes", len(m.pieces), len(data))
		}
		if v, err := m.vocabulary(0, nil, nil, nil); err == nil {
			checkVocabulary(t, v)
		}
	})
}

// FuzzConfig reads config.json as every family does.
func FuzzConfig(f *testing.F) {
	addFiles(f, "config.json")
	for _, class := range Classes() {
		data, err := json.Marshal(configWith(class, object{"rope_parameters": object{"rope_type": "llama3", "rope_theta": 1e4}, "num_experts": 2}))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		var values map[string]any
		if json.Unmarshal(data, &values) != nil {
			return
		}
		for _, family := range families {
			c := newConfig("config.json", values)
			c.Class()
			p := newParams(c, family, 10)
			family.Params(p)
			if family.Extra != nil {
				family.Extra(p)
			}
			for _, x := range p.extra {
				if len(x.values) > maxHeadDim+len(data) {
					t.Fatalf("%s has %d values", x.name, len(x.values))
				}
			}
		}
	})
}

// FuzzFrontMatter reads the head of a README.
func FuzzFrontMatter(f *testing.F) {
	addFiles(f, "README.md")
	f.Add([]byte(readme))
	f.Add([]byte("---\na: [\n\n---\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		size := 0
		for k, list := range frontMatter(string(data)) {
			size += len(k)
			for _, v := range list {
				size += len(v)
			}
		}
		if size > 2*len(data)+8 {
			t.Fatalf("%d bytes of %d", size, len(data))
		}
		c := &Card{values: map[string]any{}}
		c.fromFrontMatter(frontMatter(string(data)))
		c.fromName(string(data), 7)
		c.Set(gguf.NewMetadata())
		c.FileName("F16")
	})
}
