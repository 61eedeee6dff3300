package serve

import (
	"encoding/json"
	"slices"
	"testing"
)

// FuzzElements: what is read in place is what encoding/json reads.
func FuzzElements(f *testing.F) {
	for _, text := range []string{`[]`, ` [ 1 , "a\"]" ] `, `{"a":{"b":[1,{}]},"\u0061b":"\\"}`, `{"a": [-1.5e3, true,null]}`, `[[],[[]],"[,{\\\""]`, `3`, `[1}`} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		data := []byte(text)
		if !json.Valid(data) {
			return
		}
		switch kindOf(data) {
		case "an array":
			var want []json.RawMessage
			if err := json.Unmarshal(data, &want); err != nil {
				t.Fatal(err)
			}
			if got := slices.Collect(elements(data)); !slices.EqualFunc(got, want, slices.Equal) {
				t.Errorf("%q: %q, want %q", text, got, want)
			}
		case "an object":
			want, got := map[string]json.RawMessage{}, map[string]json.RawMessage{}
			if err := json.Unmarshal(data, &want); err != nil {
				t.Fatal(err)
			}
			for key, value := range members(data) {
				var name string
				if err := json.Unmarshal(key, &name); err != nil {
					t.Errorf("%q: the name %q: %v", text, key, err)
				}
				got[name] = value
			}
			for name := range want {
				if !slices.Equal(got[name], want[name]) || len(got) != len(want) {
					t.Errorf("%q: %q, want %q", text, got, want)
				}
			}
		}
	})
}
