package probe

import (
	"slices"
	"strings"

	"github.com/llamakit/llamakit/formats/gguf"
)

// Change says how the two sides of a comparison are to each other.
type Change byte

// The changes. Of one file alone everything is Same.
const (
	Same    Change = ' '
	Differs Change = '~'
	OnlyA   Change = '-'
	OnlyB   Change = '+'
)

// Key is a key of the metadata in one file or two.
type Key struct {
	Name   string
	A, B   gguf.Value
	Change Change
}

// Value is that of A, or of B where A has none.
func (k *Key) Value() gguf.Value {
	if k.Change == OnlyB {
		return k.B
	}
	return k.A
}

// Keys lists the keys in the order of a, then those that b alone has. b may be nil: no comparison. How a model is split does
// not count as a difference.
func Keys(a, b *gguf.Metadata) []Key {
	all := make([]Key, 0, a.Len())
	for name, v := range a.All() {
		k := Key{Name: name, A: v, Change: Same}
		if b != nil && !IsSplit(name) {
			w, found := b.Get(name)
			k.B, k.Change = w, changeOf(found, v == w)
		}
		all = append(all, k)
	}
	if b == nil {
		return all
	}
	for name, v := range b.All() {
		if _, found := a.Get(name); !found && !IsSplit(name) {
			all = append(all, Key{Name: name, B: v, Change: OnlyB})
		}
	}
	return all
}

// IsSplit reports whether a key says how a model is split.
func IsSplit(key string) bool { return strings.HasPrefix(key, "split.") }

// Tensor is a tensor in one file or two; the side that lacks it is nil.
type Tensor struct {
	Name   string
	A, B   *gguf.Tensor
	Change Change // of type and shape; values are not read
}

// Entry is that of A, or of B where A has none.
func (t *Tensor) Entry() *gguf.Tensor {
	if t.A == nil {
		return t.B
	}
	return t.A
}

// Tensors lists the tensors in the order of a, then those that b alone has. b may be nil: no comparison.
func Tensors(a, b *gguf.File) []Tensor {
	all := make([]Tensor, 0, len(a.Tensors))
	for i := range a.Tensors {
		t := Tensor{Name: a.Tensors[i].Name, A: &a.Tensors[i], Change: Same}
		if b != nil {
			u, found := b.Tensor(t.Name)
			t.B, t.Change = u, changeOf(found, found && u.Type == t.A.Type && slices.Equal(u.Shape, t.A.Shape))
		}
		all = append(all, t)
	}
	if b == nil {
		return all
	}
	for i := range b.Tensors {
		if _, found := a.Tensor(b.Tensors[i].Name); !found {
			all = append(all, Tensor{Name: b.Tensors[i].Name, B: &b.Tensors[i], Change: OnlyB})
		}
	}
	return all
}

func changeOf(inB, same bool) Change {
	switch {
	case !inB:
		return OnlyA
	case same:
		return Same
	}
	return Differs
}
