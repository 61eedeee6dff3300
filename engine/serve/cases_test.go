package serve_test

import (
	"context"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"math"
	"net/http"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/llamakit/llamakit/engine/serve"
)

// Cases that servers were reported to get wrong. A grammar of one text decides what the model says.

// said is a request whose answer is a text.
func said(text, more string) string {
	return fmt.Sprintf(`{"prompt":"x","n_predict":40,"temperature":0,"grammar":"root ::= \"%s\""%s}`, text, more)
}

// TestPenaltyWindow: -1 is the whole context, 0 turns the penalty off, and a window forgets what came before it.
func TestPenaltyWindow(t *testing.T) {
	_, h := start(t, serve.Options{})
	answer := func(window int, penalty float64) any {
		code, body := post(t, h, "/completion", fmt.Sprintf(`{"prompt":"Hello user Hello user a b c d","n_predict":6,"temperature":0,"repeat_penalty":%g,"repeat_last_n":%d}`, penalty, window))
		if code != 200 {
			t.Fatalf("window %d: %d %s", window, code, body)
		}
		return at(decode(t, body), "content")
	}
	plain := answer(64, 1)
	if got := answer(0, 3); got != plain {
		t.Errorf("a window of 0: %q, without a penalty %q", got, plain)
	}
	if a, b := answer(-1, 3), answer(512, 3); a != b || a == plain {
		t.Errorf("-1: %q, the whole context: %q, no penalty: %q", a, b, plain)
	}
}

// TestSamplingCorners: what means "all" does, what is out of range is refused, the chain is shown.
func TestSamplingCorners(t *testing.T) {
	_, h := start(t, serve.Options{})
	for _, c := range []struct {
		fields string
		code   int
		chain  string
	}{
		{`"top_k":0`, 200, ""}, {`"top_k":-1`, 200, ""}, {`"top_k":-2`, 400, ""}, {`"typical_p":0`, 200, ""}, {`"min_p":2`, 400, ""}, {`"temperature":-1`, 200, ""},
		{`"dry_allowed_length":-5`, 400, ""}, {`"xtc_probability":2`, 400, ""}, {`"repeat_last_n":-2`, 400, ""}, {`"repeat_penalty":0`, 400, ""},
		{`"mirostat":2,"max_tokens":50`, 200, ""}, {`"samplers":["top_k","top_k"]`, 200, "[top_k top_k]"}, {`"samplers":[]`, 200, "[]"}, {`"samplers":["top_k","bogus"]`, 400, ""},
		{`"logit_bias":[["A",100]]`, 200, ""}, {`"logit_bias":{"-1":1}`, 400, ""},
	} {
		code, body := post(t, h, "/completion", `{"prompt":"x","n_predict":2,"seed":1,`+c.fields+`}`)
		if code != c.code {
			t.Errorf("%s: %d, want %d: %.200s", c.fields, code, c.code, body)
		}
		if c.chain != "" {
			if got := fmt.Sprint(at(decode(t, body), "generation_settings.samplers")); got != c.chain {
				t.Errorf("%s: the chain is %s", c.fields, got)
			}
		}
	}
	_, body := post(t, h, "/completion", `{"prompt":"Hello","n_predict":3,"temperature":0,"n_probs":5}`)
	for i := range 3 {
		before, sum := math.Inf(1), 0.0
		for k := range 5 {
			p, ok := at(decode(t, body), fmt.Sprintf("completion_probabilities.%d.top_logprobs.%d.logprob", i, k)).(float64)
			if !ok || p > before {
				t.Fatalf("token %d: the %d. probability is %v after %v", i, k, p, before)
			}
			before, sum = p, sum+math.Exp(p)
		}
		if sum > 1.001 || sum < 0.1 {
			t.Errorf("token %d: the five likeliest have %g together", i, sum)
		}
	}
}

// TestStopTexts: a stop text may span tokens, what only begins like one is kept, the earliest counts, and a stream says the same.
func TestStopTexts(t *testing.T) {
	_, h := start(t, serve.Options{})
	for _, c := range []struct{ text, stop, want, word string }{
		{"AAA OP QRS", `["P Q"]`, "AAA O", "P Q"}, {"AB", `["BC"]`, "AB", ""}, {"xAAx", `["A","AA"]`, "x", "A"}, {"xAAx", `["AA","A"]`, "x", "AA"},
		{"abc", `[""]`, "abc", ""}, {"abc", `"b"`, "a", "b"}, {"abc", `null`, "abc", ""}, {"aéb", `["é"]`, "a", "é"}, {"aéb", `["éc"]`, "aéb", ""},
	} {
		_, body := post(t, h, "/completion", said(c.text, `,"stop":`+c.stop))
		whole := decode(t, body)
		if whole["content"] != c.want || at(whole, "stopping_word") != c.word && c.word != "AA" {
			t.Errorf("%q stopped by %s: %q, %q, want %q", c.text, c.stop, whole["content"], at(whole, "stopping_word"), c.want)
		}
		_, body = post(t, h, "/completion", said(c.text, `,"stream":true,"stop":`+c.stop))
		if all, _ := events(t, body); text(all, "content") != c.want {
			t.Errorf("%q stopped by %s: streamed %q, want %q", c.text, c.stop, text(all, "content"), c.want)
		}
	}
}

