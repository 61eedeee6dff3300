// Formspeed measures what a form of the answers costs a server: answers that are JSON of a schema beside free ones of as many tokens,
// several at a time, round after round in turn.
//
//	go run ./bench/randmodel -shape qwen3-0.6b -type q4_0 -o model.gguf
//	llama-server -m model.gguf -np 8 -c 8192 --port 9931
//	OTHER/llama-server -m model.gguf -np 8 -c 8192 --port 8080
//	go run ./bench/formspeed -a http://127.0.0.1:9931 -peer http://127.0.0.1:8080
package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"sync"
	"time"

	"github.com/llamakit/llamakit/bench"
)

// endless is a schema of which no answer ends before its tokens are used up.
const endless = `{"type": "array", "minItems": 500, "items": {"type": "object", "additionalProperties": false, "required": ["name", "age", "tags"],
	"properties": {"name": {"type": "string"}, "age": {"type": "integer"}, "tags": {"type": "array", "items": {"type": "string"}}}}}`

type load struct{ streams, tokens, rounds int }

func main() {
	var l load
	a := flag.String("a", "http://127.0.0.1:9931", "the server that is looked at")
	peer := flag.String("peer", "", "another one, measured in the same rounds")
	flag.IntVar(&l.streams, "streams", 8, "answers at the same time")
	flag.IntVar(&l.tokens, "n", 128, "tokens of an answer")
	flag.IntVar(&l.rounds, "rounds", 10, "rounds")
	flag.Parse()
	servers := []string{*a}
	if *peer != "" {
		servers = append(servers, *peer)
	}
	if err := l.run(os.Stdout, servers); err != nil {
		fmt.Fprintln(os.Stderr, "formspeed:", err)
		os.Exit(1)
	}
}

// run prints tokens a second of both kinds, and how they compare round by round.
func (l load) run(w io.Writer, servers []string) error {
	free, bound := map[string][]float64{}, map[string][]float64{}
	for round := range l.rounds + 1 {
		for _, url := range servers {
			f, err := l.speed(url, nil)
			if err != nil {
				return err
			}
			b, err := l.speed(url, json.RawMessage(endless))
			if err != nil {
				return err
			}
			fmt.Fprintf(os.Stderr, "round %d of %d, %s: %.1f and %.1f tok/s\n", round, l.rounds, url, f, b)
			if round > 0 { // the first one warms up
				free[url], bound[url] = append(free[url], f), append(bound[url], b)
			}
		}
	}
	for _, url := range servers {
		fmt.Fprintf(w, "%-28s free %7.1f tok/s, with a schema %7.1f tok/s: %v\n", url, bench.Median(free[url]), bench.Median(bound[url]), bench.Paired(bound[url], free[url]))
	}
	return nil
}

// speed generates all answers of a round at once, and returns tokens a second.
func (l load) speed(url string, schema json.RawMessage) (float64, error) {
	errs := make([]error, l.streams)
	var wg sync.WaitGroup
	start := time.Now()
	for i := range l.streams {
		wg.Go(func() { errs[i] = l.answer(url, i, schema) })
	}
	wg.Wait()
	return float64(l.streams*l.tokens) / time.Since(start).Seconds(), errors.Join(errs...)
}

func (l load) answer(url string, i int, schema json.RawMessage) error {
	request := map[string]any{"prompt": fmt.Sprintf("Answer %d:", i), "n_predict": l.tokens, "ignore_eos": true, "seed": i, "temperature": 1}
	if schema != nil {
		request["json_schema"] = schema
	}
	body, err := json.Marshal(request)
	if err != nil {
		return err
	}
	res, err := http.Post(url+"/completion", "application/json", bytes.NewReader(body))
	if err != nil {
		return err
	}
	defer res.Body.Close()
	var got struct {
		Tokens int `json:"tokens_predicted"`
	}
	if err := json.NewDecoder(res.Body).Decode(&got); err != nil {
		return fmt.Errorf("%s: status %d: %w", url, res.StatusCode, err)
	}
	if got.Tokens != l.tokens {
		return fmt.Errorf("%s: status %d, %d tokens, want %d", url, res.StatusCode, got.Tokens, l.tokens)
	}
	return nil
}
