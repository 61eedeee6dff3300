package logprobs

import (
	"encoding/binary"
	"math"
)

// depth is how far below the most likely token the codes reach, in nats.
const depth = 16

// maxCode is the code of the most likely token.
const maxCode = 1<<16 - 1

// rowHead is the size of a row's scale and minimum.
const rowHead = 8

// RowBytes is the size of a row over a vocabulary.
func RowBytes(vocab int) int { return rowHead + 2*(vocab+vocab%2) }

// Row is one position's log-probabilities as they stand in a file.
type Row []byte

// Codes are the log-probabilities of a Row: that of token i is Scale × At(i) + Min.
type Codes struct {
	Scale, Min float64
	codes      []byte
}

// Codes reads the row's head.
func (r Row) Codes() Codes { return Codes{Scale: r.float(0), Min: r.float(4), codes: r[rowHead:]} }

// At is the code of token i.
func (c Codes) At(i int) uint16 { return binary.LittleEndian.Uint16(c.codes[2*i:]) }

// LogProb is the log-probability of token i.
func (c Codes) LogProb(i int) float64 { return c.Scale*float64(c.At(i)) + c.Min }

func (r Row) float(at int) float64 {
	return float64(math.Float32frombits(binary.LittleEndian.Uint32(r[at:])))
}

// Encode fills the row from logits, whose largest is top and whose log of the sum of exp(logit - top) is logSum. All must be
// finite, or minus infinity for what cannot follow.
func (r Row) Encode(logits []float32, top float32, logSum float64) {
	low := top
	for _, l := range logits {
		low = min(low, l)
	}
	low = max(low, top-depth)
	scale := (top - low) / maxCode
	binary.LittleEndian.PutUint32(r, math.Float32bits(scale))
	binary.LittleEndian.PutUint32(r[4:], math.Float32bits(low-top-float32(logSum)))
	codes := r[rowHead:]
	clear(codes)
	if scale == 0 {
		return
	}
	inverse := 1 / scale
	for i, l := range logits {
		if l > low {
			code := math.RoundToEven(float64(inverse * (l - low)))
			binary.LittleEndian.PutUint16(codes[2*i:], uint16(min(code, maxCode)))
		}
	}
}

// valid reports whether the row's head can be one of log-probabilities.
func (r Row) valid() bool {
	scale, low := r.float(0), r.float(4)
	const rounding = 1e-3
	return scale >= 0 && scale <= depth && low-low == 0 && low+scale*maxCode <= rounding
}
