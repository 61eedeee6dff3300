package hf

import (
	"fmt"
	"io/fs"
	"path/filepath"

	"github.com/llamakit/llamakit/formats/gguf"
)

// Kind is a token's type in tokenizer.ggml.token_type.
type Kind int32

// The kinds of tokens.
const (
	Normal      Kind = 1
	Unknown     Kind = 2
	Control     Kind = 3
	UserDefined Kind = 4
	Unused      Kind = 5
	Byte        Kind = 6
)

// Vocabulary is a tokenizer as GGUF files hold it.
type Vocabulary struct {
	Model  string // "gpt2", "llama", "bert" or "t5"
	Pre    string
	Tokens []string
	Scores []float32 // nil for "gpt2" and "bert"
	Kinds  []Kind
	Merges []string // of "gpt2"
	Notes  []string // what a person should know, for example tokens left out

	special     map[string]int  // bos, eos, unk, ...: token numbers
	add         map[string]bool // bos, eos, sep
	prefix      *bool           // add_space_prefix
	normalizer  map[string]bool // lowercase, strip_accents, nfc
	mergeSpaces bool            // of "t5"
	charsMap    []byte          // of "t5"
	templates   []template
}

// ErrNoTokenizer is returned for a folder without any of the three.
var ErrNoTokenizer = fmt.Errorf("no tokenizer.json, no tokenizer.model and no tekken.json: %w", fs.ErrNotExist)

// Limits of what a tokenizer may claim: so many tokens, and so many numbers without a token beside those that have one. The
// largest published vocabularies have some 262,000 tokens, and pad with less than a thousand.
const (
	maxVocab = 1 << 24
	maxGaps  = 1 << 16
)

// Vocabulary reads the tokenizer. size is the number of rows of the embedding, to which the vocabulary is padded with unused
// tokens; 0: as many as there are.
func (f *Folder) Vocabulary(size int) (*Vocabulary, error) {
	config, err := f.tokenizerConfig()
	if err != nil {
		return nil, err
	}
	var t tokenizerJSON
	found, err := f.readJSON("tokenizer.json", &t)
	if err != nil {
		return nil, err
	}
	model, isPiece, err := f.read("tokenizer.model")
	switch {
	case err != nil:
		return nil, err
	case isPiece:
		return f.pieceVocabulary(model, &t, size, config)
	case !found:
		v, found, err := f.tekkenVocabulary(size, config)
		switch {
		case err != nil:
			return nil, fmt.Errorf("%s: %w", filepath.Join(f.Path, "tekken.json"), err)
		case !found:
			return nil, fmt.Errorf("%s: %w", f.Path, ErrNoTokenizer)
		}
		return v, nil
	}
	v, err := t.vocabulary(size, config)
	if err == nil {
		err = f.finish(v, &t, config)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", filepath.Join(f.Path, "tokenizer.json"), err)
	}
	return v, nil
}

func (v *Vocabulary) note(format string, args ...any) {
	v.Notes = append(v.Notes, fmt.Sprintf(format, args...))
}

// pad makes size unused tokens. known is how many of them will get a text; far more than that is a tokenizer that lies.
func (v *Vocabulary) pad(size, known int) error {
	if size > maxVocab || size-known > known+maxGaps {
		return fmt.Errorf("a vocabulary of %d with %d tokens, want at most %d unused ones", size, known, known+maxGaps)
	}
	v.Tokens, v.Kinds = make([]string, size), make([]Kind, size)
	for i := range v.Tokens {
		v.Tokens[i], v.Kinds[i] = fmt.Sprintf("[PAD%d]", i), Unused
	}
	return nil
}

// keyNames are special tokens whose key is spelled otherwise.
var keyNames = map[string]string{"unk": "unknown", "sep": "seperator", "pad": "padding"}

// Set writes the keys tokenizer.*.
func (v *Vocabulary) Set(md *gguf.Metadata) {
	md.Set("tokenizer.ggml.model", gguf.String(v.Model))
	md.Set("tokenizer.ggml.pre", gguf.String(v.Pre))
	md.Set("tokenizer.ggml.tokens", gguf.Strings(v.Tokens))
	if v.Scores != nil {
		md.Set("tokenizer.ggml.scores", gguf.Float32s(v.Scores))
	}
	kinds := make([]int32, len(v.Kinds))
	for i, k := range v.Kinds {
		kinds[i] = int32(k)
	}
	md.Set("tokenizer.ggml.token_type", gguf.Int32s(kinds))
	if len(v.Merges) > 0 {
		md.Set("tokenizer.ggml.merges", gguf.Strings(v.Merges))
	}
	v.setSpecials(md)
	v.setTemplates(md)
}

func (v *Vocabulary) setSpecials(md *gguf.Metadata) {
	for _, name := range specialNames {
		if id, ok := v.special[name]; ok {
			key := name
			if long, ok := keyNames[name]; ok {
				key = long
			}
			md.Set("tokenizer.ggml."+key+"_token_id", gguf.Uint32(uint32(id)))
		}
	}
	for _, name := range []string{"bos", "eos", "sep"} {
		if on, ok := v.add[name]; ok {
			md.Set("tokenizer.ggml.add_"+name+"_token", gguf.Bool(on))
		}
	}
	if v.prefix != nil {
		md.Set("tokenizer.ggml.add_space_prefix", gguf.Bool(*v.prefix))
	}
	if v.Model == "t5" {
		md.Set("tokenizer.ggml.remove_extra_whitespaces", gguf.Bool(v.mergeSpaces))
	}
	if v.charsMap != nil {
		md.Set("tokenizer.ggml.precompiled_charsmap", gguf.Uint8s(v.charsMap))
	}
	for _, name := range []string{"lowercase", "strip_accents", "nfc"} {
		if on, ok := v.normalizer[name]; ok {
			md.Set("tokenizer.ggml.normalizer."+name, gguf.Bool(on))
		}
	}
}
