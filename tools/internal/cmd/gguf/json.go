package gguf

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/llamakit/llamakit/formats/gguf"
)

// shortArray is the length up to which arrays are in the JSON of a whole file. --kv has all of any length.
const shortArray = 64

// document is the JSON of a file.
type document struct {
	File     string       `json:"file"`
	Metadata *jsonKeys    `json:"metadata,omitempty"`
	Tensors  []jsonTensor `json:"tensors,omitempty"`
	Summary  *summary     `json:"summary,omitempty"`
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
		d.Summary = summarize(f)
		d.Tensors = []jsonTensor{}
		for i := range f.Tensors {
			t := &f.Tensors[i]
			d.Tensors = append(d.Tensors, jsonTensor{t.Name, t.Shape, t.Type.String(), t.Offset, t.Size, t.Shard})
		}
	}
	return encodeJSON(o.out, d)
}

// encodeJSON writes v with an indent, for people and for jq. What a terminal could obey is written as \u202e, as is what
// hides text: JSON itself only asks for that below U+0020.
func encodeJSON(w io.Writer, v any) error {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(v); err != nil {
		return err
	}
	_, err := w.Write(escapeJSON(b.Bytes()))
	return err
}

// escapeJSON escapes what is not printable; beyond ASCII that can only be within texts.
func escapeJSON(text []byte) []byte {
	var out []byte
	done := 0
	for i := 0; i < len(text); {
		if text[i] < 0x7f {
			i++
			continue
		}
		r, n := utf8.DecodeRune(text[i:])
		if s := string(r); gguf.Printable(s) != s {
			out = append(out, text[done:i]...)
			for _, unit := range utf16.Encode([]rune{r}) {
				out = fmt.Appendf(out, `\u%04x`, unit)
			}
			done = i + n
		}
		i += n
	}
	return append(out, text[done:]...)
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
