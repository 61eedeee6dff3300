package serve_test

import (
	"context"
	"encoding/json"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"

	shapes "github.com/llamakit/llamakit/bench/model"
	"github.com/llamakit/llamakit/engine"
	"github.com/llamakit/llamakit/engine/serve"
	"github.com/llamakit/llamakit/formats/quant"
)

// startReranker serves a small reranker with random weights.
func startReranker(t *testing.T) *httptest.Server {
	t.Helper()
	shape, err := shapes.Named("encoder-bert")
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "rank.gguf")
	if err := shapes.Write(path, shape, quant.F32, 42); err != nil {
		t.Fatal(err)
	}
	s, err := serve.New(serve.Options{Model: "rank"})
	if err != nil {
		t.Fatal(err)
	}
	err = s.Load(func() (*engine.Model, error) {
		return engine.Open(context.Background(), path, engine.Options{Embed: true, Pooling: engine.PoolingRank})
	})
	if err != nil {
		t.Fatal(err)
	}
	h := httptest.NewServer(s)
	t.Cleanup(func() { h.Close(); s.Model().Close() })
	return h
}

func TestRerank(t *testing.T) {
	h := startReranker(t)
	code, text := post(t, h, "/v1/rerank", `{"query":"a cat","documents":["a dog","the cat sat","on a mat"]}`)
	var got struct {
		Results []struct {
			Index int
			Score float64 `json:"relevance_score"`
		}
		Usage struct {
			Prompt int `json:"prompt_tokens"`
		}
	}
	if err := json.Unmarshal([]byte(text), &got); code != 200 || err != nil || len(got.Results) != 3 || got.Usage.Prompt < 6 {
		t.Fatalf("%d, %v: %s", code, err, text)
	}
	seen := map[int]bool{}
	for i, r := range got.Results {
		seen[r.Index] = true
		if i > 0 && r.Score > got.Results[i-1].Score {
			t.Errorf("not sorted: %s", text)
		}
	}
	if len(seen) != 3 {
		t.Errorf("documents are missing: %s", text)
	}
	for _, c := range []struct {
		body, want string
		code       int
	}{
		{`{"query":"a","documents":["b","c"],"top_n":1}`, `"results":[{`, 200},
		{`{"query":"a","texts":["b"],"return_text":true}`, `"text":"b"`, 200},
		{`{"query":"a","documents":["b","c"],"top_n":5}`, `"index":1`, 200},
		{`{"query":"a","documents":["b","c"],"top_n":0}`, "'top_n' is 0, want 1", 400},
		{`{"query":"a","documents":[""]}`, `"index":0`, 200},
		{`{"query":"a"}`, "'documents' is required", 400},
		{`{"documents":["a"]}`, "'query' is required", 400},
		{`{"query":"a","documents":[1]}`, "documents", 400},
	} {
		if code, text := post(t, h, "/v1/rerank", c.body); code != c.code || !strings.Contains(text, c.want) {
			t.Errorf("%s: %d %s, want %d with %q", c.body, code, text, c.code, c.want)
		}
	}
	_, text = post(t, h, "/v1/rerank", `{"query":"a cat","documents":["x y","the cat sat","x y","x y"]}`)
	if err := json.Unmarshal([]byte(text), &got); err != nil || len(got.Results) != 4 {
		t.Fatalf("%v: %s", err, text)
	}
	last := -1
	for _, r := range got.Results {
		if r.Index == 1 {
			continue
		}
		if r.Index < last {
			t.Errorf("equal documents change their order: %s", text)
		}
		last = r.Index
	}
}
