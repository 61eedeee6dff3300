package gguf

import (
	"bytes"
	"encoding/json"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/llamakit/llamakit/formats/gguf"
	"github.com/llamakit/llamakit/tools/internal/asjson"
	"github.com/llamakit/llamakit/tui/inspect/probe"
)

// shortArray is the length up to which arrays are in the JSON of a whole file. --kv has all of any length.
const shortArray = 64

// document is the JSON of a file.
type document struct {
	File     string         `json:"file"`
	Metadata *jsonKeys      `json:"metadata,omitempty"`
	Tensors  []jsonTensor   `json:"tensors,omitempty"`
	Summary  *probe.Summary `json:"summary,omitempty"`
}

type jsonTensor struct {
	Name   string `json:"name"`
	Shape  []int  `json:"shape"` // ne[0] first
	Type   string `json:"type"`
	Offset int64  `json:"offset"` // in the file of its shard
	Bytes  int64  `json:"bytes"`
	Shard  int    `json:"shard"` // from 0
}

func (o *show) printJSON(f *gguf.File, keys []string) error {
	d := document{File: f.Paths()[0]}
	if !o.tensors {
		d.Metadata = &jsonKeys{f.Metadata, keys, o.pattern != ""}
	}
	if o.pattern == "" {
		d.Summary = probe.Summarize(f)
		d.Tensors = []jsonTensor{}
		for i := range f.Tensors {
			t := &f.Tensors[i]
			d.Tensors = append(d.Tensors, jsonTensor{t.Name, t.Shape, t.Type.String(), t.Offset, t.Size, t.Shard})
		}
	}
	return asjson.Write(o.out, d)
}

// jsonKeys writes keys in the order of the file, as an object of objects.
type jsonKeys struct {
	md   *gguf.Metadata
	keys []string
	full bool // long arrays too
}

// jsonKey is one of them. Text that is not UTF-8 is given as base64 too.
type jsonKey struct {
	Type   string `json:"type"`
	Length *int   `json:"length,omitempty"` // of an array
	Value  any    `json:"value,omitempty"`  // missing for a long array
	Raw    []byte `json:"bytes,omitempty"`
}

// MarshalJSON implements json.Marshaler.
func (k *jsonKeys) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	b.WriteByte('{')
	for i, key := range k.keys {
		if i > 0 {
			b.WriteByte(',')
		}
		v, _ := k.md.Get(key)
		if err := e.Encode(key); err != nil {
			return nil, err
		}
		b.WriteByte(':')
		if err := e.Encode(k.describe(v)); err != nil {
			return nil, err
		}
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

func (k *jsonKeys) describe(v gguf.Value) jsonKey {
	if v.Type() == gguf.TypeArray {
		n := v.Len()
		d := jsonKey{Type: "arr[" + v.Elem().String() + "]", Length: &n}
		if k.full || n <= shortArray {
			d.Value = jsonValue(v)
		}
		return d
	}
	d := jsonKey{Type: v.Type().String(), Value: jsonValue(v)}
	if text, ok := v.Str(); ok && !utf8.ValidString(text) {
		d.Raw = []byte(text)
	}
	return d
}

// jsonValue makes what encoding/json can write: numbers that JSON lacks become "NaN", "+Inf" and "-Inf".
func jsonValue(v gguf.Value) any {
	switch v.Type() {
	case gguf.TypeArray:
		all := make([]any, 0, v.Len())
		for _, e := range v.All() {
			all = append(all, jsonValue(e))
		}
		return all
	case gguf.TypeFloat32, gguf.TypeFloat64:
		if x, _ := v.Float(); math.IsNaN(x) || math.IsInf(x, 0) {
			return strings.ReplaceAll(strconv.FormatFloat(x, 'g', -1, 64), "+", "")
		}
	}
	return v.Any()
}
