package serve

import (
	"cmp"
	"slices"
	"time"

	"github.com/llamakit/llamakit/engine"
)

// timings are llama.cpp's.
type timings struct {
	CacheN             int     `json:"cache_n"`
	PromptN            int     `json:"prompt_n"`
	PromptMs           float64 `json:"prompt_ms"`
	PromptPerTokenMs   float64 `json:"prompt_per_token_ms"`
	PromptPerSecond    float64 `json:"prompt_per_second"`
	PredictedN         int     `json:"predicted_n"`
	PredictedMs        float64 `json:"predicted_ms"`
	PredictedPerToken  float64 `json:"predicted_per_token_ms"`
	PredictedPerSecond float64 `json:"predicted_per_second"`
}

func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// timings are those of a job that is done, or as far as it has come.
func (j *job) timings() timings {
	t := timings{CacheN: j.cached, PromptN: j.done - j.cached, PredictedN: len(j.tokens)}
	switch {
	case j.result != nil:
		t.PromptN = j.result.PromptTokens - j.result.CachedTokens
		t.PromptMs, t.PredictedMs = milliseconds(j.result.PromptTime), milliseconds(j.result.GenerateTime)
	case j.first.IsZero():
		t.PromptMs = milliseconds(time.Since(j.admitted))
	default:
		t.PromptMs, t.PredictedMs = milliseconds(j.first.Sub(j.admitted)), milliseconds(j.latest.Sub(j.first))
	}
	t.PromptPerTokenMs, t.PromptPerSecond = rates(t.PromptN, t.PromptMs)
	t.PredictedPerToken, t.PredictedPerSecond = rates(t.PredictedN-1, t.PredictedMs) // the first token comes with the prompt
	return t
}

// rates are milliseconds a token, and tokens a second; 0 where there is nothing to divide.
func rates(n int, ms float64) (perToken, perSecond float64) {
	if n > 0 {
		perToken = ms / float64(n)
	}
	if n > 0 && ms > 0 {
		perSecond = float64(n) / ms * 1000
	}
	return perToken, perSecond
}

// usage is OpenAI's, summed over the answers to a request; a prompt counts once, however many answers it has.
type usage struct {
	CompletionTokens int           `json:"completion_tokens"`
	PromptTokens     int           `json:"prompt_tokens"`
	TotalTokens      int           `json:"total_tokens"`
	Details          promptDetails `json:"prompt_tokens_details"`
}

type promptDetails struct {
	CachedTokens int `json:"cached_tokens"`
}

func usageOf(jobs []*job) usage {
	var u usage
	for answers := range slices.Chunk(jobs, jobs[0].params.choices) {
		j := computing(answers)
		u.PromptTokens += len(j.prepared.Tokens)
		u.Details.CachedTokens += j.cached
	}
	for _, j := range jobs {
		u.CompletionTokens += len(j.tokens)
	}
	u.TotalTokens = u.PromptTokens + u.CompletionTokens
	return u
}

// computing is the one of the answers to a prompt that computed it, whichever began first: the others found what it had.
func computing(answers []*job) *job {
	return slices.MinFunc(answers, func(a, b *job) int { return cmp.Compare(a.cached, b.cached) })
}

// timingsOf are those of the first prompt.
func timingsOf(jobs []*job) timings { return computing(jobs[:jobs[0].params.choices]).timings() }

// progress is how much of a prompt is computed.
type progress struct {
	Total     int   `json:"total"`
	Cache     int   `json:"cache"`
	Processed int   `json:"processed"`
	TimeMs    int64 `json:"time_ms"`
}

// progressOf is the progress that an event reports, or nil.
func (j *job) progressOf(e engine.Event) *progress {
	if !j.params.returnProgress || e.PromptTotal == 0 {
		return nil
	}
	return &progress{Total: e.PromptTotal, Cache: j.cached, Processed: e.PromptDone, TimeMs: time.Since(j.admitted).Milliseconds()}
}

// finish is OpenAI's word for why an answer ended, or nil while it has not.
func (j *job) finish() *string {
	if j.result == nil {
		return nil
	}
	reason := "stop"
	if j.calls.Calls() > 0 {
		reason = "tool_calls"
	}
	if j.result.Stop == engine.StopLimit || j.result.Stop == engine.StopContext {
		reason = "length"
	}
	return &reason
}

// truncated reports that an answer ended, or lost its beginning, because the context was full: "length" does not tell that
// from a budget that was used up.
func (j *job) truncated() bool {
	return j.result != nil && (j.result.Stop == engine.StopContext || j.result.Shifts > 0)
}
