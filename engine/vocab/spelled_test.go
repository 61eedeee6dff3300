package vocab

import (
	"slices"
	"sync"
	"testing"
)

// FuzzSpelled: with the barriers that Spelled asks for, no control token reaches into a stranger's text, whatever stands around it,
// unless the text is a word in the middle of one: that is how templates write <|user|> with the role of a message.
func FuzzSpelled(f *testing.F) {
	v := &Vocab{words: []word{{text: "<s>", attr: Control.attr()}, {text: "</s>", attr: Control.attr()}, {text: "<s", attr: UserDefined.attr()}, {text: "é<s>é", attr: Control.attr()}}}
	v.marked = newMarkers(v)
	v.controlEnds = sync.OnceValue(v.newEnds)
	for _, s := range []string{"a<s>b", "<", "s>", "<<s>>", "<s", "<s></s>", "é<s>"} {
		f.Add("x<", s, ">y")
	}
	f.Fuzz(func(t *testing.T, before, s, after string) {
		at := v.Spelled(s, nil)
		if !slices.IsSorted(at) {
			t.Fatalf("%v", at)
		}
		for i := range at {
			at[i] += len(before)
		}
		pos := 0
		for part := range v.marked.split(before+s+after, true, at) {
			size := len(part.text)
			if part.token != None {
				size = len(v.Text(part.token))
				from, to := len(before), len(before)+len(s)
				if v.Kind(part.token) == Control && pos < to && pos+size > from && (pos >= from || pos+size <= to) {
					t.Errorf("%q %q %q: %q at %d", before, s, after, v.Text(part.token), pos)
				}
			}
			pos += size
		}
	})
}
