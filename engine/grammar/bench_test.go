package grammar_test

import (
	"testing"
	"time"

	"github.com/llamakit/llamakit/engine/grammar"
	"github.com/llamakit/llamakit/engine/grammar/schema"
)

func BenchmarkVocabulary(b *testing.B) {
	v := demoVocab(b)
	for b.Loop() {
		grammar.NewVocabulary(v)
	}
}

// BenchmarkMask compiles a schema and computes the masks of an object, each for the first time.
func BenchmarkMask(b *testing.B) {
	v := demoVocab(b)
	tokens, mask := grammar.NewVocabulary(v), grammar.NewMask(v.Size())
	text := []byte(`{"name": "a box", "size": 12, "tags": ["x", "y"]}`)
	masks, spent := 0, time.Duration(0)
	for b.Loop() {
		g, err := grammar.FromSchema([]byte(`{"type":"object","properties":{"name":{"type":"string","maxLength":30},"size":{"type":"integer"}}}`), schema.Options{})
		if err != nil {
			b.Fatal(err)
		}
		m := g.Matcher(tokens)
		for i := range text {
			start := time.Now()
			if err := m.Mask(mask); err != nil {
				b.Fatal(err)
			}
			spent += time.Since(start)
			if _, err := m.AcceptBytes(text[i : i+1]); err != nil {
				b.Fatal(err)
			}
			masks++
		}
	}
	b.ReportMetric(float64(spent.Microseconds())/float64(masks), "us/mask")
}
