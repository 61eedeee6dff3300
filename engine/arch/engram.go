package arch

import (
	"fmt"

	"github.com/llamakit/llamakit/engine/arch/blocks"
	"github.com/llamakit/llamakit/engine/graph"
	"github.com/llamakit/llamakit/formats/gguf"
)

// maxNGram bounds the tokens of an n-gram.
const maxNGram = 64

// engram binds the table of n-grams for layer i.
func (s *source) engram(i, n int) *blocks.Engram {
	longest, heads := s.IntIn("ple.ngram_size", 2, maxNGram), s.IntIn("ple.heads_per_ngram", 1, maxHeads)
	taps, width := s.IntIn("ple.conv_kernel", 1, maxTaps), s.IntIn("embedding_length_per_layer_input", 1, maxWidth)
	e := &blocks.Engram{Streams: n, NGrams: graph.NGramSpec{Longest: longest, Heads: heads, Separator: int32(s.Int("ple.eos_token_id")),
		Multipliers: s.int64s("ple.layer_multipliers", longest), Rows: s.int64s("ple.head_vocab_sizes", (longest-1)*heads),
		Offsets: s.int64s("ple.head_offsets", (longest-1)*heads)}}
	e.Table = s.table("per_layer_token_embd.weight", width)
	for h, rows := range e.NGrams.Rows {
		if from := e.NGrams.Offsets[h]; rows < 1 || from < 0 || from > int64(e.Table.Out)-rows {
			s.fail(fmt.Errorf("%w: head %d of n-grams has %d rows from %d on, of a table of %d", gguf.ErrCorrupt, h, rows, from, e.Table.Out))
		}
	}
	rows := (longest - 1) * heads * width
	e.Key, e.Value = s.plain(name(i, "ple_key"), rows, n*s.NEmbd), s.plain(name(i, "ple_value"), rows, s.NEmbd)
	e.KeyNorm, e.QueryNorm = s.streamNorm(name(i, "ple_norm_key"), n), s.streamNorm(name(i, "ple_norm_query"), n)
	e.ConvNorm = s.streamNorm(name(i, "ple_norm_conv"), n)
	if conv := s.conv(name(i, "ple_conv1d"), taps, n*s.NEmbd); s.err() == nil {
		e.Conv = spaced(conv, longest)
	}
	return e
}

// table binds a matrix of as many rows as it has.
func (s *source) table(name string, width int) *graph.Weight {
	rows := 1
	if t, ok := s.file.Tensor(name); ok && len(t.Shape) == 2 {
		rows = t.Shape[1]
	}
	return s.matrix(name, width, rows)
}

// int64s reads n numbers.
func (s *source) int64s(key string, n int) []int64 {
	out := make([]int64, n)
	list := s.Ints(key)
	if len(list) != n && s.err() == nil {
		s.fail(fmt.Errorf("%w: key %s.%s has %d numbers, want %d", gguf.ErrCorrupt, s.arch, key, len(list), n))
	}
	for i, v := range list[:min(n, len(list))] {
		out[i] = int64(v)
	}
	return out
}

// spaced is a convolution whose taps are a number of rows apart.
func spaced(c blocks.Conv, apart int) blocks.Conv {
	taps := (c.Taps-1)*apart + 1
	w := make([]float32, len(c.W)/c.Taps*taps)
	for i, v := range c.W {
		w[i/c.Taps*taps+i%c.Taps*apart] = v
	}
	return blocks.Conv{W: w, Bias: c.Bias, Taps: taps}
}
