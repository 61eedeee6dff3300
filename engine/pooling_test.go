package engine_test

import (
	"context"
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/llamakit/llamakit/engine"
	"github.com/llamakit/llamakit/formats/quant"
)

// TestPoolAll: a text's vectors are the same bits alone and in company, in batches of any size, with any number of threads and
// weights of every kind.
func TestPoolAll(t *testing.T) {
	var texts [][]engine.Token
	for _, n := range []int{45, 3, 17, 1, 32, 45, 40} {
		texts = append(texts, embedded[:n])
	}
	ctx := context.Background()
	for _, name := range []string{"encoder-bert", "encoder-jina-bert-v2", "encoder-modern-bert", "encoder-nomic-bert-moe", "encoder-qwen3"} {
		for _, typ := range []quant.Type{quant.F32, quant.Q8_0} {
			path := writeEncoder(t, name, typ)
			for _, p := range poolings(name) {
				alone := openEncoder(t, path, engine.Options{Pooling: p, Threads: 1})
				company := openEncoder(t, path, engine.Options{Pooling: p, Threads: 3, Batch: 64, Sequences: 5})
				got, err := company.PoolAll(ctx, texts, p)
				if err != nil {
					t.Fatal(err)
				}
				for i, text := range texts {
					want, err := alone.Pool(ctx, text, p)
					if err != nil || !slices.EqualFunc(got[i], want, slices.Equal[[]float32]) {
						t.Errorf("%s %v %s: text %d differs in company (%v)", name, typ, p, i, err)
					}
				}
			}
		}
	}
}

// TestPoolWithoutEmbed: a model that was opened to generate gives the same vectors.
func TestPoolWithoutEmbed(t *testing.T) {
	ctx := context.Background()
	path := writeEncoder(t, "encoder-qwen2", quant.F32)
	m, err := engine.Open(ctx, path, engine.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	for _, p := range poolings("encoder-qwen2") {
		got, err := m.Pool(ctx, embedded, p)
		want, _ := openEncoder(t, path, engine.Options{}).Pool(ctx, embedded, p)
		if err != nil || !slices.EqualFunc(got, want, slices.Equal[[]float32]) {
			t.Errorf("%s: other vectors (%v)", p, err)
		}
	}
	if _, err := m.Pool(ctx, embedded, engine.PoolingRank); !errors.Is(err, engine.ErrNoRank) {
		t.Errorf("rank: %v", err)
	}
}

func TestEncoderRefuses(t *testing.T) {
	ctx := context.Background()
	path := writeEncoder(t, "encoder-bert", quant.F32)
	m, err := engine.Open(ctx, path, engine.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	if p := m.Pooling(); p != engine.PoolingCLS {
		t.Errorf("pooling is %s, the file says cls", p)
	}
	_, err = m.Logits(ctx, embedded)
	_, visitErr := generate(ctx, m, engine.Request{Tokens: embedded, MaxTokens: 1})
	for name, c := range map[string]struct{ got, want error }{
		"logits":   {err, engine.ErrNoLogits},
		"visit":    {m.VisitLogits(ctx, embedded, 0, nil), engine.ErrNoLogits},
		"generate": {visitErr, engine.ErrNoLogits},
		"empty":    {pooled(m, nil, engine.PoolingMean), engine.ErrEmptyPrompt},
		"token":    {pooled(m, []engine.Token{96}, engine.PoolingMean), engine.ErrBadToken},
		"long":     {pooled(m, make([]engine.Token, 257), engine.PoolingMean), engine.ErrPromptTooLong},
		"rank":     {pooled(m, embedded, engine.PoolingRank), engine.ErrNoRank},
	} {
		if !errors.Is(c.got, c.want) {
			t.Errorf("%s: %v, want %v", name, c.got, c.want)
		}
	}
	if err := pooled(m, embedded, "middle"); err == nil {
		t.Error("pooling middle: accepted")
	}
	if _, err := engine.Open(ctx, path, engine.Options{Pooling: "middle"}); err == nil {
		t.Error("opened with pooling middle")
	}
	if _, err := engine.Open(ctx, writeEncoder(t, "encoder-qwen2", quant.F32), engine.Options{Embed: true, Pooling: engine.PoolingRank}); err == nil {
		t.Error("opened a model without a classifier as a reranker")
	}
}

func pooled(m *engine.Model, tokens []engine.Token, p engine.Pooling) error {
	_, err := m.Pool(context.Background(), tokens, p)
	return err
}

func TestClasses(t *testing.T) {
	path := writeEncoder(t, "encoder-qwen3", quant.F32)
	m := openEncoder(t, path, engine.Options{})
	if got := m.Classes(); !slices.Equal(got, []string{"yes", "no"}) || m.Pooling() != engine.PoolingRank {
		t.Errorf("classes %q, pooling %s", got, m.Pooling())
	}
	if got := openEncoder(t, path, engine.Options{Pooling: engine.PoolingLast}).Classes(); got != nil {
		t.Errorf("pooling last: classes %q", got)
	}
}

func TestNormalize(t *testing.T) {
	for _, c := range []struct {
		p    int
		want []float32
	}{{-1, []float32{3, -4, 0}}, {0, []float32{24570, -32760, 0}}, {1, []float32{3. / 7, -4. / 7, 0}}, {2, []float32{0.6, -0.8, 0}},
		{3, []float32{3 / float32(math.Cbrt(91)), -4 / float32(math.Cbrt(91)), 0}}} {
		v := []float32{3, -4, 0}
		engine.Normalize(v, c.p)
		for i := range v {
			if math.Abs(float64(v[i]-c.want[i])) > 1e-6*math.Abs(float64(c.want[i])) {
				t.Errorf("p = %d: %v, want %v", c.p, v, c.want)
			}
		}
		zero := []float32{0, 0}
		if engine.Normalize(zero, c.p); !slices.Equal(zero, []float32{0, 0}) {
			t.Errorf("p = %d: zeros become %v", c.p, zero)
		}
	}
}
