package gguf

import (
	"fmt"
	"strings"

	"github.com/llamakit/llamakit/formats/gguf"
	"github.com/llamakit/llamakit/tui/inspect/probe"
)

// diffKeys finds what was changed, removed and added.
func diffKeys(a, b *gguf.Metadata) []keyDiff {
	found := []keyDiff{}
	add := func(key string, in ...*gguf.Metadata) {
		if isSplit(key) {
			return
		}
		k := keyDiff{Key: key}
		k.A, k.textA = describeKey(in[0], key)
		k.B, k.textB = describeKey(in[1], key)
		k.shorten(in[0], in[1])
		found = append(found, k)
	}
	for key, v := range a.All() {
		if w, ok := b.Get(key); !ok || v != w {
			add(key, a, b)
		}
	}
	for key := range b.All() {
		if !hasKey(a, key) {
			add(key, a, b)
		}
	}
	return found
}

func describeKey(md *gguf.Metadata, key string) (*jsonKey, string) {
	v, ok := md.Get(key)
	if !ok {
		return nil, "-"
	}
	d := (&jsonKeys{}).describe(v)
	return &d, probe.TypeText(v) + " " + probe.ValueText(v, 0)
}

// shorten points to the first difference where two long values begin alike.
func (k *keyDiff) shorten(a, b *gguf.Metadata) {
	v, inA := a.Get(k.Key)
	w, inB := b.Get(k.Key)
	same := 0
	for same < min(len(k.textA), len(k.textB)) && k.textA[same] == k.textB[same] {
		same++
	}
	if inA && inB && v.Type() == gguf.TypeArray && w.Type() == gguf.TypeArray {
		i := firstElement(v, w)
		k.textA, k.textB = elementText(v, i), elementText(w, i)
		return
	}
	if !inA || !inB || same < 20 {
		return
	}
	start := strings.LastIndexByte(k.textA[:same-8], ' ') + 1
	k.textA, k.textB = probe.TypeText(v)+" …"+k.textA[start:], probe.TypeText(w)+" …"+k.textB[start:]
}

// firstElement is the index of the first element that differs.
func firstElement(v, w gguf.Value) int {
	var a []gguf.Value
	for _, e := range v.All() {
		a = append(a, e)
	}
	for i, e := range w.All() {
		if i >= len(a) || a[i] != e {
			return i
		}
	}
	return min(len(a), w.Len())
}

func elementText(v gguf.Value, i int) string {
	if i >= v.Len() {
		return probe.TypeText(v)
	}
	return fmt.Sprintf("%s [%d] = %s", probe.TypeText(v), i, probe.ValueText(v.Index(i), 0))
}
