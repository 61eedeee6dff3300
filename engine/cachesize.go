package engine

import (
	"github.com/llamakit/llamakit/engine/arch"
	"github.com/llamakit/llamakit/engine/backend"
	"github.com/llamakit/llamakit/formats/gguf"
)

// CacheBytes returns the bytes that the key-value cache holds of one token of the model in f, with elements of types k
// and v. It needs the header alone. It fails for a model that Open would refuse.
func CacheBytes(f *gguf.File, k, v CacheType) (int64, error) {
	typeK, err := k.quant()
	if err != nil {
		return 0, err
	}
	typeV, err := v.quant()
	if err != nil {
		return 0, err
	}
	header, err := f.WithoutData()
	if err != nil {
		return 0, err
	}
	m, err := arch.Build(header, arch.Options{})
	if err != nil {
		return 0, err
	}
	if err := backend.CheckCache(m.Graph, typeK, typeV); err != nil {
		return 0, err
	}
	return tokenBytes(m.Graph, typeK, typeV), nil
}
