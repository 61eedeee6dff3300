package serve

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"slices"
	"sync/atomic"
	"time"

	"github.com/llamakit/llamakit/engine"
)

// metrics are what is counted of finished jobs, and how long things took. There is no lock: who reads them waits for nobody.
type metrics struct {
	prompt, cached, predicted         atomic.Int64 // tokens
	promptTime, predictTime           atomic.Int64 // nanoseconds
	stops                             [4]atomic.Int64
	firstToken, betweenTokens, queued histogram
}

// stopNames are the reasons of metrics.stops.
var stopNames = [...]struct {
	reason engine.StopReason
	name   string
}{{engine.StopEOS, "eos"}, {engine.StopText, "stop"}, {engine.StopLimit, "limit"}, {engine.StopContext, "context"}}

// event notes an event of a job; before is when its token before this one came.
func (m *metrics) event(j *job, before time.Time, tokens int) {
	switch {
	case tokens == 0:
	case before.IsZero():
		m.firstToken.observe(j.first.Sub(j.queued))
		m.queued.observe(j.admitted.Sub(j.queued))
	default:
		m.betweenTokens.observe(j.latest.Sub(before))
	}
}

// finished notes the result of a job.
func (m *metrics) finished(j *job) {
	r := j.result
	m.prompt.Add(int64(r.PromptTokens - r.CachedTokens))
	m.cached.Add(int64(r.CachedTokens))
	m.predicted.Add(int64(r.GeneratedTokens))
	m.promptTime.Add(int64(r.PromptTime))
	m.predictTime.Add(int64(r.GenerateTime))
	for i, stop := range stopNames {
		if stop.reason == r.Stop {
			m.stops[i].Add(1)
		}
	}
}

// bounds are the upper limits of a histogram's buckets, in seconds.
var bounds = []float64{.001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30, 60, 120}

// histogram counts durations.
type histogram struct {
	buckets [17]atomic.Int64 // the last is for what is above all bounds
	sum     atomic.Int64     // nanoseconds
}

func (h *histogram) observe(d time.Duration) {
	h.sum.Add(int64(d))
	i, _ := slices.BinarySearch(bounds, d.Seconds())
	h.buckets[i].Add(1)
}

// write prints a histogram in Prometheus' text format.
func (h *histogram) write(w io.Writer, name, help string) {
	fmt.Fprintf(w, "# HELP %s %s\n# TYPE %s histogram\n", name, help, name)
	var n int64
	for i, bound := range bounds {
		n += h.buckets[i].Load()
		fmt.Fprintf(w, "%s_bucket{le=\"%g\"} %d\n", name, bound, n)
	}
	n += h.buckets[len(bounds)].Load()
	fmt.Fprintf(w, "%s_bucket{le=\"+Inf\"} %d\n%s_sum %g\n%s_count %d\n", name, n, name, time.Duration(h.sum.Load()).Seconds(), name, n)
}

// metric is one number.
type metric struct {
	name, kind, help string
	value            float64
}

func (s *Server) showMetrics(w http.ResponseWriter, _ *http.Request, m *engine.Model) error {
	if !s.options.Metrics {
		return unsupported("metrics are off; start the server with --metrics")
	}
	w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
	w.Header().Set("Process-Start-Time-Unix", fmt.Sprint(s.begun.Unix()))
	stats := m.Stats()
	text := bytes.NewBuffer(make([]byte, 0, 16<<10))
	for _, x := range s.numbers(stats) {
		fmt.Fprintf(text, "# HELP %s %s\n# TYPE %s %s\n%s %v\n", x.name, x.help, x.name, x.kind, x.name, x.value)
	}
	c := &s.metrics
	c.firstToken.write(text, "llamacpp:time_to_first_token_seconds", "Time from the request to the first token")
	c.betweenTokens.write(text, "llamacpp:inter_token_seconds", "Time between two tokens of an answer")
	c.queued.write(text, "llamacpp:queue_seconds", "Time in the queue")
	const finished = "llamacpp:requests_finished_total"
	fmt.Fprintf(text, "# HELP %[1]s Answers by why they ended\n# TYPE %[1]s counter\n", finished)
	for i, stop := range stopNames {
		fmt.Fprintf(text, "%s{reason=%q} %d\n", finished, stop.name, c.stops[i].Load())
	}
	fmt.Fprintf(text, "# HELP vllm:cache_config_info Shape of the cache\n# TYPE vllm:cache_config_info gauge\n")
	fmt.Fprintf(text, "vllm:cache_config_info{block_size=\"%d\",num_gpu_blocks=\"%d\"} 1\n", engine.PageSize, stats.Pages.Total)
	send(w, http.StatusOK, text.Bytes())
	return nil
}

