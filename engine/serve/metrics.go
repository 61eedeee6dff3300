package serve

import (
	"fmt"
	"io"
	"net/http"
	"sync"
	"time"

	"github.com/llamakit/llamakit/engine"
)

// metrics are what is counted of finished jobs, and how long things took.
type metrics struct {
	mu                                sync.Mutex
	prompt, cached, predicted         int64 // tokens
	promptTime, predictTime           time.Duration
	stops                             map[engine.StopReason]int64
	firstToken, betweenTokens, queued histogram
}

func (m *metrics) init() {
	m.stops = map[engine.StopReason]int64{engine.StopEOS: 0, engine.StopText: 0, engine.StopLimit: 0, engine.StopContext: 0}
}

// event notes an event of a job; before is when its token before this one came.
func (m *metrics) event(j *job, before time.Time, tokens int) {
	if tokens == 0 {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if before.IsZero() {
		m.firstToken.observe(j.first.Sub(j.queued))
		m.queued.observe(j.admitted.Sub(j.queued))
		return
	}
	m.betweenTokens.observe(j.latest.Sub(before))
}

// finished notes the result of a job.
func (m *metrics) finished(j *job) {
	m.mu.Lock()
	defer m.mu.Unlock()
	r := j.result
	m.prompt += int64(r.PromptTokens - r.CachedTokens)
	m.cached += int64(r.CachedTokens)
	m.predicted += int64(r.GeneratedTokens)
	m.promptTime += r.PromptTime
	m.predictTime += r.GenerateTime
	m.stops[r.Stop]++
}

// bounds are the upper limits of a histogram's buckets, in seconds.
var bounds = []float64{.001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30, 60, 120}

// histogram counts durations.
type histogram struct {
	buckets [17]int64 // the last is for what is above all bounds
	sum     time.Duration
}

func (h *histogram) observe(d time.Duration) {
	h.sum += d
	for i, bound := range bounds {
		if d.Seconds() <= bound {
			h.buckets[i]++
			return
		}
	}
	h.buckets[len(bounds)]++
}

// write prints a histogram in Prometheus' text format.
func (h *histogram) write(w io.Writer, name, help string) {
	fmt.Fprintf(w, "# HELP %s %s\n# TYPE %s histogram\n", name, help, name)
	var n int64
	for i, bound := range bounds {
		n += h.buckets[i]
		fmt.Fprintf(w, "%s_bucket{le=\"%g\"} %d\n", name, bound, n)
	}
	n += h.buckets[len(bounds)]
	fmt.Fprintf(w, "%s_bucket{le=\"+Inf\"} %d\n%s_sum %g\n%s_count %d\n", name, n, name, h.sum.Seconds(), name, n)
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
	for _, x := range s.numbers(m) {
		fmt.Fprintf(w, "# HELP %s %s\n# TYPE %s %s\n%s %v\n", x.name, x.help, x.name, x.kind, x.name, x.value)
	}
	c := &s.metrics
	c.mu.Lock()
	first, between, queued := c.firstToken, c.betweenTokens, c.queued
	stops := []any{c.stops[engine.StopEOS], c.stops[engine.StopText], c.stops[engine.StopLimit], c.stops[engine.StopContext]}
	c.mu.Unlock()
	first.write(w, "llamacpp:time_to_first_token_seconds", "Time from the request to the first token")
	between.write(w, "llamacpp:inter_token_seconds", "Time between two tokens of an answer")
	queued.write(w, "llamacpp:queue_seconds", "Time in the queue")
	const finished = "llamacpp:requests_finished_total"
	fmt.Fprintf(w, "# HELP %[1]s Answers by why they ended\n# TYPE %[1]s counter\n", finished)
	fmt.Fprintf(w, finished+"{reason=\"eos\"} %d\n"+finished+"{reason=\"stop\"} %d\n"+finished+"{reason=\"limit\"} %d\n"+finished+"{reason=\"context\"} %d\n", stops...)
	pages := m.Stats().Pages.Total
	fmt.Fprintf(w, "# HELP vllm:cache_config_info Shape of the cache\n# TYPE vllm:cache_config_info gauge\n")
	fmt.Fprintf(w, "vllm:cache_config_info{block_size=\"%d\",num_gpu_blocks=\"%d\"} 1\n", engine.PageSize, pages)
	return nil
}

// numbers are llama.cpp's metrics by name, those of the cache, and the gauges by which cluster routers choose a server.
func (s *Server) numbers(m *engine.Model) []metric {
	waiting, running := s.ledger.counts()
	stats := m.Stats()
	c := &s.metrics
	c.mu.Lock()
	defer c.mu.Unlock()
	const counter, gauge = "counter", "gauge"
	used := stats.Pages.Total - stats.Pages.Free - stats.Pages.Cached
	return []metric{
		{"llamacpp:prompt_tokens_total", counter, "Prompt tokens computed, without those from the cache", float64(c.prompt)},
		{"llamacpp:prompt_tokens_cached_total", counter, "Prompt tokens found in the cache", float64(c.cached)},
		{"llamacpp:prompt_seconds_total", counter, "Time spent on prompts", c.promptTime.Seconds()},
		{"llamacpp:tokens_predicted_total", counter, "Tokens generated", float64(c.predicted)},
		{"llamacpp:tokens_predicted_seconds_total", counter, "Time spent on generation", c.predictTime.Seconds()},
		{"llamacpp:n_decode_total", counter, "Batches computed", float64(stats.Steps)},
		{"llamacpp:n_tokens_max", counter, "Tokens of the longest sequence", float64(stats.Longest)},
		{"llamacpp:spec_decode_num_draft_tokens_total", counter, "Tokens drafted by speculation", 0},
		{"llamacpp:spec_decode_num_accepted_tokens_total", counter, "Of these, accepted", 0},
		{"llamacpp:spec_decode_num_drafts_total", counter, "Drafts verified", 0},
		{"llamacpp:prompt_tokens_seconds", gauge, "Mean speed of prompts in tokens a second", ratio(float64(c.prompt), c.promptTime.Seconds())},
		{"llamacpp:predicted_tokens_seconds", gauge, "Mean speed of generation in tokens a second", ratio(float64(c.predicted), c.predictTime.Seconds())},
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
