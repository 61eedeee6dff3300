package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// fake answers with the tokens 1, 2, 3 ..., computes all but the first ten tokens of a prompt, and notes prompts.
type fake struct {
	mu      sync.Mutex
	prompts [][]int
	fails   bool
}

func (f *fake) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var in struct {
		Prompt []int
		N      int `json:"n_predict"`
	}
	if err := json.NewDecoder(r.Body).Decode(&in); err != nil || f.fails {
		http.Error(w, "no room", http.StatusTooManyRequests)
		return
	}
	f.mu.Lock()
	f.prompts = append(f.prompts, in.Prompt)
	f.mu.Unlock()
	for i := range in.N {
		fmt.Fprintf(w, "data: {\"content\":\"x\",\"tokens\":[%d]}\n\n", i+1)
	}
	fmt.Fprintf(w, "data: {\"content\":\"\",\"stop\":true,\"tokens_predicted\":%d,\"timings\":{\"prompt_n\":%d}}\n\n", in.N, len(in.Prompt)-10)
}

func play(t *testing.T, f *fake, name string, each, clients int) *load {
	t.Helper()
	h := httptest.NewServer(f)
	t.Cleanup(h.Close)
	s := shape{prefix: 20, tail: 4, answer: 3, each: each}
	l := &load{server: &server{url: h.URL, client: h.Client()}, answer: s.answer}
	l.closed(context.Background(), newTrace(name, s, 1000, 1), clients, name == "burst")
	return l
}

func TestClosed(t *testing.T) {
	for _, c := range []struct {
		name                    string
		each, clients, requests int
	}{{"burst", 5, 3, 3}, {"prefix", 5, 3, 15}, {"chat", 5, 1, 5}} {
		f := &fake{}
		l := play(t, f, c.name, c.each, c.clients)
		r := newResult("x", level{trace: c.name, clients: c.clients}, l.samples, time.Second)
		if l.err != nil || r.Requests != c.requests || r.Speeds[0] != float64(3*c.requests) || r.Prompt-r.Computed != 10*c.requests ||
			len(r.between) != 2*c.requests {
			t.Errorf("%s: %+v, %v", c.name, r, l.err)
		}
		for i, p := range f.prompts {
			if !slices.Equal(p[:20], f.prompts[0][:20]) || slices.Min(p[:20]) < 250 || slices.Max(p[:20]) >= 750 {
				t.Errorf("%s: prompt %d begins with %v", c.name, i, p[:20])
			}
			if c.name == "chat" && i > 0 {
				if before := f.prompts[i-1]; !slices.Equal(p[:len(before)+3], append(slices.Clone(before), 1, 2, 3)) {
					t.Errorf("turn %d does not go on from the one before: %v, %v", i, before, p)
				}
			}
		}
	}
	if l := play(t, &fake{fails: true}, "burst", 1, 1); l.err == nil || !strings.Contains(l.err.Error(), "429") || !strings.Contains(l.err.Error(), "no room") {
		t.Errorf("a refusal: %v", l.err)
	}
}

// TestTrace: the same seed, the same requests.
func TestTrace(t *testing.T) {
	s := shape{prefix: 5, tail: 40, each: 3}
	a, b := newTrace("chat", s, 100, 7).session(), newTrace("chat", s, 100, 7).session()
	if fmt.Sprint(a) != fmt.Sprint(b) || len(a.turns) != 3 {
		t.Errorf("%v, %v", a, b)
	}
	for range 100 {
		if n := len(newTrace("prefix", s, 100, 7).session().turns[0]); n < 1 || n > 40 {
			t.Fatalf("a tail of %d tokens", n)
		}
	}
}

func TestLevels(t *testing.T) {
	for _, c := range []struct{ traces, clients, rates, want string }{
		{"burst,chat", "1,4", "2.5", "[{burst 1 0} {burst 4 0} {chat 1 0} {chat 4 0} {chat 0 2.5}]"},
		{"x", "1", "", "-traces"}, {"chat", "0", "", "-clients"}, {"chat", "", "NaN", "-rates"}, {"burst", "", "1", "neither"},
	} {
		o := options{traces: c.traces, clients: c.clients, rates: c.rates}
		levels, err := o.levels()
		if got := fmt.Sprint(levels); got != c.want && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%v: %s, %v", c, got, err)
		}
	}
}

func TestQuantiles(t *testing.T) {
	var values []float64
	for i := range 200 {
		values = append(values, float64(200-i))
	}
	if q := quantilesOf(values); q.P50 != 100 || q.P99 != 198 {
		t.Errorf("%+v", q)
	}
	if q := quantilesOf([]float64{3}); q.P50 != 3 || q.P99 != 3 {
		t.Errorf("of one: %+v", q)
	}
}

func TestUpdate(t *testing.T) {
	path := filepath.Join(t.TempDir(), "load.md")
	const begin, end = "<!-- load: begin -->\n", "<!-- load: end -->\n"
	if err := os.WriteFile(path, []byte("before\n"+begin+"old\n"+end+"after\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	missing := options{model: "m.gguf", traces: "chat", clients: "1", update: path + ".none"}
	if err := missing.run(context.Background()); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a document that is not there: %v", err)
	}
	o := options{update: path}
	r := [][]result{{{Trace: "burst", Load: "16", Server: "a", Speeds: []float64{30}, Computed: 100}, {Trace: "burst", Load: "16", Server: "b", Speeds: []float64{10}, Computed: 250}}}
	if err := o.write(r); err != nil {
		t.Fatal(err)
	}
	data, _ := os.ReadFile(path)
	text := string(data)
	if !strings.HasPrefix(text, "before\n") || !strings.HasSuffix(text, "after\n") || strings.Contains(text, "old") ||
		!strings.Contains(text, "| 30.0 | 3.00x |") || !strings.Contains(text, "| 100 | 2.5x |") || !strings.Contains(text, "| 250 |  |") {
		t.Error(text)
	}
}
