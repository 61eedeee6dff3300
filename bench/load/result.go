package main

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/llamakit/llamakit/bench"
	"github.com/llamakit/llamakit/bench/section"
)

// result is what a level gave on one server. Times are milliseconds.
type result struct {
	Trace    string    `json:"trace"`
	Load     string    `json:"load"` // clients, or requests a second
	Server   string    `json:"server"`
	Requests int       `json:"requests"`
	Prompt   int       `json:"prompt_tokens"`
	Computed int       `json:"prompt_tokens_computed"`
	Speeds   []float64 `json:"tokens_per_second"` // generated, a repetition each
	First    quantiles `json:"first_token_ms"`
	Between  quantiles `json:"between_tokens_ms"`

	first, between []float64
}

type quantiles struct {
	P50 float64 `json:"p50"`
	P99 float64 `json:"p99"`
}

func newResult(server string, l level, samples []sample, took time.Duration) *result {
	r := &result{Trace: l.trace, Load: l.name(), Server: server, Requests: len(samples)}
	generated := 0
	for _, s := range samples {
		r.Prompt += s.prompt
		r.Computed += s.computed
		generated += s.generated
		r.first = append(r.first, milliseconds(s.first))
		for _, gap := range s.gaps {
			r.between = append(r.between, milliseconds(gap))
		}
	}
	r.Speeds = []float64{float64(generated) / took.Seconds()}
	return r
}

func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// add takes in a further repetition.
func (r *result) add(more *result) {
	r.Trace, r.Load, r.Server = more.Trace, more.Load, more.Server
	r.Requests += more.Requests
	r.Prompt += more.Prompt
	r.Computed += more.Computed
	r.Speeds = append(r.Speeds, more.Speeds...)
	r.first, r.between = append(r.first, more.first...), append(r.between, more.between...)
	r.First, r.Between = quantilesOf(r.first), quantilesOf(r.between)
}

// quantilesOf are those of values; 0 of none.
func quantilesOf(values []float64) quantiles {
	if len(values) == 0 {
		return quantiles{}
	}
	return quantiles{bench.Quantile(values, 0.5), bench.Quantile(values, 0.99)}
}

// write prints the results, or puts their table into a document.
func (o *options) write(results [][]result) error {
	if o.asJSON {
		e := json.NewEncoder(os.Stdout)
		e.SetIndent("", "  ")
		return e.Encode(slices.Concat(results...))
	}
	text := markdown(results)
	if o.update == "" {
		_, err := os.Stdout.WriteString(text)
		return err
	}
	return section.Write(o.update, "load", text)
}

// markdown is the table. The columns "x" are how many times as fast the first server is, and how many times fewer tokens of
// prompts it computed.
func markdown(results [][]result) string {
	var b strings.Builder
	b.WriteString("| trace | load | server | tok/s | x | first token ms, p50 | p99 | between tokens ms, p50 | p99 | prompt tokens | computed | x |\n")
	b.WriteString("|---|---:|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|\n")
	for _, level := range results {
		for i, r := range level {
			faster, fewer := "", ""
			if i == 0 && len(level) == 2 {
				faster = bench.Paired(r.Speeds, level[1].Speeds).String()
				fewer = fmt.Sprintf("%.1fx", float64(level[1].Computed)/float64(max(1, r.Computed)))
			}
			fmt.Fprintf(&b, "| %s | %s | %s | %.1f | %s | %.0f | %.0f | %.1f | %.1f | %d | %d | %s |\n", r.Trace, r.Load, r.Server, bench.Median(r.Speeds), faster,
				r.First.P50, r.First.P99, r.Between.P50, r.Between.P99, r.Prompt, r.Computed, fewer)
		}
	}
	return b.String()
}
