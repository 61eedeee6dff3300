package cpu

import (
	"slices"
	"testing"

	"github.com/llamakit/llamakit/engine/graph"
	"github.com/llamakit/llamakit/engine/kv"
	"github.com/llamakit/llamakit/formats/quant"
)

// TestReadingOrder lists the pages as attention reads them and holds what is fetched meanwhile beside the list.
func TestReadingOrder(t *testing.T) {
	layer := graph.Layer{HeadsKV: 2, DimK: 4, DimV: 4}
	types := []quant.Type{quant.F32}
	cache := &layerCache{Layer: layer, k: newBlock(quant.F32, layer, 4, 16), v: newBlock(quant.F32, layer, 4, 16)}
	cache.k.keep(&memory{}, types)
	cache.v.keep(&memory{}, types)
	pages := []kv.Page{9, 3, 8, 1, 7, 2, 6, 0, 5, 4}
	for _, c := range []struct {
		start, end int
		v          *graph.Tensor
	}{{0, 1, &graph.Tensor{}}, {0, 5, &graph.Tensor{}}, {3, 10, &graph.Tensor{}}, {2, 9, nil}} {
		o := readingOrder{&attention{op: &graph.Attention{V: c.v}, cache: cache, values: &cache.v}, pages, c.start, c.end}
		var places []place
		var rows []*byte
		add := func(head, first, page int, values bool) {
			from := &cache.k
			if values {
				from = &cache.v
			}
			places = append(places, place{head, first, page, values})
			rows = append(rows, &from.head(pages[page], head)[0])
		}
		for head := range layer.HeadsKV {
			for first := c.start; first < c.end; first += stripePages - first%stripePages {
				stripe := min(first-first%stripePages+stripePages, c.end)
				for page := first; page < stripe; page++ {
					add(head, first, page, false)
				}
				for page := first; page < stripe && c.v != nil; page++ {
					add(head, first, page, true)
				}
			}
		}
		for i, p := range places {
			for n := 1; n <= stripePages; n++ {
				got, at := o.ahead(p, n), i+max(n, 2)
				if at >= len(rows) {
					if got != nil {
						t.Errorf("pages %d to %d: something is fetched at %+v, near the end", c.start, c.end, p)
					}
				} else if len(got) == 0 || &got[0] != rows[at] {
					t.Errorf("pages %d to %d: at %+v, %d pages, fetched is page %d, want %d", c.start, c.end, p, n, slices.Index(rows, &got[0]), at)
				}
			}
		}
	}
}
