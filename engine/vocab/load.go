package vocab

import (
	"errors"
	"fmt"
	"sync"

	"github.com/llamakit/llamakit/formats/gguf"
)

// ErrNoVocab is of a file without a vocabulary on purpose (tokenizer.ggml.model "none" or "no_vocab"): such a model can be run
// on token numbers, but not on text.
var ErrNoVocab = errors.New("the file has no vocabulary")

const keys = "tokenizer.ggml"

// New reads the vocabulary from the keys tokenizer.ggml.*. It does not keep md.
//
// An error names the key, and is gguf.ErrNotFound, gguf.ErrCorrupt, gguf.ErrUnsupported or ErrNoVocab.
func New(md *gguf.Metadata) (*Vocab, error) {
	l := &loader{r: md.Reader(keys), md: md, v: &Vocab{Specials: noSpecials}}
	l.v.Model, l.v.Pre = l.r.Str("model"), l.r.StrOr("pre", "")
	if err := l.r.Err(); err != nil {
		return nil, err
	}
	model, err := l.findModel()
	if err != nil {
		return nil, err
	}
	if err := l.readWords(); err != nil {
		return nil, err
	}
	if err := model(l); err != nil {
		return nil, err
	}
	if err := l.readSpecials(); err != nil {
		return nil, err
	}
	l.v.setEnds()
	l.v.marked = newMarkers(l.v)
	l.v.controlEnds = sync.OnceValue(l.v.newEnds)
	l.v.pieces = newPieces(l.v)
	return l.v, nil
}

// loader carries what New has read so far.
type loader struct {
	md       *gguf.Metadata
	r        *gguf.Reader
	v        *Vocab
	forceBOS bool // whatever add_bos_token says
}

// findModel returns the function that sets a model's defaults and makes its tokenizer.
func (l *loader) findModel() (func(*loader) error, error) {
	switch l.v.Model {
	case "gpt2", "gemma4", "whitespace", "hybriddna":
		return (*loader).bpe, nil
	case "llama":
		return (*loader).spm, nil
	case "bert":
		return (*loader).wordPiece, nil
	case "none", "no_vocab":
		return nil, fmt.Errorf("%s.model is %q: %w", keys, l.v.Model, ErrNoVocab)
	case "t5":
		return (*loader).unigram, nil
	case "rwkv":
		return (*loader).rwkv, nil
	case "plamo2":
		return (*loader).plamo2, nil
	}
	return nil, fmt.Errorf("%s.model: no tokenizer is called %q: %w", keys, gguf.Printable(l.v.Model), gguf.ErrUnsupported)
}

// readWords reads tokens, scores and types. Scores and types may be missing; there may be more of them than tokens.
func (l *loader) readWords() error {
	tokens := l.r.Strs("tokens")
	if err := l.r.Err(); err != nil {
		return err
	}
	if len(tokens) == 0 {
		return fmt.Errorf("%s.tokens is empty: %w", keys, gguf.ErrCorrupt)
	}
	l.v.words = make([]word, len(tokens))
	for i, s := range tokens {
		l.v.words[i] = word{text: s, attr: Normal.attr()}
	}
	if err := l.readScores(); err != nil {
		return err
	}
	if err := l.readTypes(); err != nil {
		return err
	}
	return l.index()
}

func (l *loader) readScores() error {
	if !l.r.Has("scores") {
		return nil
	}
	scores := l.r.Floats("scores")
	if err := l.r.Err(); err != nil {
		return err
	}
	if err := l.enough("scores", len(scores)); err != nil {
		return err
	}
	for i := range l.v.words {
		l.v.words[i].score = scores[i]
	}
	return nil
}

func (l *loader) readTypes() error {
	if !l.r.Has("token_type") {
		return nil
	}
	types := l.r.Ints("token_type")
	if err := l.r.Err(); err != nil {
		return err
	}
	if err := l.enough("token_type", len(types)); err != nil {
		return err
	}
	for i := range l.v.words {
		k := Undefined
		if t := types[i]; t > 0 && t <= int(Byte) {
			k = Kind(t)
		}
		l.v.words[i].attr = k.attr()
	}
	return nil
}

func (l *loader) enough(key string, n int) error {
	if n < len(l.v.words) {
		return fmt.Errorf("%s.%s has %d entries for %d tokens: %w", keys, key, n, len(l.v.words), gguf.ErrCorrupt)
	}
	return nil
}

// index fills ids. Entries must differ; an empty one gets a name, as in llama.cpp.
func (l *loader) index() error {
	v := l.v
	v.ids = make(map[string]Token, len(v.words))
	for i := range v.words {
		w := &v.words[i]
		if w.text == "" {
			w.text = fmt.Sprintf("[EMPTY_%d]", i)
		}
		if j, ok := v.ids[w.text]; ok {
			return fmt.Errorf("%s.tokens: %q is both token %d and token %d: %w", keys, gguf.Printable(w.text), j, i, gguf.ErrCorrupt)
		}
		v.ids[w.text] = Token(i)
		v.longest = max(v.longest, len(w.text))
	}
	return nil
}

// setEnds settles what goes around a text: BERT's tokens always, others where the file or the model asks for them.
func (v *Vocab) setEnds() {
	v.begin, v.end = None, None
	if v.AddBOS {
		v.begin = v.BOS
	}
	if v.AddEOS {
		v.end = v.EOS
	}
	if v.Model == "bert" {
		v.begin, v.end = v.BOS, v.SEP
	}
}
