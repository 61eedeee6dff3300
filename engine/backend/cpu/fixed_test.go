package cpu_test

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/llamakit/llamakit/engine/backend"
	"github.com/llamakit/llamakit/engine/backend/cpu/kernel"
	"github.com/llamakit/llamakit/engine/graph"
	"github.com/llamakit/llamakit/engine/kv"
	"github.com/llamakit/llamakit/formats/quant"
)

// fixedWidths are heads that a cache of half precision keeps in fixed point where the tier has it.
var fixedWidths = graph.AttentionSpec{Heads: 4, HeadsKV: 2, DimK: 64, DimV: 32, Scale: 0.1}

// spoiltToken is a token whose row is not a number.
const spoiltToken = 5

// TestNotANumber: a row that is none reaches those that see it and not who gets its page later; in fixed point, neither earlier ones of the batch.
func TestNotANumber(t *testing.T) {
	m, spoilt := newAttentionModel(fixedWidths), newAttentionModel(fixedWidths)
	binary.LittleEndian.PutUint32(spoilt.embd.Row(spoiltToken), math.Float32bits(float32(math.NaN())))
	tokens := make([]int32, 90)
	for i := range tokens {
		tokens[i] = int32(i % spoiltToken)
	}
	pages := []kv.Page{2, 0, 1}
	eachTier(t, func(t *testing.T) {
		for _, typ := range []quant.Type{quant.F16, quant.F32, quant.Q8_0} {
			clean, p := compile(t, m.g, 2, typ), compile(t, spoilt.g, 2, typ)
			run := func(p backend.Program, tokens []int32, outputs ...int32) (rows [][]float32) {
				p.Run(&backend.Batch{Tokens: tokens, Spans: []backend.Span{{N: len(tokens), Pages: pages}}, Outputs: outputs})
				for i := range outputs {
					rows = append(rows, slices.Clone(p.Logits(i)))
				}
				return rows
			}
			want := run(clean, tokens[:60], 39, 59)
			bad := slices.Clone(tokens[:60])
			bad[40] = spoiltToken
			got := run(p, bad, 39, 59)
			if typ == quant.F16 && kernel.HasFixed(typ, fixedWidths.DimK) && !slices.Equal(got[0], want[0]) {
				t.Errorf("%v: a later row spoils an earlier one", typ)
			}
			if v := got[1][0]; v == v {
				t.Errorf("%v: a row that sees no number is %g", typ, v)
			}
			if got := run(p, tokens[:37], 36)[0]; !slices.Equal(got, run(clean, tokens[:37], 36)[0]) {
				t.Errorf("%v: what was in a page before changes a sequence", typ)
			}
		}
	})
}

// TestSavedPages: a sequence goes on in the same bits from pages that were read out and written to other places.
func TestSavedPages(t *testing.T) {
	m, tokens := newAttentionModel(fixedWidths), text(50)
	eachTier(t, func(t *testing.T) {
		for _, typ := range []quant.Type{quant.F16, quant.F32, quant.Q8_0} {
			t.Run(fmt.Sprint(typ), func(t *testing.T) {
				p := compile(t, m.g, 1, typ)
				last := func(p backend.Program, pages ...kv.Page) []float32 {
					p.Run(&backend.Batch{Tokens: tokens[49:], Spans: []backend.Span{{N: 1, Past: 49, Pages: pages}}, Outputs: []int32{0}})
					return slices.Clone(p.Logits(0))
				}
				p.Run(&backend.Batch{Tokens: tokens[:49], Spans: []backend.Span{{N: 49, Pages: []kv.Page{3, 5}}}})
				other := compile(t, m.g, 1, typ)
				for i, from := range []kv.Page{3, 5} {
					page, n := make([]byte, p.PageBytes()), min(kv.PageSize, 49-i*kv.PageSize)
					p.ReadPage(page, from, n)
					other.WritePage(kv.Page(9-i), n, page)
				}
				p.Copy(kv.Copy{From: 5, To: 7, Tokens: 49 - kv.PageSize})
				want := last(p, 3, 5)
				if got := last(p, 3, 7); !slices.Equal(got, want) {
					t.Error("other bits from a copied page")
				}
				if got := last(other, 9, 8); !slices.Equal(got, want) {
					t.Error("other bits from saved pages")
				}
			})
		}
	})
}
