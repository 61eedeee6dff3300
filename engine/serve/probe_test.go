package serve

import (
	"net/http/httptest"
	"testing"
	"time"

	"github.com/llamakit/llamakit/engine"
	"github.com/llamakit/llamakit/engine/demo"
)

// TestProbesWaitForNobody: who watches a server is answered while the lock is held that all streams take.
func TestProbesWaitForNobody(t *testing.T) {
	s, err := New(Options{Metrics: true, Keys: []string{"k"}})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Load(func() (*engine.Model, error) {
		return engine.OpenBytes(t.Context(), demo.Name, demo.Model(), engine.Options{Context: 64, Threads: 1})
	}); err != nil {
		t.Fatal(err)
	}
	defer s.Model().Close()
	s.ledger.mu.Lock()
	defer s.ledger.mu.Unlock()
	for _, path := range []string{"/health", "/metrics"} {
		answer := make(chan int, 1)
		go func() {
			w, r := httptest.NewRecorder(), httptest.NewRequest("GET", path, nil)
			r.Header.Set("Authorization", "Bearer k")
			s.ServeHTTP(w, r)
			answer <- w.Code
		}()
		select {
		case code := <-answer:
			if code != 200 {
				t.Errorf("%s: %d", path, code)
			}
		case <-time.After(10 * time.Second):
			t.Errorf("%s waits", path)
		}
	}
}
