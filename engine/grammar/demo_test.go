package grammar_test

import (
	"context"
	"encoding/json"
	"math"
	"testing"

	"github.com/llamakit/llamakit/engine"
	"github.com/llamakit/llamakit/engine/demo"
	"github.com/llamakit/llamakit/engine/grammar"
	"github.com/llamakit/llamakit/engine/vocab"
)

// TestDemoModel lets the demo model write under a schema, greedily: the answer is what the schema asks for, and what it
// writes without a grammar is not even JSON.
func TestDemoModel(t *testing.T) {
	m, err := engine.OpenBytes(context.Background(), demo.Name, demo.Model(), engine.Options{Context: 256})
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	g := compile(t, `{"type":"object","properties":{"name":{"type":"string","maxLength":20},"tags":{"type":"array","items":{"enum":["a","b","c"]},"minItems":1,"maxItems":3},"size":{"type":"integer","minimum":10,"maximum":99}},"required":["name","tags","size"],"additionalProperties":false}`)
	prompt := m.Vocab().Encode("<|im_start|>user\nDescribe a box.<|im_end|>\n<|im_start|>assistant\n", vocab.EncodeOptions{AddSpecial: true, ParseSpecial: true})
	var free any
	if text := greedy(t, m, prompt, nil); json.Unmarshal([]byte(text), &free) == nil {
		t.Errorf("without a grammar the model writes JSON already: %s", text)
	}
	text := greedy(t, m, prompt, g.Matcher(grammar.NewVocabulary(m.Vocab())))
	var box struct {
		Name string
		Tags []string
		Size int
	}
	if err := json.Unmarshal([]byte(text), &box); err != nil || len(box.Tags) == 0 || box.Size < 10 || box.Size > 99 || len([]rune(box.Name)) > 20 {
		t.Errorf("%q: %v", text, err)
	}
}

// greedy writes the most likely tokens that the matcher, if there is one, allows.
func greedy(t *testing.T, m *engine.Model, tokens []engine.Token, c *grammar.Matcher) string {
	t.Helper()
	start, mask := len(tokens), grammar.NewMask(m.Vocab().Size())
	for range 100 {
		if c != nil {
			if err := c.Mask(mask); err != nil {
				t.Fatal(err)
			}
		}
		best, most := engine.Token(-1), float32(math.Inf(-1))
		err := m.VisitLogits(context.Background(), tokens, len(tokens)-1, func(_ int, logits []float32) {
			for id, l := range logits {
				if l > most && (c == nil || mask.Has(engine.Token(id))) {
					best, most = engine.Token(id), l
				}
			}
		})
		if err != nil || best < 0 || m.Vocab().IsEOG(best) {
			if err != nil {
				t.Fatal(err)
			}
			break
		}
		tokens = append(tokens, best)
		if c != nil {
			if err := c.Accept(best); err != nil {
				t.Fatal(err)
			}
		}
	}
	return m.Vocab().Decode(tokens[start:], false)
}
