package gguf

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/llamakit/llamakit/engine"
	"github.com/llamakit/llamakit/formats/gguf"
	"github.com/llamakit/llamakit/tools/internal/outfile"
	"github.com/llamakit/llamakit/tools/internal/table"
)

// summary is what a file comes to.
type summary struct {
	Version    uint32      `json:"version"`
	Alignment  int         `json:"alignment"`
	Files      []fileSize  `json:"files"`
	Bytes      int64       `json:"bytes"` // of all files
	Tensors    int         `json:"tensors"`
	Parameters int64       `json:"parameters"`
	BPW        float64     `json:"bpw"`
	Types      []typeTotal `json:"types"`
	KV         kvCache     `json:"kv_cache"`
}

type fileSize struct {
	Path  string `json:"path"`
	Bytes int64  `json:"bytes"`
}

// typeTotal is the sum over the tensors of one type.
type typeTotal struct {
	Type       string  `json:"type"`
	Tensors    int     `json:"tensors"`
	Parameters int64   `json:"parameters"`
	Bytes      int64   `json:"bytes"`
	BPW        float64 `json:"bpw"`
}

// kvCache is the memory of keys and values in f16.
type kvCache struct {
	PerToken int64 `json:"bytes_per_token"`    // what the loader allocates; 0: it does not know the architecture
	Context  int64 `json:"context,omitempty"`  // that the model was trained for
	Whole    int64 `json:"bytes_at,omitempty"` // of all of Context
}

func summarize(f *gguf.File) *summary {
	s := &summary{Version: f.Version, Alignment: f.Alignment, Tensors: len(f.Tensors), KV: cacheOf(f), Types: []typeTotal{}}
	for i, size := range f.Sizes() {
		s.Files = append(s.Files, fileSize{f.Paths()[i], size})
		s.Bytes += size
	}
	bytes := int64(0)
	for i := range f.Tensors {
		t := &f.Tensors[i]
		s.Parameters, bytes = s.Parameters+int64(t.Elements()), bytes+t.Size
		s.addType(t)
	}
	s.BPW = bits(bytes, s.Parameters)
	slices.SortStableFunc(s.Types, func(a, b typeTotal) int { return int(min(1, max(-1, b.Bytes-a.Bytes))) })
	return s
}

func (s *summary) addType(t *gguf.Tensor) {
	name := t.Type.String()
	i := slices.IndexFunc(s.Types, func(x typeTotal) bool { return x.Type == name })
	if i < 0 {
		i, s.Types = len(s.Types), append(s.Types, typeTotal{Type: name})
	}
	x := &s.Types[i]
	x.Tensors, x.Parameters, x.Bytes = x.Tensors+1, x.Parameters+int64(t.Elements()), x.Bytes+t.Size
	x.BPW = bits(x.Bytes, x.Parameters)
}

// cacheOf asks the loader.
func cacheOf(f *gguf.File) kvCache {
	var c kvCache
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

func (s *summary) printTypes(w io.Writer) error {
	columns := []table.Column{table.Left("type"), table.Right("tensors"), table.Right("parameters"), table.Right("MiB"), table.Right("bpw")}
	rows := make([][]string, len(s.Types))
	for i, x := range s.Types {
		rows[i] = []string{x.Type, fmt.Sprint(x.Tensors), fmt.Sprint(x.Parameters), fmt.Sprintf("%.2f", mib(x.Bytes)), fmt.Sprintf("%.2f", x.BPW)}
	}
	return table.Write(w, false, columns, rows)
}

func (s *summary) print(w io.Writer) error {
	var b strings.Builder
	line := func(name, format string, args ...any) {
		fmt.Fprintf(&b, " %-11s %s\n", name, fmt.Sprintf(format, args...))
	}
	line("file", "%s", gguf.Printable(s.Files[0].Path))
	if n := len(s.Files); n > 1 {
		line("shards", "%d", n)
	}
	line("format", "GGUF version %d, alignment %d", s.Version, s.Alignment)
	line("size", "%s", outfile.Size(s.Bytes))
	line("tensors", "%d", s.Tensors)
	if s.Parameters > 0 {
		line("parameters", "%s, %.2f bits per weight", countText(s.Parameters), s.BPW)
	}
	if s.KV.PerToken > 0 {
		line("kv cache", "%s", s.KV.text())
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func (c kvCache) text() string {
	text := fmt.Sprintf("%d bytes a token (f16)", c.PerToken)
	if c.Whole > 0 {
		text += fmt.Sprintf(", %s for %d tokens", outfile.Size(c.Whole), c.Context)
	}
	return text
}

func mib(n int64) float64 { return float64(n) / (1 << 20) }

// countText is a number of parameters, and as model names have it: 596.05 M (596049920).
func countText(n int64) string {
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
