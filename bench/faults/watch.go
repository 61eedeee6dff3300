package main

import (
	"context"
	"fmt"
	"io"
	"maps"
	"os"
	"runtime"
	"slices"
	"strings"
	"time"
)

// probe asks for /health and /metrics all the time.
func (r *rig) probe(ctx context.Context) {
	for ctx.Err() == nil {
		health, metrics := r.timed(ctx, "/health"), r.timed(ctx, "/metrics")
		r.mu.Lock()
		r.health, r.metrics = append(r.health, health), append(r.metrics, metrics)
		r.mu.Unlock()
		time.Sleep(20 * time.Millisecond)
	}
}

// timed is how long a path takes to answer.
func (r *rig) timed(ctx context.Context, path string) time.Duration {
	begin := time.Now()
	res, err := r.client.Get(r.url + path)
	if err == nil {
		_, err = io.Copy(io.Discard, res.Body)
		res.Body.Close()
	}
	took := time.Since(begin)
	if ctx.Err() == nil && (err != nil || res.StatusCode != 200) {
		r.count("probe", fmt.Errorf("%s: %v, %v", path, res, err))
	}
	return took
}

// line prints how much the process holds.
func (r *rig) line(since time.Duration) {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	r.mu.Lock()
	defer r.mu.Unlock()
	n := 0
	for _, count := range r.outcomes {
		n += count
	}
	fmt.Printf("%7.0f  %8d  %10d  %8s  %8d\n", since.Seconds(), n, runtime.NumGoroutine(), resident(), m.HeapAlloc>>20)
}

// resident is the memory of this process in MiB, clients and all; "?" where the system does not tell.
func resident() string {
	data, err := os.ReadFile("/proc/self/status")
	_, rest, ok := strings.Cut(string(data), "VmRSS:")
	var kib int
	if _, scan := fmt.Sscan(rest, &kib); err != nil || !ok || scan != nil {
		return "?"
	}
	return fmt.Sprint(kib >> 10)
}

// report prints what the clients did, and how fast the server answered beside them.
func (r *rig) report() {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, name := range slices.Sorted(maps.Keys(r.outcomes)) {
		fmt.Printf("%8d  %s\n", r.outcomes[name], name)
	}
	for name, times := range map[string][]time.Duration{"/health": r.health, "/metrics": r.metrics} {
		slices.Sort(times)
		if n := len(times); n > 0 {
			fmt.Printf("%-8s  median %v, 99%% %v, at most %v\n", name, times[n/2], times[n*99/100], times[n-1])
		}
	}
}
