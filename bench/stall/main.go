// Stall measures the time between the tokens of one answer, alone or beside what may hold them up: busy processes, and garbage that the
// same process makes.
//
//	go run ./bench/stall
//	go run ./bench/stall -m model.gguf -n 512 -neighbour 2 -garbage 200
//
// A token is there when its logits are: as in llama-bench nothing is sampled, and the tokens mean nothing. The first few, in which
// memory is touched for the first time, do not count.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime"
	"syscall"
	"time"

	"github.com/llamakit/llamakit/bench"
	"github.com/llamakit/llamakit/engine"
	"github.com/llamakit/llamakit/engine/demo"
)

// options are what the command line says.
type options struct {
	model      string
	tokens     int
	threads    int
	neighbours int
	garbage    int // MiB a second
}

// warm is how many tokens come before those that count.
const warm = 8

func main() {
	if os.Getenv(neighbourVariable) != "" {
		beNeighbour()
	}
	var o options
	flag.StringVar(&o.model, "m", "", "model (default: the demo model)")
	flag.IntVar(&o.tokens, "n", 200, "tokens")
	flag.IntVar(&o.threads, "t", 0, "compute threads (default: one a physical core)")
	flag.IntVar(&o.neighbours, "neighbour", 0, "processes that keep a processor busy each")
	flag.IntVar(&o.garbage, "garbage", 0, "MiB of garbage a second, beside 64 MiB that stay")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := o.run(ctx, os.Stdout, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "stall:", err)
		os.Exit(1)
	}
}

func (o *options) run(ctx context.Context, w io.Writer, operands []string) error {
	switch {
	case len(operands) > 0:
		return fmt.Errorf("%q: there is nothing but flags", operands[0])
	case o.tokens < 2 || o.threads < 0 || o.neighbours < 0 || o.garbage < 0:
		return fmt.Errorf("-n is 2 or more, other numbers are not negative")
	}
	m, err := o.open(ctx)
	if err != nil {
		return err
	}
	defer m.Close()
	stop, err := neighbours(o.neighbours)
	if err != nil {
		return err
	}
	defer stop()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	if o.garbage > 0 {
		go makeGarbage(ctx, o.garbage)
	}
	collections := countCollections()
	gaps, err := o.gaps(ctx, m)
	if err != nil {
		return err
	}
	o.report(w, m.Info(), gaps, countCollections()-collections)
	return nil
}

func (o *options) open(ctx context.Context) (*engine.Model, error) {
	settings := engine.Options{Context: o.tokens + 2*warm, Threads: o.threads, Sequences: 1}
	if o.model == "" {
		return engine.OpenBytes(ctx, demo.Name, demo.Model(), settings)
	}
	return engine.Open(ctx, o.model, settings)
}

// gaps are the milliseconds between tokens, one after the other. Any tokens will do.
func (o *options) gaps(ctx context.Context, m *engine.Model) ([]float64, error) {
	n := warm + o.tokens
	times := make([]time.Time, 0, n)
	_, err := m.Drive(ctx, [][]engine.Token{{0}}, n, func() engine.Token {
		times = append(times, time.Now())
		return engine.Token(len(times) % m.Info().Vocabulary)
	})
	if err != nil {
		return nil, err
	}
	var gaps []float64
	for i := warm + 1; i < n; i++ {
		gaps = append(gaps, float64(times[i].Sub(times[i-1]).Microseconds())/1000)
	}
	return gaps, nil
}

func countCollections() uint32 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.NumGC
}

func (o *options) report(w io.Writer, info engine.Info, gaps []float64, collections uint32) {
	median, longest := bench.Median(gaps), bench.Quantile(gaps, 1)
	fmt.Fprintf(w, "%d threads, %d neighbours, %d MiB of garbage a second, %d collections\n", info.Threads, o.neighbours, o.garbage, collections)
	fmt.Fprintf(w, "%d times between tokens in ms: median %.3f, 99%% %.3f, longest %.3f, longest to median %.2f\n",
		len(gaps), median, bench.Quantile(gaps, 0.99), longest, longest/max(median, 1e-3))
}