// TestWholeCharacters: a stream never cuts a character, and one that the limit cuts is a single U+FFFD.
func TestWholeCharacters(t *testing.T) {
	_, h := start(t, serve.Options{})
	const forced = "é🦙日"
	_, body := post(t, h, "/completion", said(forced, `,"stream":true`))
	if all, _ := events(t, body); text(all, "content") != forced || !utf8.ValidString(body) {
		t.Errorf("streamed %q", text(all, "content"))
	}
	_, body = post(t, h, "/completion", strings.Replace(said(forced, `,"stream":true`), `"n_predict":40`, `"n_predict":4`, 1))
	all, _ := events(t, body)
	if got := text(all, "content"); !utf8.ValidString(body) || !strings.HasPrefix(got, "é") || strings.Count(got, "\uFFFD") > 1 {
		t.Errorf("cut: %q", got)
	}
	_, body = post(t, h, "/completion", said("aéb", `,"n_probs":1`))
	entries, _ := at(decode(t, body), "completion_probabilities").([]any)
	if n, _ := at(decode(t, body), "tokens_predicted").(float64); len(entries) != int(n) || n < 3 {
		t.Errorf("%d probabilities of %v tokens", len(entries), n)
	}
}

// TestContextEnds: an answer that the context cut is told from one that used its budget up.
func TestContextEnds(t *testing.T) {
	_, h := start(t, serve.Options{})
	messages := `"messages":[{"role":"user","content":"` + strings.Repeat("word ", 440) + `"}],"temperature":0,"ignore_eos":true`
	for _, c := range []struct {
		limit string
		cut   any
	}{{"", true}, {`,"max_tokens":5`, nil}} {
		_, body := post(t, h, "/v1/chat/completions", `{`+messages+c.limit+`}`)
		if got := decode(t, body); at(got, "choices.0.finish_reason") != "length" || at(got, "choices.0.truncated") != c.cut {
			t.Errorf("limit %q: %v, truncated %v", c.limit, at(got, "choices.0.finish_reason"), at(got, "choices.0.truncated"))
		}
	}
}

// TestEmbeddingForms: texts, tokens, and bytes in base64 are the same numbers, in order; nothing, or too much, is refused.
func TestEmbeddingForms(t *testing.T) {
	_, h := start(t, serve.Options{})
	_, body := post(t, h, "/tokenize", `{"content":"Hello there","add_special":true}`)
	tokens := strings.ReplaceAll(fmt.Sprint(at(decode(t, body), "tokens")), " ", ",")
	vector := func(input, more string, i int) any {
		code, body := post(t, h, "/v1/embeddings", `{"input":`+input+more+`}`)
		if code != 200 {
			t.Fatalf("%s: %d %s", input, code, body)
		}
		return at(decode(t, body), fmt.Sprintf("data.%d.embedding", i))
	}
	want := fmt.Sprint(vector(`"Hello there"`, "", 0))
	for _, input := range []string{tokens, `["Hello there","x"]`} {
		if got := fmt.Sprint(vector(input, "", 0)); got != want {
			t.Errorf("%s has another vector", input)
		}
	}
	if got := fmt.Sprint(vector(`["x","Hello there"]`, "", 1)); got != want {
		t.Error("the order is another")
	}
	data, err := base64.StdEncoding.DecodeString(vector(`"Hello there"`, `,"encoding_format":"base64"`, 0).(string))
	numbers, _ := vector(`"Hello there"`, "", 0).([]any)
	if err != nil || len(data) != 4*len(numbers) {
		t.Fatalf("%d bytes for %d numbers, %v", len(data), len(numbers), err)
	}
	for i, x := range numbers {
		if got := math.Float32frombits(binary.LittleEndian.Uint32(data[4*i:])); got != float32(x.(float64)) {
			t.Fatalf("number %d is %g in base64, %g in JSON", i, got, x)
		}
	}
	for _, input := range []string{`""`, `[]`, `["a",""]`, `"` + strings.Repeat("a b ", 600) + `"`} {
		if code, body := post(t, h, "/v1/embeddings", `{"input":`+input+`}`); code != 400 {
			t.Errorf("%.40s: %d %.100s", input, code, body)
		}
	}
}

// TestPinnedSlotReuses: who asks for a slot finds what others have computed, also while they go on.
func TestPinnedSlotReuses(t *testing.T) {
	_, h := start(t, serve.Options{Shift: true})
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	prompt := strings.Repeat("pinned to a slot ", 20)
	r, _ := http.NewRequestWithContext(ctx, "POST", h.URL+"/completion", strings.NewReader(`{"prompt":"`+prompt+`","n_predict":-1,"ignore_eos":true,"stream":true,"id_slot":1}`))
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	if _, err := res.Body.Read(make([]byte, 10)); err != nil {
		t.Fatal(err)
	}
	for slot := range 4 {
		if slot == 1 {
			continue // its stream never ends
		}
		_, body := post(t, h, "/completion", fmt.Sprintf(`{"prompt":"%s","n_predict":1,"id_slot":%d}`, prompt, slot))
		got := decode(t, body)
		if n, _ := at(got, "timings.cache_n").(float64); n < 32 || at(got, "id_slot") != float64(slot) {
			t.Errorf("slot %d: %v cached, in slot %v", slot, n, at(got, "id_slot"))
		}
	}
}

// TestNothingFetched: an image is not looked for anywhere.
func TestNothingFetched(t *testing.T) {
	_, h := start(t, serve.Options{})
	for _, url := range []string{"http://127.0.0.1:1/x.png", "file:///etc/hostname", "data:image/png;base64,!!!", "data:image/png,x"} {
		code, body := post(t, h, "/v1/chat/completions", `{"messages":[{"role":"user","content":[{"type":"image_url","image_url":{"url":"`+url+`"}}]}]}`)
		if code != 400 || !strings.Contains(body, "text only") {
			t.Errorf("%s: %d %s", url, code, body)
		}
	}
}
