package serve

import (
	"context"
	"net/http"
	"slices"
	"sync"
	"time"
)

// A request takes memory before it is in the queue: its body is read, parsed, rendered and tokenized, which takes several times its
// size. So bodies wait unread for their turn: those that are in work have a limit of bytes together, which is that of one body.
// Small ones have a limit of their own, and so never wait for a large one.
const (
	smallBody   = 256 << 10
	leastBody   = 4 << 10  // what a body counts at least
	smallBodies = 32 << 20 // bytes of small bodies in work
	perText     = 8        // bytes of a body for a byte of its prompt: \u0000 takes six, and there is what stands around it
)

// intake hands out the places.
type intake struct{ small, large line }

// line is first come, first served.
type line struct {
	mu      sync.Mutex
	free    int64
	most    int // bodies that may wait
	waiting []*place
}

// place is the share of a body in a line.
type place struct {
	line *line
	size int64
	turn chan struct{} // closed when it comes
}

func (i *intake) open(body int64, queue int) {
	i.small, i.large = line{free: smallBodies, most: queue}, line{free: body, most: queue}
}

// enter waits until the body of a request may be read: until there is room, the request or the server ends, or it takes too long.
func (s *Server) enter(r *http.Request, size int64) error {
	p := placeOf(r)
	p.line, p.size = &s.intake.large, size
	if size <= smallBody {
		p.line, p.size = &s.intake.small, max(size, leastBody)
	}
	if !p.stand() {
		most := p.line.most
		p.line = nil
		return fail(http.StatusTooManyRequests, "the queue is full: %d requests wait to be read", most)
	}
	late := time.NewTimer(s.options.Timeout)
	defer late.Stop()
	select {
	case <-p.turn:
		return nil
	case <-late.C:
		return fail(http.StatusTooManyRequests, "the request was not read for %v: others came first", s.options.Timeout)
	case <-s.base.Done():
		return errStopping
	case <-r.Context().Done():
		return r.Context().Err()
	}
}

// stand puts a place at the end of its line; false: the line is too long.
func (p *place) stand() bool {
	l := p.line
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.waiting) >= l.most {
		return false
	}
	p.turn = make(chan struct{})
	l.waiting = append(l.waiting, p)
	l.admit()
	return true
}

// admit is called with the lock held.
func (l *line) admit() {
	for len(l.waiting) > 0 && l.waiting[0].size <= l.free {
		l.free -= l.waiting[0].size
		close(l.waiting[0].turn)
		l.waiting = l.waiting[1:]
	}
}

// leave gives a place up, or its turn; a place that was left before, or never taken, is none.
func (p *place) leave() {
	l := p.line
	if l == nil {
		return
	}
	p.line = nil
	l.mu.Lock()
	defer l.mu.Unlock()
	if i := slices.Index(l.waiting, p); i >= 0 {
		l.waiting = slices.Delete(l.waiting, i, i+1)
	} else {
		l.free += p.size
	}
	l.admit()
}

type placeKey struct{}

// placeOf is the place of the body of a request.
func placeOf(r *http.Request) *place {
	p, _ := r.Context().Value(placeKey{}).(*place)
	return p
}

// placed gives every request a place, which it leaves at its end if not before.
func (s *Server) placed(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		p := &place{}
		defer p.leave()
		next.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), placeKey{}, p)))
	})
}

// begin leaves the place of a request whose answers begin: what it takes from now on is bounded by the context. One that says far
// more than its prompts keeps the place, for that stays in memory.
func (p *place) begin(jobs []*job) {
	bytes := 0
	for _, j := range jobs {
		bytes += len(j.prepared.Text)
	}
	if p.size <= smallBody+int64(perText*bytes) {
		p.leave()
	}
}
