package main

import (
	"context"
	"math/rand/v2"
	"sync"
	"time"
)

// measure starts a server, plays a level of load, and stops it.
func (o *options) measure(ctx context.Context, s *server, l level, seed uint64) (*result, error) {
	if err := s.start(ctx, o.slots, (o.shape.longest(l.trace)+8+255)/256*256, o.threads); err != nil {
		return nil, err
	}
	defer s.stop()
	vocabulary, err := s.vocabulary(ctx)
	if err != nil {
		return nil, err
	}
	if _, _, err := s.complete(ctx, []int{vocabulary / 2, vocabulary/2 + 1}, 2); err != nil { // pages of the weights come to memory
		return nil, err
	}
	t := newTrace(l.trace, o.shape, vocabulary, seed)
	load := &load{server: s, answer: o.shape.answer}
	begin := time.Now()
	if l.rate > 0 {
		load.open(ctx, t, l.rate, o.arrivals, seed)
	} else {
		load.closed(ctx, t, l.clients, l.trace == "burst")
	}
	return newResult(s.name, l, load.samples, time.Since(begin)), load.err
}

// load gathers the samples of requests that run at the same time.
type load struct {
	server *server
	answer int

	mu      sync.Mutex
	samples []sample
	err     error // the first
}

func (l *load) play(ctx context.Context, p session) {
	samples, err := l.server.play(ctx, p, l.answer)
	l.mu.Lock()
	defer l.mu.Unlock()
	l.samples = append(l.samples, samples...)
	if l.err == nil {
		l.err = err
	}
}

// closed has clients that wait for their answers.
func (l *load) closed(ctx context.Context, t *trace, clients int, burst bool) {
	var wg sync.WaitGroup
	for range clients {
		sessions := t.client(burst)
		wg.Go(func() {
			for _, p := range sessions {
				l.play(ctx, p)
			}
		})
	}
	wg.Wait()
}

// open begins sessions at random times, whatever became of those before.
func (l *load) open(ctx context.Context, t *trace, rate float64, arrivals int, seed uint64) {
	random := rand.New(rand.NewPCG(seed, 2))
	var wg sync.WaitGroup
	for range arrivals {
		p := t.session()
		wg.Go(func() { l.play(ctx, p) })
		select {
		case <-ctx.Done():
		case <-time.After(time.Duration(random.ExpFloat64() / rate * float64(time.Second))):
		}
	}
	wg.Wait()
}
