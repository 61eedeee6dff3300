// Faults runs a server with the demo model under clients that misbehave, and watches that it does not mind: memory and goroutines stay
// as they are, /health and /metrics answer at once, no request is lost.
//
//	go run -race ./bench/faults -duration 1h
//
// Clients stream, vanish in the middle, read slowly or never, send halves of bodies, bytes that are no text, prompts that do not fit, wrong
// types, and streams without an end that shift their context; the cache is too small for all that run. At the end the server is
// stopped under load: what is open then must end with an answer or an error. The exit code is 1 where something is not as it should be.
package main

import (
	"context"
	"flag"
	"fmt"
	"net/http"
	"os"
	"os/signal"
	"runtime"
	"time"

	"github.com/llamakit/llamakit/engine"
	"github.com/llamakit/llamakit/engine/demo"
	"github.com/llamakit/llamakit/engine/serve"
)

type options struct {
	duration, every time.Duration
	clients, slots  int
	context, cache  int
	seed            uint64
}

func main() {
	var o options
	flag.DurationVar(&o.duration, "duration", time.Minute, "how long")
	flag.DurationVar(&o.every, "every", 10*time.Second, "time between two lines")
	flag.IntVar(&o.clients, "clients", 24, "clients at the same time")
	flag.IntVar(&o.slots, "np", 8, "slots")
	flag.IntVar(&o.context, "context", 512, "tokens that a slot can hold")
	flag.IntVar(&o.cache, "c", 1536, "tokens that all slots can hold")
	flag.Uint64Var(&o.seed, "seed", 1, "of what the clients do")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := o.run(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "faults:", err)
		os.Exit(1)
	}
}

func (o *options) run(ctx context.Context) error {
	m, err := engine.OpenBytes(ctx, demo.Name, demo.Model(), engine.Options{Context: o.context, Cache: o.cache, Sequences: o.slots})
	if err != nil {
		return err
	}
	defer m.Close()
	s, err := serve.New(serve.Options{Shift: true, Metrics: true, Timeout: 3 * time.Second, Grace: 2 * time.Second})
	if err != nil {
		return err
	}
	if err := s.Load(func() (*engine.Model, error) { return m, nil }); err != nil {
		return err
	}
	listeners, err := s.Listen()
	if err != nil {
		return err
	}
	serving, stopServing := context.WithCancel(context.Background())
	defer stopServing()
	served := make(chan error, 1)
	go func() { served <- s.Serve(serving, listeners...) }()

	r := &rig{url: s.URL(listeners[0]), model: m, client: &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}, outcomes: map[string]int{}}
	if err := r.attack(ctx, o); err != nil {
		return err
	}
	return r.term(stopServing, served, o.clients)
}

// attack has clients misbehave for the duration, and looks at the server meanwhile and afterwards.
func (r *rig) attack(ctx context.Context, o *options) error {
	before := runtime.NumGoroutine()
	ctx, cancel := context.WithTimeout(ctx, o.duration)
	defer cancel()
	wait := r.clients(ctx, o)
	go r.probe(ctx)
	fmt.Println("seconds  requests  goroutines   RSS MiB  heap MiB")
	begin := time.Now()
	for tick := time.NewTicker(o.every); ctx.Err() == nil; {
		select {
		case <-tick.C:
			r.line(time.Since(begin))
		case <-ctx.Done():
		}
	}
	wait()
	for range 100 { // connections take a moment to close
		if runtime.NumGoroutine() <= before+2 && r.model.Stats().Running+r.model.Stats().Waiting == 0 {
			break
		}
		time.Sleep(100 * time.Millisecond)
	}
	fmt.Println("afterwards:")
	r.line(time.Since(begin))
	r.report()
	return r.verdict(before)
}

// verdict says what is not as it should be.
func (r *rig) verdict(before int) error {
	stats := r.model.Stats()
	switch now := runtime.NumGoroutine(); {
	case len(r.wrong) > 0:
		return fmt.Errorf("%d answers are wrong, the first: %s", len(r.wrong), r.wrong[0])
	case stats.Running+stats.Waiting > 0:
		return fmt.Errorf("%d requests run and %d wait although no client is there", stats.Running, stats.Waiting)
	case stats.Pages.Free+stats.Pages.Cached != stats.Pages.Total:
		return fmt.Errorf("pages are lost: %+v", stats.Pages)
	case now > before+5:
		return fmt.Errorf("%d goroutines, %d before", now, before)
	}
	return nil
}
