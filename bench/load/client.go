package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"time"
)

// sample is how a request went.
type sample struct {
	first     time.Duration   // to the first piece of text
	gaps      []time.Duration // between pieces: tokens, unless one ends within a character
	prompt    int             // tokens of the prompt
	computed  int             // of these, not taken from the cache
	generated int
}

// play runs the requests of a session.
func (s *server) play(ctx context.Context, p session, answer int) (samples []sample, err error) {
	prompt := slices.Clone(p.opening)
	for _, turn := range p.turns {
		prompt = append(prompt, turn...)
		one, tokens, err := s.complete(ctx, prompt, answer)
		if err != nil {
			return samples, err
		}
		samples = append(samples, one)
		prompt = append(prompt, tokens...)
	}
	return samples, nil
}

// chunk is an event of the stream.
type chunk struct {
	Content   string `json:"content"`
	Tokens    []int  `json:"tokens"`
	Stop      bool   `json:"stop"`
	Predicted int    `json:"tokens_predicted"`
	Timings   struct {
		Prompt int `json:"prompt_n"`
	} `json:"timings"`
	Error *struct {
		Message string `json:"message"`
	} `json:"error"`
}

// complete asks for an answer of n tokens and reads it as it comes.
func (s *server) complete(ctx context.Context, prompt []int, n int) (one sample, tokens []int, err error) {
	body, err := json.Marshal(map[string]any{"prompt": prompt, "n_predict": n, "stream": true, "ignore_eos": true, "temperature": 0, "return_tokens": true})
	if err != nil {
		return one, nil, err
	}
	begin := time.Now()
	res, err := s.do(ctx, "POST", "/completion", bytes.NewReader(body))
	if err != nil {
		return one, nil, err
	}
	defer res.Body.Close()
	one.prompt = len(prompt)
	latest := begin
	lines := bufio.NewScanner(res.Body)
	lines.Buffer(nil, 1<<24) // the last event may hold the prompt
	for lines.Scan() {
		data, ok := bytes.CutPrefix(lines.Bytes(), []byte("data: "))
		if !ok {
			continue
		}
		var c chunk
		if err := json.Unmarshal(data, &c); err != nil {
			return one, tokens, err
		}
		now := time.Now()
		switch {
		case c.Error != nil:
			return one, tokens, errors.New(c.Error.Message)
		case c.Stop:
			one.computed, one.generated = c.Timings.Prompt, c.Predicted
			return one, tokens, nil
		case one.first == 0:
			one.first = now.Sub(begin)
		default:
			one.gaps = append(one.gaps, now.Sub(latest))
		}
		latest, tokens = now, append(tokens, c.Tokens...)
	}
	return one, tokens, errors.Join(fmt.Errorf("the stream ends before the answer does"), lines.Err())
}

// do sends a request; an answer other than 200 is an error.
func (s *server) do(ctx context.Context, method, path string, body io.Reader) (*http.Response, error) {
	r, err := http.NewRequestWithContext(ctx, method, s.url+path, body)
	if err != nil {
		return nil, err
	}
	r.Header.Set("Content-Type", "application/json")
	res, err := s.client.Do(r)
	if err != nil {
		return nil, err
	}
	if res.StatusCode != http.StatusOK {
		defer res.Body.Close()
		said, _ := io.ReadAll(io.LimitReader(res.Body, 500))
		return nil, fmt.Errorf("%s: %s %s", path, res.Status, said)
	}
	return res, nil
}
