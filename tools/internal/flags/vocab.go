package flags

import (
	"fmt"

	"github.com/llamakit/llamakit/engine/vocab"
	"github.com/llamakit/llamakit/formats/gguf"
)

// OpenVocab reads the tokenizer of a GGUF file, and nothing else of it.
func OpenVocab(path string) (*vocab.Vocab, error) {
	f, err := gguf.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	v, err := vocab.New(f.Metadata)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return v, nil
}
