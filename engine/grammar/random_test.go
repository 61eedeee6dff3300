package grammar_test

import (
	"encoding/json"
	"fmt"
	"math/bits"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/llamakit/llamakit/bench/golden"
	"github.com/llamakit/llamakit/engine/demo"
	"github.com/llamakit/llamakit/engine/grammar"
	"github.com/llamakit/llamakit/engine/grammar/schema"
	"github.com/llamakit/llamakit/engine/vocab"
	"github.com/llamakit/llamakit/formats/gguf"
)

// maker makes random schemas.
type maker struct{ *rand.Rand }

func (r maker) pick(list ...any) any { return list[r.IntN(len(list))] }

func (r maker) schema(depth int) any {
	s := map[string]any{}
	switch n := r.IntN(13); {
	case depth == 0 || n < 6:
		r.scalar(s)
	case n < 9:
		r.object(s, depth-1)
	case n < 11:
		r.array(s, depth-1)
	case n == 11:
		s[r.pick("anyOf", "oneOf", "allOf").(string)] = []any{r.schema(depth - 1), r.schema(depth - 1)}
	default:
		r.scalar(s)
		s["not"] = r.schema(0)
	}
	return s
}

func (r maker) scalar(s map[string]any) {
	switch r.IntN(6) {
	case 0:
		s["enum"] = []any{"a", r.IntN(9), nil, true, "日\"\\\n"}
	case 1:
		s["type"], s["minimum"], s["maximum"] = r.pick("integer", "number"), r.IntN(50)-25, 30+r.IntN(1000)
	case 2:
		s["type"], s["multipleOf"] = "number", r.pick(3, 0.25, 10)
	case 3:
		s["type"], s["minLength"], s["maxLength"] = "string", r.IntN(3), 3+r.IntN(20)
	case 4:
		s["type"], s["pattern"] = "string", r.pick(`^[a-c]{2,5}$`, `\d`, `^(ab|b)*$`, `^x.?$`)
	default:
		s["type"] = r.pick("boolean", "null", "integer", "string", []any{"null", "integer"})
		if s["type"] == "string" {
			s["format"] = r.pick("date", "ipv4", "uuid", "time")
		}
	}
}

func (r maker) object(s map[string]any, depth int) {
	props := map[string]any{}
	var required []any
	for _, name := range []string{"a", "b", "ab", "é\""}[:1+r.IntN(4)] {
		props[name] = r.schema(depth)
		if r.IntN(2) == 0 {
			required = append(required, name)
		}
	}
	s["type"], s["properties"] = "object", props
	if required != nil {
		s["required"] = required
	}
	switch r.IntN(4) {
	case 0:
		s["additionalProperties"] = r.pick(false, r.schema(0))
	case 1:
		s["patternProperties"] = map[string]any{"^a": r.schema(0)}
	case 2:
		s["maxProperties"] = 1 + len(required) + r.IntN(2)
	}
}

func (r maker) array(s map[string]any, depth int) {
	s["type"], s["items"], s["maxItems"] = "array", r.schema(depth), 1+r.IntN(4)
	switch r.IntN(4) {
	case 0:
		s["prefixItems"] = []any{r.schema(0)}
	case 1:
		s["contains"] = r.schema(0)
	case 2:
		s["minItems"] = 1
	}
}

// walksEach is how many schemas are tried with each vocabulary.
const walksEach = 15

// TestRandomWalks takes random tokens of masks to the end: the text has to be an instance by another implementation's
// judgement, whatever the vocabulary.
func TestRandomWalks(t *testing.T) {
	walked := 0
	for name, v := range vocabularies(t) {
		r := maker{rand.New(rand.NewPCG(5, uint64(len(name))))}
		tokens := grammar.NewVocabulary(v)
		for range walksEach {
			text, _ := json.Marshal(r.schema(2))
			g, err := grammar.FromSchema(text, schema.Options{})
			if err != nil {
				continue
			}
			out, done := walk(t, r.Rand, g, v, tokens)
			if done {
				walked++
				validate(t, fmt.Sprintf("%s: %s", name, text), text, out)
			}
		}
	}
	if walked < 15 {
		t.Errorf("%d walks came to an end", walked)
	}
}

