package imatrix

import (
	"math"

	"github.com/llamakit/llamakit/formats/gguf"
)

// Progress marks a matrix that is not finished, and holds what is needed to go on with it. It is kept in the GGUF format
// only, under keys of our own, which other programs leave alone.
type Progress struct {
	Run  string // names what the matrix is being made of: model, text, settings
	Next int    // chunk of the text that comes next

	// What the perplexity of the chunks so far is computed from: the mean negative log-likelihood of Tokens tokens, and the
	// sum of their squared deviations from it.
	Tokens        int
	Mean, Squares float64
}

const (
	prefixProgress = "llamakit.imatrix"
	keyRun         = "run"
	keyNext        = "next_chunk"
	keyTokens      = "nll.tokens"
	keyMean        = "nll.mean"
	keySquares     = "nll.squares"
)

func (p *Progress) put(md *gguf.Metadata) {
	set := func(key string, v gguf.Value) { md.Set(prefixProgress+"."+key, v) }
	set(keyRun, gguf.String(p.Run))
	set(keyNext, gguf.Uint32(uint32(p.Next)))
	set(keyTokens, gguf.Uint64(uint64(p.Tokens)))
	set(keyMean, gguf.Float64(p.Mean))
	set(keySquares, gguf.Float64(p.Squares))
}

// readProgress returns nil for a finished matrix.
func readProgress(md *gguf.Metadata) (*Progress, error) {
	r := md.Reader(prefixProgress)
	if !r.Has(keyRun) {
		return nil, nil
	}
	p := &Progress{Run: r.Str(keyRun), Next: r.IntIn(keyNext, 0, math.MaxInt32), Tokens: r.IntIn(keyTokens, 0, math.MaxInt),
		Mean: r.Float(keyMean), Squares: r.Float(keySquares)}
	return p, r.Err()
}
