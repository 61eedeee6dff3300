package gguf

import (
	"fmt"
	"iter"
	"slices"
	"strings"
)

// Metadata is the list of keys of a file, in its order. That of an open [File] is shared by all its users: Clone it
// before changing it.
type Metadata struct {
	keys   []string
	values map[string]Value
	file   string // where it was read, for errors
}

// NewMetadata returns an empty list.
func NewMetadata() *Metadata { return &Metadata{values: map[string]Value{}} }

// Get returns the value of key.
func (m *Metadata) Get(key string) (Value, bool) {
	v, ok := m.values[key]
	return v, ok
}

// Set gives key a value. A new key goes to the end, a known one keeps its place.
func (m *Metadata) Set(key string, v Value) {
	if _, ok := m.values[key]; !ok {
		m.keys = append(m.keys, key)
	}
	m.values[key] = v
}

// Delete removes key, if it is there.
func (m *Metadata) Delete(key string) {
	if _, ok := m.values[key]; !ok {
		return
	}
	delete(m.values, key)
	i := slices.Index(m.keys, key)
	m.keys = slices.Delete(m.keys, i, i+1)
}

// Keys returns the keys in the order of the file.
func (m *Metadata) Keys() []string { return slices.Clone(m.keys) }

// Len returns the number of keys.
func (m *Metadata) Len() int { return len(m.keys) }

// All walks keys and values in the order of the file.
func (m *Metadata) All() iter.Seq2[string, Value] {
	return func(yield func(string, Value) bool) {
		for _, k := range m.keys {
			if !yield(k, m.values[k]) {
				return
			}
		}
	}
}

// Clone returns a copy that can be changed.
func (m *Metadata) Clone() *Metadata {
	c := &Metadata{keys: slices.Clone(m.keys), values: make(map[string]Value, len(m.keys)), file: m.file}
	for k, v := range m.values {
		c.values[k] = v
	}
	return c
}

// detach copies keys and values out of the mapped file.
func (m *Metadata) detach() {
	values := make(map[string]Value, len(m.keys))
	for i, k := range m.keys {
		m.keys[i] = strings.Clone(k)
		values[m.keys[i]] = m.values[k].detach()
	}
	m.values = values
}

// describe spells what v is, for errors: "a str", "the i32 -1", "an array of 3 u32".
func describe(v Value) string {
	switch v.typ {
	case TypeArray:
		return fmt.Sprintf("an array of %d %v", v.n, v.elem)
	case TypeString:
		return "a str"
	}
	return fmt.Sprintf("the %v %v", v.typ, v.Any())
}
