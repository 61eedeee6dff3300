package imatrix

import (
	"fmt"
	"slices"
	"strings"

	"github.com/llamakit/llamakit/engine"
	"github.com/llamakit/llamakit/engine/vocab"
	"github.com/llamakit/llamakit/tools/internal/flags"
)

// text is the calibration text in chunks.
type text struct {
	tokens []engine.Token // without the chunks that were left out
	chunks int
	size   int // tokens a chunk
	bos    engine.Token
}

// readText reads and cuts the text. A chunk begins with BOS in the place of its first token, where the model wants it.
func (o *options) readText(m *engine.Model) (*text, error) {
	raw, err := flags.ReadFile(o.file)
	if err != nil {
		return nil, err
	}
	v := m.Vocab()
	if v == nil {
		return nil, fmt.Errorf("%s: a text needs a tokenizer, and the model has none that is known", o.Path)
	}
	t := &text{size: m.Info().Context, bos: vocab.None}
	t.tokens = v.Encode(strings.TrimSuffix(string(raw), "\n"), vocab.EncodeOptions{AddSpecial: true, ParseSpecial: o.special})
	if v.AddBOS {
		t.bos = v.BOS
	}
	if len(raw) == 0 {
		return nil, fmt.Errorf("%s: the text is empty", o.file)
	}
	if need := (o.firstChunk + 2) * t.size; len(t.tokens) < need {
		return nil, fmt.Errorf("%s: you need at least %d tokens for a context of %d and --chunk %d, and the text has %d (take a longer one, or a smaller -c)",
			o.file, need, t.size, o.firstChunk, len(t.tokens))
	}
	t.tokens = t.tokens[o.firstChunk*t.size:]
	t.chunks = len(t.tokens) / t.size
	if o.chunks >= 0 {
		t.chunks = min(t.chunks, o.chunks)
	}
	return t, nil
}

// chunk returns the tokens of a chunk.
func (t *text) chunk(i int) []engine.Token {
	tokens := slices.Clone(t.tokens[i*t.size : (i+1)*t.size])
	if t.bos != vocab.None {
		tokens[0] = t.bos
	}
	return tokens
}