// vocabularies are our own and the public ones, where they are there.
func vocabularies(t *testing.T) map[string]grammar.Tokens {
	out := map[string]grammar.Tokens{"small": small, "demo": demoVocab(t)}
	t.Run("public", func(t *testing.T) {
		files, _ := filepath.Glob(golden.Shared(t, "golden", "vocab") + "/*.gguf")
		for _, path := range files {
			f, err := gguf.Open(path)
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			v, err := vocab.New(f.Metadata)
			if err != nil {
				t.Fatalf("%s: %v", path, err)
			}
			out[filepath.Base(path)] = v
		}
	})
	return out
}

func demoVocab(t testing.TB) *vocab.Vocab {
	f, err := gguf.Parse(demo.Name, demo.Model())
	if err != nil {
		t.Fatal(err)
	}
	v, err := vocab.New(f.Metadata)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// walk takes random tokens, and after a while those that close something. done is false where the vocabulary has no token
// for what must come next, or there is no end in sight.
func walk(t *testing.T, r *rand.Rand, g *grammar.Grammar, v grammar.Tokens, tokens *grammar.Vocabulary) (text string, done bool) {
	var preferred []grammar.Token
	m, mask := g.Matcher(tokens), grammar.NewMask(v.Size())
	var b strings.Builder
	for n := range 200 {
		if n == 40 {
			preferred = closers(v)
		}
		if err := m.Mask(mask); err != nil {
			t.Fatal(err)
		}
		if m.CanStop() && (n > 20 || r.IntN(3) == 0 || m.Ended()) {
			return b.String(), true
		}
		id, ok := choose(r, v, mask, preferred)
		if !ok {
			if _, ours := v.(words); ours {
				t.Errorf("after %q nothing is allowed, though there is a token for every byte", b.String())
			}
			return b.String(), false
		}
		if err := m.Accept(id); err != nil {
			t.Fatalf("%q, then token %d: %v", b.String(), id, err)
		}
		b.Write(v.Piece(id, false))
	}
	return b.String(), false
}

// closers are the tokens that close a string, an array or an object, and little else.
func closers(v grammar.Tokens) []grammar.Token {
	var out []grammar.Token
	for id := range grammar.Token(v.Size()) {
		if p := v.Piece(id, false); len(p) > 0 && len(p) < 3 && strings.IndexByte(`"}]`, p[0]) >= 0 {
			out = append(out, id)
		}
	}
	return out
}

// choose returns a random token of mask, most often one of those preferred.
func choose(r *rand.Rand, v grammar.Tokens, mask grammar.Mask, preferred []grammar.Token) (grammar.Token, bool) {
	var good []grammar.Token
	for _, id := range preferred {
		if mask.Has(id) {
			good = append(good, id)
		}
	}
	if len(good) > 0 && r.IntN(4) > 0 {
		return good[r.IntN(len(good))], true
	}
	var all []grammar.Token
	for i, w := range mask {
		for ; w != 0; w &= w - 1 {
			if id := grammar.Token(i*64 + bits.TrailingZeros64(w)); !v.IsEOG(id) {
				all = append(all, id)
			}
		}
	}
	if len(all) == 0 {
		return 0, false
	}
	return all[r.IntN(len(all))], true
}

func validate(t *testing.T, name string, text []byte, instance string) {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(strings.NewReader(string(text)))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	if err := c.AddResource("mem:///s", doc); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile("mem:///s")
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	v, err := jsonschema.UnmarshalJSON(strings.NewReader(instance))
	if err == nil {
		err = s.Validate(v)
	}
	if err != nil {
		t.Errorf("%s\n%s\n%v", name, instance, err)
	}
}
