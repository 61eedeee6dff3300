package serve_test

import (
	"bufio"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/llamakit/llamakit/engine"
	"github.com/llamakit/llamakit/engine/serve"
)

// slowBody is a body whose sender waits for a word before the end.
type slowBody struct {
	io.Reader
	read atomic.Bool
	word chan struct{}
}

func (b *slowBody) Read(p []byte) (int, error) {
	b.read.Store(true)
	<-b.word
	return b.Reader.Read(p)
}

// upload asks with a body of a size, and returns what is answered.
func upload(s *serve.Server, size int) (*slowBody, <-chan *httptest.ResponseRecorder) {
	const begin, end = `{"content":"`, `"}`
	b := &slowBody{Reader: strings.NewReader(begin + strings.Repeat("x", size-len(begin+end)) + end), word: make(chan struct{})}
	r := httptest.NewRequest("POST", "/tokenize", b)
	r.Host, r.ContentLength = "localhost", int64(size)
	answer := make(chan *httptest.ResponseRecorder, 1)
	go func() {
		w := httptest.NewRecorder()
		s.ServeHTTP(w, r)
		answer <- w
	}()
	return b, answer
}

// TestIntake: of large bodies no more than the limit of one is in memory, those that wait are not read, and those that find the
// line full are told so. Small ones pass.
func TestIntake(t *testing.T) {
	model() // outside of the bubble
	synctest.Test(t, func(t *testing.T) {
		s, err := serve.New(serve.Options{Body: 1 << 20, Queue: 1, Timeout: time.Hour})
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Load(func() (*engine.Model, error) { return model(), nil }); err != nil {
			t.Fatal(err)
		}
		first, answer := upload(s, 700<<10)
		synctest.Wait()
		second, later := upload(s, 600<<10)
		synctest.Wait()
		if !first.read.Load() || second.read.Load() {
			t.Errorf("of 700 and 600 KiB, with a limit of 1 MiB, are read: %t, %t", first.read.Load(), second.read.Load())
		}
		third, refused := upload(s, 300<<10)
		if w := <-refused; w.Code != 429 || w.Header().Get("Retry-After") == "" || third.read.Load() {
			t.Errorf("with one in the line: %d %s", w.Code, w.Body)
		}
		if _, refused := upload(s, 1<<20+1); (<-refused).Code != 413 {
			t.Error("a body above the limit is not refused")
		}
		small, passes := upload(s, 1000)
		close(small.word)
		if w := <-passes; w.Code != 200 {
			t.Errorf("a small one meanwhile: %d %s", w.Code, w.Body)
		}
		close(first.word)
		close(second.word)
		if a, b := <-answer, <-later; a.Code != 200 || b.Code != 200 {
			t.Errorf("%d and %d, want 200", a.Code, b.Code)
		}
		held, gone := upload(s, 1<<20) // all places were given back
		synctest.Wait()
		if !held.read.Load() {
			t.Error("a place is lost")
		}
		_, late := upload(s, 1<<20)
		if w := <-late; w.Code != 429 || !strings.Contains(w.Body.String(), "not read for 1h") {
			t.Errorf("after the time: %d %s", w.Code, w.Body)
		}
		close(held.word)
		<-gone
	})
}

// TestIntakeAnswers: a large request leaves its place when its answer begins, unless it is large for another reason than its prompt.
func TestIntakeAnswers(t *testing.T) {
	const limit = 600 << 10
	s, h := start(t, serve.Options{Body: limit, Shift: true})
	for _, c := range []struct {
		size int
		kept bool
	}{{270 << 10, false}, {500 << 10, true}} {
		ctx, cancel := context.WithCancel(context.Background())
		body := strings.Replace(endless, `"Once"`, `"`+strings.Repeat("many words ", 230)+`","user":"`+strings.Repeat("x", c.size)+`"`, 1)
		r, _ := http.NewRequestWithContext(ctx, "POST", h.URL+"/completion", strings.NewReader(body))
		res, err := h.Client().Do(r)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := bufio.NewReader(res.Body).ReadString('\n'); err != nil {
			t.Fatal(err)
		}
		next, answer := upload(s, limit)
		close(next.word)
		time.Sleep(50 * time.Millisecond)
		if c.kept && next.read.Load() {
			t.Errorf("%d bytes beside the prompt: the place is not kept", c.size)
		}
		if !c.kept {
			<-answer // while the other goes on
		}
		cancel()
		res.Body.Close()
		if c.kept {
			<-answer
		}
	}
}
