package backend

import (
	"fmt"

	"github.com/llamakit/llamakit/engine/graph"
	"github.com/llamakit/llamakit/formats/quant"
)

// CheckCache says where the blocks of the cache's types do not divide the heads of g.
func CheckCache(g *graph.Graph, k, v quant.Type) error {
	for i, l := range g.Layers {
		for _, c := range []struct {
			what string
			typ  quant.Type
			dim  int
		}{{"keys", k, l.DimK}, {"values", v, l.DimV}} {
			if n := c.typ.BlockSize(); c.dim%n != 0 {
				return fmt.Errorf("cache type %v: its blocks of %d do not divide the %s of attention layer %d, %d elements a head; use f16, bf16 or f32",
					c.typ, n, c.what, i, c.dim)
			}
		}
	}
	return nil
}
