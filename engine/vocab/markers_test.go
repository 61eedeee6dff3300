package vocab

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// slowSplit is what markers.split does, written as it is explained: each token in order takes its places from left to right
// in every fragment that is still text.
func slowSplit(m *markers, text string, special bool) []part {
	parts := []part{{text, None}}
	for _, k := range m.list {
		if !special && k.attr.has(Control, Unknown) {
			continue
		}
		var next []part
		for _, p := range parts {
			for p.token == None {
				before, after, found := strings.Cut(p.text, k.text)
				if !found {
					break
				}
				if k.attr&attrLStrip != 0 {
					before = strings.TrimRight(before, " \t\n\v\f\r")
				}
				if k.attr&attrRStrip != 0 {
					after = strings.TrimLeft(after, " \t\n\v\f\r")
				}
				next = append(next, part{before, None}, part{token: k.token})
				p.text = after
			}
			next = append(next, p)
		}
		parts = next
	}
	return slices.DeleteFunc(parts, func(p part) bool { return p.token == None && p.text == "" })
}

func TestMarkersMatchDefinition(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 10))
	letters := func(n int) string {
		b := make([]byte, n)
		for i := range b {
			b[i] = "ab< "[r.IntN(4)]
		}
		return string(b)
	}
	for range 3000 {
		v := &Vocab{}
		seen := map[string]bool{}
		for range 1 + r.IntN(8) {
			w := word{text: letters(1 + r.IntN(4)), attr: []Kind{Control, UserDefined, Unknown, Normal}[r.IntN(4)].attr()}
			if seen[w.text] {
				continue
			}
			seen[w.text] = true
			w.attr |= []attr{0, 0, attrLStrip, attrRStrip, attrLStrip | attrRStrip}[r.IntN(5)]
			v.words = append(v.words, w)
		}
		m := newMarkers(v)
		text := letters(r.IntN(20))
		for _, special := range []bool{false, true} {
			got, want := slices.Collect(m.split(text, special, nil)), slowSplit(m, text, special)
			if !slices.Equal(got, want) {
				t.Fatalf("split(%q, %v) with %+v = %+v, want %+v", text, special, m.list, got, want)
			}
		}
	}
}

func TestMarkersStopEarly(t *testing.T) {
	v := mustNew(t, tinySPM())
	for part := range v.marked.split("a<s>b<s>c", true, nil) {
		if part.text != "a" {
			t.Errorf("the first part is %+v", part)
		}
		break
	}
}
