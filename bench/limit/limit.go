// Package limit measures what a machine can do at most: read memory, multiply and add. What a model is computed with can then be
// said as a part of it.
//
// The loops do nothing else, and as much of it at a time as the instruction set in use allows: that of kernel.Active. Arithmetic is
// that of the kernels: float32, BF16 where they multiply it, and bytes summed to int32.
package limit

import (
	"context"
	"runtime"
	"sync"
	"time"
)

//go:generate sh _gen/generate.sh

// Machine is what some threads can do at most together, a second.
type Machine struct {
	Threads int
	Read    float64 // bytes from memory
	Int8    float64 // multiply-adds of bytes
	Float32 float64 // multiply-adds of float32
	BF16    float64 // multiply-adds of BF16 numbers; those of float32 where the kernels make those
}

// Options bound the measurement; the zero value is for real measurements.
type Options struct {
	Buffer   int           // bytes that are read, more than any cache; 0: 512 MiB
	Duration time.Duration // of one trial; 0: 200 ms
	Trials   int           // of which the best counts; 0: 3
}

const (
	pieceBytes = 256      // of a turn of the reading loop
	turns      = 1 << 14  // of an arithmetic loop between two looks at the clock
	chunk      = 1 << 20  // bytes read between two looks at the clock
	ahead      = 12 << 10 // bytes that the reading loop prefetches, also past the end
)

// Measure takes about two seconds. It stops early, with an error, when ctx ends.
func Measure(ctx context.Context, threads int, o Options) (Machine, error) {
	if o.Buffer == 0 {
		o.Buffer = 512 << 20
	}
	if o.Duration == 0 {
		o.Duration = 200 * time.Millisecond
	}
	if o.Trials == 0 {
		o.Trials = 3
	}
	l := loopsFor()
	parts := buffers(threads, o.Buffer)
	m := Machine{Threads: threads}
	for _, kind := range []struct {
		rate *float64
		work func(thread, round int) float64
	}{
		{&m.Read, func(thread, round int) float64 {
			data := parts[thread]
			at := round * chunk % len(data)
			l.read(data[at:min(at+chunk, len(data))])
			return float64(min(chunk, len(data)-at))
		}},
		{&m.Float32, func(int, int) float64 { l.floats(turns); return turns * float64(l.floatsATurn) }},
		{&m.BF16, func(int, int) float64 { l.bf16(turns); return turns * float64(l.bf16ATurn) }},
		{&m.Int8, func(int, int) float64 { l.integers(turns); return turns * float64(l.integersATurn) }},
	} {
		for range o.Trials {
			if err := ctx.Err(); err != nil {
				return Machine{}, err
			}
			*kind.rate = max(*kind.rate, together(threads, o.Duration, kind.work))
		}
	}
	return m, nil
}

// buffers are memory that is really there: every page was written to.
func buffers(threads, bytes int) [][]byte {
	size := max(bytes/threads/chunk, 1) * chunk
	parts := make([][]byte, threads)
	var wg sync.WaitGroup
	for i := range parts {
		wg.Go(func() {
			whole := make([]byte, size+ahead)
			for at := 0; at < len(whole); at += 512 {
				whole[at] = 1
			}
			parts[i] = whole[:size]
		})
	}
	wg.Wait()
	return parts
}

// together has each thread work for a time and returns the sum of their rates.
func together(threads int, d time.Duration, work func(thread, round int) float64) (rate float64) {
	rates := make([]float64, threads)
	begin := make(chan struct{})
	var wg sync.WaitGroup
	for i := range threads {
		wg.Go(func() {
			runtime.LockOSThread()
			defer runtime.UnlockOSThread()
			<-begin
			amount, start := 0.0, time.Now()
			for round := 0; amount == 0 || time.Since(start) < d; round++ {
				amount += work(i, round)
			}
			rates[i] = amount / time.Since(start).Seconds()
		})
	}
	close(begin)
	wg.Wait()
	for _, r := range rates {
		rate += r
	}
	return rate
}
