package cpu_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/llamakit/llamakit/engine/backend"
	"github.com/llamakit/llamakit/engine/backend/cpu"
	"github.com/llamakit/llamakit/engine/graph"
	"github.com/llamakit/llamakit/engine/kv"
	"github.com/llamakit/llamakit/formats/quant"
)

// deepTokens are more than two segments of pages, and end inside a page.
const deepTokens = 1205

// deep computes a text in chunks of the given sizes, the last one repeated, and returns the numbers of its last row.
func deep(t *testing.T, g *graph.Graph, threads int, typ quant.Type, company bool, chunks ...int) []float32 {
	t.Helper()
	p, err := (&cpu.Device{Threads: threads}).Compile(g, backend.Options{Rows: 512, Pages: 48, TypeK: typ, TypeV: typ})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	tokens, pages := text(deepTokens), make([]kv.Page, 40)
	for i := range pages {
		pages[i] = kv.Page(47 - i)
	}
	for past := 0; ; chunks = chunks[min(1, len(chunks)-1):] {
		n := min(chunks[0], deepTokens-past)
		b := &backend.Batch{Tokens: slices.Clone(tokens[past : past+n]), Spans: []backend.Span{{N: n, Past: past, Pages: pages}}, Outputs: []int32{int32(n) - 1}}
		if company {
			b.Tokens = append(b.Tokens, 7)
			b.Spans = append(b.Spans, backend.Span{Row: n, N: 1, Pages: []kv.Page{0}})
		}
		p.Run(b)
		if past += n; past == deepTokens {
			return slices.Clone(p.Logits(0))
		}
	}
}

// TestSegments: however the text is cut, and whoever computes which segment, the numbers are the same bits, and right.
func TestSegments(t *testing.T) {
	for name, spec := range map[string]graph.AttentionSpec{
		"plain":  {Heads: 4, HeadsKV: 2, DimK: 32, DimV: 32, Scale: 0.2},
		"mqa":    {Heads: 3, HeadsKV: 1, DimK: 64, DimV: 32, Scale: 0.1},
		"window": {Heads: 2, HeadsKV: 1, DimK: 32, DimV: 32, Scale: 0.2, Window: 700},
		"chunk":  {Heads: 2, HeadsKV: 1, DimK: 32, DimV: 32, Scale: 0.2, Chunk: 600},
		"sinks":  {Heads: 2, HeadsKV: 2, DimK: 32, DimV: 32, Scale: 0.2, Sinks: []float32{3, -2}},
		"alibi":  {Heads: 2, HeadsKV: 2, DimK: 32, DimV: 32, Scale: 0.2, ALiBi: 8},
	} {
		t.Run(name, func(t *testing.T) {
			m := newAttentionModel(spec)
			want := deep(t, m.g, 1, quant.F16, false, 512)
			close64(t, "after three segments", want, m.want(text(deepTokens), deepTokens-1), 1e-5)
			for _, c := range []struct {
				threads int
				company bool
				chunks  []int
			}{
				{3, false, []int{512}}, {2, true, []int{400, 400, 404, 1}}, {5, false, []int{511, 20, 200}}, {4, true, []int{300}},
				{8, false, []int{512, 512, 178, 1}},
			} {
				if got := deep(t, m.g, c.threads, quant.F16, c.company, c.chunks...); !slices.Equal(got, want) {
					t.Errorf("%d threads, company %v, chunks %v: other bits", c.threads, c.company, c.chunks)
				}
			}
		})
	}
}

// TestCacheTypes: every type for keys and for values is close to the definition, by its precision, and does not depend on chunks.
func TestCacheTypes(t *testing.T) {
	m := newAttentionModel(graph.AttentionSpec{Heads: 4, HeadsKV: 2, DimK: 64, DimV: 32, Scale: 0.1})
	tokens, pages := text(75), []kv.Page{4, 1, 3}
	want := m.want(tokens, 74)
	bounds := map[quant.Type]float64{quant.F32: 1e-11, quant.F16: 1e-6, quant.BF16: 1e-4, quant.Q8_0: 2e-4, quant.Q5_1: 8e-3,
		quant.Q5_0: 8e-3, quant.Q4_1: 4e-2, quant.Q4_0: 8e-2, quant.IQ4_NL: 3e-2}
	eachTier(t, func(t *testing.T) {
		for k, boundK := range bounds {
			for v, boundV := range bounds {
				if k != v && k != quant.F16 && v != quant.F16 {
					continue
				}
				var first []float32
				for _, chunk := range []int{64, 40, 75 - 1} {
					p, err := (&cpu.Device{Threads: 2}).Compile(m.g, backend.Options{Rows: 80, Pages: 5, TypeK: k, TypeV: v})
					if err != nil {
						t.Fatal(err)
					}
					for past := 0; past < 75; past += chunk {
						n := min(chunk, 75-past)
						p.Run(&backend.Batch{Tokens: tokens[past : past+n], Spans: []backend.Span{{N: n, Past: past, Pages: pages}}, Outputs: []int32{int32(n) - 1}})
					}
					got := slices.Clone(p.Logits(0))
					p.Close()
					close64(t, fmt.Sprintf("keys %v, values %v", k, v), got, want, boundK+boundV)
					if first == nil {
						first = got
					} else if !slices.Equal(got, first) {
						t.Errorf("keys %v, values %v: chunks of %d give other bits", k, v, chunk)
					}
				}
			}
		}
	})
}

// TestCacheTypeThatDoesNotFit: blocks of 32 do not divide every head.
func TestCacheTypeThatDoesNotFit(t *testing.T) {
	for dim, ok := range map[int]bool{32: true, 64: true, 80: false, 96: true, 128: true, 256: true, 576: true, 48: false} {
		g := newAttentionModel(graph.AttentionSpec{Heads: 1, HeadsKV: 1, DimK: dim, DimV: 32}).g
		for _, typ := range []quant.Type{quant.Q8_0, quant.IQ4_NL} {
			p, err := (&cpu.Device{Threads: 1}).Compile(g, backend.Options{Rows: 1, Pages: 1, TypeK: typ, TypeV: quant.F16})
			if (err == nil) != ok {
				t.Errorf("%v keys of %d: error %v", typ, dim, err)
			}
			if p != nil {
				p.Close()
			}
		}
	}
}
