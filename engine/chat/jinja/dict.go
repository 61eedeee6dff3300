package jinja

import (
	"fmt"
	"math"
	"math/big"
	"strings"
)

// smallDict is the number of entries up to which a Dict is searched without an index.
const smallDict = 8

// Dict is a mapping that keeps the order in which keys were added. The zero value is empty and ready for use.
type Dict struct {
	entries []entry
	index   map[any]int // hash to position; nil while small
}

type entry struct {
	key   Value
	hash  any // comparable; equal for keys that Python holds equal (1, 1.0, True)
	value Value
}

// NewDict returns an empty dict.
func NewDict() *Dict { return &Dict{} }

// Len is the number of entries.
func (d *Dict) Len() int { return len(d.entries) }

// Get returns the value under a text key.
func (d *Dict) Get(key string) (Value, bool) {
	if i := d.find(key); i >= 0 {
		return d.entries[i].value, true
	}
	return nil, false
}

// Set adds or replaces the value under a text key; a new key goes to the end.
func (d *Dict) Set(key string, value Value) { d.put(key, key, value) }

// Keys returns the keys in order.
func (d *Dict) Keys() []Value {
	keys := make([]Value, len(d.entries))
	for i := range d.entries {
		keys[i] = d.entries[i].key
	}
	return keys
}

// At returns the i-th entry in order.
func (d *Dict) At(i int) (key, value Value) { return d.entries[i].key, d.entries[i].value }

func (d *Dict) find(hash any) int {
	if d.index != nil {
		if i, ok := d.index[hash]; ok {
			return i
		}
		return -1
	}
	if text, ok := hash.(string); ok {
		return d.findText(text)
	}
	for i := range d.entries {
		if d.entries[i].hash == hash {
			return i
		}
	}
	return -1
}

func (d *Dict) findText(text string) int {
	for i := range d.entries {
		if k, ok := d.entries[i].hash.(string); ok && k == text {
			return i
		}
	}
	return -1
}

func (d *Dict) put(hash any, key, value Value) {
	if i := d.find(hash); i >= 0 {
		d.entries[i].value = value
		return
	}
	d.entries = append(d.entries, entry{key, hash, value})
	switch {
	case d.index != nil:
		d.index[hash] = len(d.entries) - 1
	case len(d.entries) > smallDict:
		d.reindex()
	}
}

func (d *Dict) reindex() {
	d.index = make(map[any]int, 2*len(d.entries))
	for i := range d.entries {
		d.index[d.entries[i].hash] = i
	}
}

// remove takes the i-th entry out.
func (d *Dict) remove(i int) {
	d.entries = append(d.entries[:i], d.entries[i+1:]...)
	if d.index != nil {
		d.reindex()
	}
}

// clone is a shallow copy.
func (d *Dict) clone() *Dict {
	c := &Dict{entries: append([]entry(nil), d.entries...)}
	if len(c.entries) > smallDict {
		c.reindex()
	}
	return c
}

type (
	noneKey  struct{}
	undefKey struct{}
	tupleKey string // the parts' own keys, each with its length
)

// hashKey returns a comparable Go value that is equal for keys that Python holds equal. Lists and dicts are no keys.
func (s *state) hashKey(v Value) any {
	switch v := v.(type) {
	case string:
		s.spend(len(v) / bytesPerStep)
		return v
	case Markup:
		return s.hashKey(string(v))
	case nil:
		return noneKey{}
	case *Undefined:
		return undefKey{}
	case bool, int64, float64, *big.Int:
		return numberKey(v)
	case Tuple:
		return s.tupleKey(v)
	case *List, *Dict:
		s.failf(RuntimeError, "unhashable type: '%s'", typeName(v))
	}
	return v
}

func numberKey(v Value) any {
	switch v := v.(type) {
	case bool:
		if v {
			return int64(1)
		}
		return int64(0)
	case float64:
		if v == math.Trunc(v) && math.Abs(v) < 1<<63 {
			return int64(v)
		}
	case *big.Int:
		return tupleKey("int " + v.String())
	}
	return v
}

func (s *state) tupleKey(t Tuple) any {
	s.enter()
	var b strings.Builder
	for _, item := range t {
		part := describeKey(s.hashKey(item))
		s.spend(1 + len(part)/bytesPerStep)
		b.WriteString(itoa(len(part)))
		b.WriteByte(':')
		b.WriteString(part)
	}
	s.leave()
	return tupleKey(s.sized(b.String()))
}

// describeKey writes a hash so that different ones differ.
func describeKey(hash any) string {
	switch h := hash.(type) {
	case string:
		return "s" + h
	case int64:
		return "i" + itoa(int(h))
	case float64:
		return "f" + formatFloat(h)
	case tupleKey:
		return "t" + string(h)
	case noneKey:
		return "n"
	case undefKey:
		return "u"
	}
	return fmt.Sprintf("%T %p", hash, hash)
}
