package serve_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/llamakit/llamakit/engine/serve"
)

// BenchmarkProbe asks what those ask who watch a server, at full load: all slots stream, requests wait, come and go. It measures the
// handlers, without the network. -mutexprofile and -blockprofile show what they wait for.
func BenchmarkProbe(b *testing.B) {
	s, h := start(b, serve.Options{Metrics: true, Shift: true})
	for i := range 3 {
		go follow(b, h, endless)
		go repeat(b, h, fmt.Sprintf(`{"prompt":"%d %s","n_predict":8,"logit_bias":[%s[5,1]]}`, i, strings.Repeat("many words ", 40), strings.Repeat("[7,1],", 500)))
	}
	for _, path := range []string{"/health", "/metrics", "/slots", "/status"} {
		b.Run("path="+path[1:], func(b *testing.B) {
			var took []time.Duration
			for b.Loop() {
				r := httptest.NewRequest("GET", path, nil)
				r.Host = "localhost"
				w := httptest.NewRecorder()
				begun := time.Now()
				s.ServeHTTP(w, r)
				if took = append(took, time.Since(begun)); w.Code != 200 {
					b.Fatalf("%d %s", w.Code, w.Body)
				}
			}
			slices.Sort(took)
			b.ReportMetric(float64(took[len(took)*99/100].Microseconds()), "p99-µs")
			b.ReportMetric(float64(took[len(took)-1].Microseconds()), "max-µs")
		})
	}
}

// follow reads a stream until the benchmark ends.
func follow(b *testing.B, h *httptest.Server, body string) {
	r, err := http.NewRequestWithContext(b.Context(), "POST", h.URL+"/completion", strings.NewReader(body))
	if err != nil {
		panic(err)
	}
	if res, err := h.Client().Do(r); err == nil {
		_, _ = io.Copy(io.Discard, res.Body)
		res.Body.Close()
	}
}

// repeat asks the same again and again.
func repeat(b *testing.B, h *httptest.Server, body string) {
	for b.Context().Err() == nil {
		follow(b, h, body)
	}
}
