package source

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"math"
	"time"

	"github.com/llamakit/llamakit/engine"
	"github.com/llamakit/llamakit/engine/chat"
	"github.com/llamakit/llamakit/engine/sample"
	"github.com/llamakit/llamakit/tui/client"
)

// Generate posts a request and reads the stream of its answer.
func (s *Server) Generate(ctx context.Context, r Request) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		body, err := r.Body(s.info.Sampling)
		if err != nil {
			yield(Event{}, err)
			return
		}
		body = append(body, Field{"stream", true}, Field{"timings_per_token", true}, Field{"return_progress", true})
		if len(r.Messages) > 0 {
			body = append(body, Field{"stream_options", map[string]bool{"include_usage": true}})
		} else {
			body = append(body, Field{"return_tokens", true})
		}
		answer, err := s.client.Send(ctx, r.Endpoint(), body)
		if err != nil {
			yield(Event{}, err)
			return
		}
		defer answer.Body.Close()
		a := &reply{server: s}
		for data, err := range lines(answer.Body) {
			var e Event
			if err != nil {
				err = fmt.Errorf("%s: the answer ends early: %w", s.client.URL, err)
			}
			if err == nil {
				e, err = a.read(data)
			}
			if err != nil && ctx.Err() != nil {
				err = ctx.Err()
			}
			if !yield(e, err) || err != nil {
				return
			}
		}
		if !a.ended {
			yield(Event{}, fmt.Errorf("%s: the answer ends early", s.client.URL))
			return
		}
		yield(Event{Event: engine.Event{Result: &a.result}, Generated: a.result.GeneratedTokens}, nil)
	}
}

// lines are the data of server-sent events (https://html.spec.whatwg.org/multipage/server-sent-events.html), up to [DONE].
func lines(r io.Reader) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		in := bufio.NewScanner(r)
		in.Buffer(make([]byte, 64<<10), client.MaxAnswer)
		for in.Scan() {
			data, ok := bytes.CutPrefix(in.Bytes(), []byte("data:"))
			if !ok {
				if data, ok = bytes.CutPrefix(in.Bytes(), []byte("error:")); !ok {
					continue
				}
			}
			data = bytes.TrimSpace(data)
			if string(data) == "[DONE]" || !yield(data, nil) {
				return
			}
		}
		if err := in.Err(); err != nil {
			yield(nil, err)
		}
	}
}

// reply puts an answer together from its chunks.
type reply struct {
	server *Server
	result engine.Result
	ended  bool
}

// chunk is a part of an answer, of conversations or of plain prompts.
type chunk struct {
	Choices []struct {
		Finish *string `json:"finish_reason"`
		Delta  struct {
			Content   string
			Reasoning string `json:"reasoning_content"`
			Calls     []struct {
				Index    int
				Function struct{ Name, Arguments string }
			} `json:"tool_calls"`
		}
		Logprobs struct{ Content []prob }
	}
	Usage *struct {
		Prompt    int `json:"prompt_tokens"`
		Predicted int `json:"completion_tokens"`
	}
	Timings *struct {
		Cached      int     `json:"cache_n"`
		Prompt      int     `json:"prompt_n"`
		PromptMS    float64 `json:"prompt_ms"`
		Predicted   int     `json:"predicted_n"`
		PredictedMS float64 `json:"predicted_ms"`
	}
	Progress *struct{ Total, Processed int } `json:"prompt_progress"`
	Slot     int                             `json:"id_slot"`

	Content  string
	Tokens   []engine.Token
	Stop     bool
	StopType string `json:"stop_type"`
	Word     string `json:"stopping_word"`
	Probs    []prob `json:"completion_probabilities"`
}

// prob is a token with its probability, or its logarithm.
type prob struct {
	ID      engine.Token
	Token   string
	Bytes   []int
	Logprob float32
	Prob    *float32
	Top     []prob `json:"top_logprobs"`
	TopProb []prob `json:"top_probs"`
}

func (a *reply) read(data []byte) (e Event, err error) {
	if text := client.ErrorText(data); text != "" {
		return e, fmt.Errorf("%s: %s", a.server.client.URL, text)
	}
	var c chunk
	if err := json.Unmarshal(data, &c); err != nil {
		return e, errors.New(a.server.client.URL + ": the stream holds what is not JSON")
	}
	e.Text, e.Tokens, e.Slot = c.Content, c.Tokens, c.Slot
	if c.Progress != nil {
		e.PromptDone, e.PromptTotal = c.Progress.Processed, c.Progress.Total
	}
	a.numbers(&c)
	e.Generated = a.result.GeneratedTokens
	a.probs(&e, c.Probs)
	a.choices(&e, &c)
	if c.Stop {
		a.ended = true
		a.result.Stop = map[string]engine.StopReason{"eos": engine.StopEOS, "word": engine.StopText, "limit": engine.StopLimit}[c.StopType]
		a.result.StopText = c.Word
	}
	return e, nil
}

// choices reads what is added to the answer of a conversation.
func (a *reply) choices(e *Event, c *chunk) {
	if len(c.Choices) == 0 {
		return
	}
	one := &c.Choices[0]
	e.Text += one.Delta.Content
	e.Reasoning = one.Delta.Reasoning
	for _, call := range one.Delta.Calls {
		e.Calls = append(e.Calls, chat.CallDelta{Index: call.Index, Name: call.Function.Name, Arguments: call.Function.Arguments})
	}
	a.probs(e, one.Logprobs.Content)
	if one.Finish != nil {
		a.ended, a.result.Stop = true, engine.StopEOS
		if *one.Finish == "length" {
			a.result.Stop = engine.StopLimit
		}
	}
}

// numbers keeps the counts and times that were told last.
func (a *reply) numbers(c *chunk) {
	r := &a.result
	if u := c.Usage; u != nil {
		r.PromptTokens, r.GeneratedTokens = u.Prompt, u.Predicted
	}
	if t := c.Timings; t != nil {
		r.PromptTokens, r.CachedTokens, r.GeneratedTokens = t.Cached+t.Prompt, t.Cached, t.Predicted
		r.PromptTime, r.GenerateTime = milliseconds(t.PromptMS), milliseconds(t.PredictedMS)
	}
}

func milliseconds(ms float64) time.Duration { return time.Duration(ms * float64(time.Millisecond)) }

// probs adds tokens with their probabilities to an event.
func (a *reply) probs(e *Event, list []prob) {
	for _, p := range list {
		c := p.choice()
		one := sample.TokenProbs{Prob: sample.Prob{Token: p.ID, Logprob: c.Logprob}}
		for _, other := range append(p.Top, p.TopProb...) {
			o := other.choice()
			c.Top = append(c.Top, o)
			one.Top = append(one.Top, sample.Prob{Token: o.ID, Logprob: o.Logprob})
			a.server.learn(o.Token)
		}
		a.server.learn(c.Token)
		e.Probs, e.Chosen = append(e.Probs, one), append(e.Chosen, c)
		if len(e.Tokens) < len(e.Probs) {
			e.Tokens = append(e.Tokens, p.ID)
		}
	}
}

func (p *prob) choice() Choice {
	c := Choice{Token: Token{ID: p.ID, Bytes: []byte(p.Token)}, Logprob: p.Logprob}
	if len(p.Bytes) > 0 {
		c.Bytes = c.Bytes[:0]
		for _, b := range p.Bytes {
			c.Bytes = append(c.Bytes, byte(b))
		}
	}
	if p.Prob != nil {
		c.Logprob = float32(math.Log(float64(*p.Prob)))
	}
	return c
}