// numbers are llama.cpp's metrics by name, those of the cache, and the gauges by which cluster routers choose a server.
func (s *Server) numbers(stats engine.Stats) []metric {
	waiting, running := s.ledger.counts()
	c := &s.metrics
	prompt, predicted := float64(c.prompt.Load()), float64(c.predicted.Load())
	promptTime, predictTime := time.Duration(c.promptTime.Load()).Seconds(), time.Duration(c.predictTime.Load()).Seconds()
	const counter, gauge = "counter", "gauge"
	used := stats.Pages.Total - stats.Pages.Free - stats.Pages.Cached
	return []metric{
		{"llamacpp:prompt_tokens_total", counter, "Prompt tokens computed, without those from the cache", prompt},
		{"llamacpp:prompt_tokens_cached_total", counter, "Prompt tokens found in the cache", float64(c.cached.Load())},
		{"llamacpp:prompt_seconds_total", counter, "Time spent on prompts", promptTime},
		{"llamacpp:tokens_predicted_total", counter, "Tokens generated", predicted},
		{"llamacpp:tokens_predicted_seconds_total", counter, "Time spent on generation", predictTime},
		{"llamacpp:n_decode_total", counter, "Batches computed", float64(stats.Steps)},
		{"llamacpp:n_tokens_max", counter, "Tokens of the longest sequence", float64(stats.Longest)},
		{"llamacpp:spec_decode_num_draft_tokens_total", counter, "Tokens drafted by speculation", 0},
		{"llamacpp:spec_decode_num_accepted_tokens_total", counter, "Of these, accepted", 0},
		{"llamacpp:spec_decode_num_drafts_total", counter, "Drafts verified", 0},
		{"llamacpp:prompt_tokens_seconds", gauge, "Mean speed of prompts in tokens a second", ratio(prompt, promptTime)},
		{"llamacpp:predicted_tokens_seconds", gauge, "Mean speed of generation in tokens a second", ratio(predicted, predictTime)},
		{"llamacpp:requests_processing", gauge, "Answers being generated", float64(running)},
		{"llamacpp:requests_deferred", gauge, "Answers waiting", float64(waiting)},
		{"llamacpp:n_busy_slots_per_decode", gauge, "Mean number of sequences in a batch", ratio(float64(stats.Busy), float64(stats.Steps))},
		{"llamacpp:kv_cache_usage_ratio", gauge, "Share of the cache's pages in use", ratio(float64(used), float64(stats.Pages.Total))},
		{"llamacpp:kv_cache_pages", gauge, "Pages of the cache", float64(stats.Pages.Total)},
		{"llamacpp:kv_cache_pages_free", gauge, "Pages that hold nothing", float64(stats.Pages.Free)},
		{"llamacpp:kv_cache_pages_cached", gauge, "Pages that hold what no sequence uses now", float64(stats.Pages.Cached)},
		{"llamacpp:kv_cache_pages_shared", gauge, "Pages that several sequences use", float64(stats.Pages.Shared)},
		{"vllm:num_requests_waiting", gauge, "Answers waiting", float64(waiting)},
		{"vllm:num_requests_running", gauge, "Answers being generated", float64(running)},
		{"vllm:kv_cache_usage_perc", gauge, "Share of the cache's pages in use, 1 is all", ratio(float64(used), float64(stats.Pages.Total))},
	}
}

func ratio(a, b float64) float64 {
	if b == 0 {
		return 0
	}
	return a / b
}
