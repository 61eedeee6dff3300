package gguf

import (
	"fmt"
	"strings"

	"github.com/llamakit/llamakit/formats/gguf"
	"github.com/llamakit/llamakit/tui/inspect/probe"
)

// diffKeys finds what was changed, removed and added; all is how many keys there are, but for those on how a model is split.
func diffKeys(a, b *gguf.Metadata) (found []keyDiff, all int) {
	found = []keyDiff{}
	for _, k := range probe.Keys(a, b) {
		if !probe.IsSplit(k.Name) {
			all++
		}
		if k.Change == probe.Same {
			continue
		}
		d := keyDiff{Key: k.Name}
		d.A, d.textA = describeKey(k.A, k.Change != probe.OnlyB)
		d.B, d.textB = describeKey(k.B, k.Change != probe.OnlyA)
		if k.Change == probe.Differs {
			d.shorten(k.A, k.B)
		}
		found = append(found, d)
	}
	return found, all
}

func describeKey(v gguf.Value, there bool) (*jsonKey, string) {
	if !there {
		return nil, "-"
	}
	d := (&jsonKeys{}).describe(v)
	return &d, probe.TypeText(v) + " " + probe.ValueText(v, 0)
}

// shorten points to the first difference of two values that begin alike.
func (k *keyDiff) shorten(v, w gguf.Value) {
	if v.Type() == gguf.TypeArray && w.Type() == gguf.TypeArray {
		i := firstElement(v, w)
		k.textA, k.textB = elementText(v, i), elementText(w, i)
		return
	}
	same := 0
	for same < min(len(k.textA), len(k.textB)) && k.textA[same] == k.textB[same] {
		same++
	}
	if same < 20 {
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
