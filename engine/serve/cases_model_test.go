package serve_test

import (
	"context"
	"encoding/binary"
	"fmt"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/llamakit/llamakit/engine"
	"github.com/llamakit/llamakit/engine/demo"
	"github.com/llamakit/llamakit/engine/serve"
	"github.com/llamakit/llamakit/formats/gguf"
)

// TestLogitBias: a bias decides, a ban holds, and of a text it is shown which tokens it meant.
func TestLogitBias(t *testing.T) {
	_, h := start(t, serve.Options{})
	for _, c := range []struct {
		bias, content string
		shown         any
	}{
		{`{"292":100}`, strings.Repeat(string(piece(292)), 3), 292.}, {`[[292,100]]`, strings.Repeat(string(piece(292)), 3), 292.},
		{`[["A",100]]`, "AAA", 32.}, {`{"A":100}`, "AAA", 32.},
	} {
		_, body := post(t, h, "/completion", `{"prompt":"x","n_predict":3,"temperature":0,"logit_bias":`+c.bias+`}`)
		if got := decode(t, body); got["content"] != c.content || at(got, "generation_settings.logit_bias.0.token") != c.shown || at(got, "generation_settings.logit_bias.1") != nil {
			t.Errorf("%s: %q with %v", c.bias, got["content"], at(got, "generation_settings.logit_bias"))
		}
	}
	_, body := post(t, h, "/completion", `{"prompt":"Hello","n_predict":1,"temperature":0,"logit_bias":[[295,false]]}`)
	if got := decode(t, body); got["content"] == "user" || at(got, "generation_settings.logit_bias.0.bias") != false {
		t.Errorf("a ban: %q with %v", got["content"], at(got, "generation_settings.logit_bias"))
	}
}

// TestDiscard: how much a shift of the context forgets is no choice, where there are shifts.
func TestDiscard(t *testing.T) {
	for _, shift := range []bool{false, true} {
		_, h := start(t, serve.Options{Shift: shift})
		if code, body := post(t, h, "/completion", `{"prompt":"x","n_predict":1,"n_discard":5}`); (code == 400) != shift {
			t.Errorf("shift %v: %d %.200s", shift, code, body)
		}
	}
}

func piece(t engine.Token) []byte { return model().Vocab().Piece(t, false) }

// TestGap: of a prompt that lacks a part of an earlier one the common beginning is reused, and nothing that remembers another past:
// the answer is that of a prompt computed anew.
func TestGap(t *testing.T) {
	_, h := start(t, serve.Options{})
	words := func(from, to int) (text string) {
		for i := from; i < to; i++ {
			text += fmt.Sprintf(" word%d", i)
		}
		return text
	}
	post(t, h, "/completion", `{"prompt":"`+words(0, 60)+`","n_predict":1}`)
	gap := `{"prompt":"` + words(0, 20) + words(40, 60) + `","n_predict":8,"temperature":0,"n_probs":1`
	_, body := post(t, h, "/completion", gap+`}`)
	got := decode(t, body)
	_, body = post(t, h, "/completion", gap+`,"cache_prompt":false}`)
	want := decode(t, body)
	if n, _ := at(got, "timings.cache_n").(float64); n < 32 || at(want, "timings.cache_n") != 0. {
		t.Errorf("%v tokens cached, anew %v", n, at(want, "timings.cache_n"))
	}
	if a, b := fmt.Sprint(got["content"], got["completion_probabilities"]), fmt.Sprint(want["content"], want["completion_probabilities"]); a != b {
		t.Errorf("reused:\n%s\nanew:\n%s", a, b)
	}
}

// TestEmbeddingOfDamage: a vector that is no numbers is an error, in either form, and the next request is answered.
func TestEmbeddingOfDamage(t *testing.T) {
	data := slices.Clone(demo.Model())
	f, err := gguf.Parse(demo.Name, data)
	if err != nil {
		t.Fatal(err)
	}
	table, _ := f.Tensor("token_embd.weight")
	const damaged, vocabulary = 300, 4096
	binary.LittleEndian.PutUint16(f.Bytes(table)[damaged*table.Size/vocabulary:], 0x7e00) // the scale of a block
	m, err := engine.OpenBytes(context.Background(), demo.Name, data, engine.Options{Context: 512, Threads: 2})
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	s, err := serve.New(serve.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Load(func() (*engine.Model, error) { return m, nil }); err != nil {
		t.Fatal(err)
	}
	h := httptest.NewServer(s)
	defer h.Close()
	for _, form := range []string{"float", "base64"} {
		body := `{"encoding_format":"` + form + `","input":`
		if code, answer := post(t, h, "/v1/embeddings", body+`[1,2,300]}`); code != 500 || !strings.Contains(answer, "no number") {
			t.Errorf("%s: %d %.200s", form, code, answer)
		}
		if code, answer := post(t, h, "/v1/embeddings", body+`[1,2,3]}`); code != 200 {
			t.Errorf("%s, the next one: %d %.200s", form, code, answer)
		}
	}
}
