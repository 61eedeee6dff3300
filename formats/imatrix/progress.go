package imatrix

import (
	"fmt"

	"github.com/llamakit/llamakit/formats/gguf"
)

// Progress marks a matrix that is not finished, and holds what is needed to go on with it. It is kept in the GGUF format
// only, under keys of our own, which other programs leave alone.
type Progress struct {
	Run  string // names what the matrix is being made of: model, text, settings
	Next int    // chunk of the text that comes next

	// What the perplexity of the chunks so far is computed from: sums of the negative log-likelihoods of Tokens tokens,
	// and of their squares.
	NLL, NLL2 float64
	Tokens    int
}

const (
	prefixProgress = "llamakit.imatrix"
	keyRun         = "run"
	keyNext        = "next_chunk"
	keyNLL         = "nll"
	keyNLL2        = "nll_squared"
	keyTokens      = "nll_tokens"
)

func (p *Progress) put(md *gguf.Metadata) {
	set := func(key string, v gguf.Value) { md.Set(prefixProgress+"."+key, v) }
	set(keyRun, gguf.String(p.Run))
	set(keyNext, gguf.Uint32(uint32(p.Next)))
	set(keyNLL, gguf.Float64(p.NLL))
	set(keyNLL2, gguf.Float64(p.NLL2))
	set(keyTokens, gguf.Uint32(uint32(p.Tokens)))
}

// readProgress returns nil for a finished matrix.
func readProgress(md *gguf.Metadata) (*Progress, error) {
	r := md.Reader(prefixProgress)
	if !r.Has(keyRun) {
		return nil, nil
	}
	p := &Progress{Run: r.Str(keyRun), Next: r.Int(keyNext), NLL: r.Float(keyNLL), NLL2: r.Float(keyNLL2), Tokens: r.Int(keyTokens)}
	if err := r.Err(); err != nil {
		return nil, err
	}
	if p.Next < 0 || p.Tokens < 0 {
		return nil, fmt.Errorf("key %s.%s or %s is negative", prefixProgress, keyNext, keyTokens)
	}
	return p, nil
}
