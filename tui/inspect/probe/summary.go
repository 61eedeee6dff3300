package probe

import (
	"fmt"
	"slices"

	"github.com/llamakit/llamakit/engine"
	"github.com/llamakit/llamakit/formats/gguf"
	"github.com/llamakit/llamakit/tui/cells"
)

// Summary is what a file comes to.
type Summary struct {
	Version    uint32      `json:"version"`
	Alignment  int         `json:"alignment"`
	Files      []FileSize  `json:"files"`
	Bytes      int64       `json:"bytes"` // of all files
	Tensors    int         `json:"tensors"`
	Parameters int64       `json:"parameters"`
	BPW        float64     `json:"bpw"`
	Types      []TypeTotal `json:"types"`
	KV         KVCache     `json:"kv_cache"`
}

// FileSize is one file of a set.
type FileSize struct {
	Path  string `json:"path"`
	Bytes int64  `json:"bytes"`
}

// TypeTotal is the sum over the tensors of one type.
type TypeTotal struct {
	Type       string  `json:"type"`
	Tensors    int     `json:"tensors"`
	Parameters int64   `json:"parameters"`
	Bytes      int64   `json:"bytes"`
	BPW        float64 `json:"bpw"`
}

// KVCache is the memory of keys and values in f16.
type KVCache struct {
	PerToken int64 `json:"bytes_per_token"`    // what the loader allocates; 0: it does not know the architecture
	Context  int64 `json:"context,omitempty"`  // that the model was trained for
	Whole    int64 `json:"bytes_at,omitempty"` // of all of Context
}

// Summarize adds up the header of a file, and asks the loader about its cache.
func Summarize(f *gguf.File) *Summary {
	s := &Summary{Version: f.Version, Alignment: f.Alignment, Tensors: len(f.Tensors), KV: cacheOf(f), Types: []TypeTotal{}}
	for i, size := range f.Sizes() {
		s.Files = append(s.Files, FileSize{f.Paths()[i], size})
		s.Bytes += size
	}
	bytes := int64(0)
	for i := range f.Tensors {
		t := &f.Tensors[i]
		s.Parameters, bytes = s.Parameters+int64(t.Elements()), bytes+t.Size
		s.addType(t)
	}
	s.BPW = bits(bytes, s.Parameters)
	slices.SortStableFunc(s.Types, func(a, b TypeTotal) int { return int(min(1, max(-1, b.Bytes-a.Bytes))) })
	return s
}

func (s *Summary) addType(t *gguf.Tensor) {
	name := t.Type.String()
	i := slices.IndexFunc(s.Types, func(x TypeTotal) bool { return x.Type == name })
	if i < 0 {
		i, s.Types = len(s.Types), append(s.Types, TypeTotal{Type: name})
	}
	x := &s.Types[i]
	x.Tensors, x.Parameters, x.Bytes = x.Tensors+1, x.Parameters+int64(t.Elements()), x.Bytes+t.Size
	x.BPW = bits(x.Bytes, x.Parameters)
}

// cacheOf asks the loader.
func cacheOf(f *gguf.File) KVCache {
	var c KVCache
	n, err := engine.CacheBytes(f, engine.CacheF16, engine.CacheF16)
	if err == nil {
		c.PerToken = n
	}
	v, _ := f.Metadata.Get("general.architecture")
	arch, _ := v.Str()
	if v, ok := f.Metadata.Get(arch + ".context_length"); ok {
		c.Context, _ = v.Int()
	}
	if c.Context < 0 || c.Context > 1<<32 {
		c.Context = 0
	}
	c.Whole = c.PerToken * c.Context
	return c
}

func bits(bytes, parameters int64) float64 {
	if parameters == 0 {
		return 0
	}
	return float64(bytes) * 8 / float64(parameters)
}

// String says it in words.
func (c KVCache) String() string {
	text := fmt.Sprintf("%d bytes a token (f16)", c.PerToken)
	if c.Whole > 0 {
		text += fmt.Sprintf(", %s for %d tokens", cells.Bytes(c.Whole), c.Context)
	}
	return text
}

// CountText is a number of parameters, and as model names have it: 596.05 M (596049920).
func CountText(n int64) string {
	x, unit := float64(n), ""
	switch {
	case n >= 1e12:
		x, unit = x/1e12, "T"
	case n >= 1e9:
		x, unit = x/1e9, "B"
	case n >= 1e6:
		x, unit = x/1e6, "M"
	default:
		return fmt.Sprint(n)
	}
	return fmt.Sprintf("%.2f %s (%d)", x, unit, n)
}
