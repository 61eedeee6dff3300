// Formspeed measures what a form of the answers costs a server: answers that are JSON of a schema beside free ones of as many tokens,
// several at a time, round after round in turn.
//
//	go run ./bench/randmodel -shape qwen3-0.6b -type q4_0 -o model.gguf
//	llama-server -m model.gguf -np 8 -c 8192 --port 9931
//	OTHER/llama-server -m model.gguf -np 8 -c 8192 --port 8080
//	go run ./bench/formspeed -a http://127.0.0.1:9931 -peer http://127.0.0.1:8080
//
// On a busy machine the processor time of the servers tells more than the clock: with -pid and -peer-pid, their processes, it is shown
// too (on Linux). Threads that spin while they wait count as work there: give each server one.
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
	"strings"
	"sync"
	"time"

	"github.com/llamakit/llamakit/bench"
)

// endless is a schema of which no answer ends before its tokens are used up.
const endless = `{"type": "array", "minItems": 500, "items": {"type": "object", "additionalProperties": false, "required": ["name", "age", "tags"],
	"properties": {"name": {"type": "string"}, "age": {"type": "integer"}, "tags": {"type": "array", "items": {"type": "string"}}}}}`

type load struct{ streams, tokens, rounds int }

// server is one that is measured, and what came of it: tokens a second, and if its process is known, of processor time.
type server struct {
	url   string
	pid   int
	free  [2][]float64 // by the clock, by processor time
	bound [2][]float64
}

func main() {
	var l load
	ours, peer := &server{}, &server{}
	flag.StringVar(&ours.url, "a", "http://127.0.0.1:9931", "the server that is looked at")
	flag.StringVar(&peer.url, "peer", "", "another one, measured in the same rounds")
	flag.IntVar(&ours.pid, "pid", 0, "its process, for processor time")
	flag.IntVar(&peer.pid, "peer-pid", 0, "likewise")
	flag.IntVar(&l.streams, "streams", 8, "answers at the same time")
	flag.IntVar(&l.tokens, "n", 128, "tokens of an answer")
	flag.IntVar(&l.rounds, "rounds", 10, "rounds")
	flag.Parse()
	servers := []*server{ours}
	if peer.url != "" {
		servers = append(servers, peer)
	}
	if err := l.run(os.Stdout, servers); err != nil {
		fmt.Fprintln(os.Stderr, "formspeed:", err)
		os.Exit(1)
	}
}

// run measures round after round, and prints medians, and how the two kinds compare round by round.
func (l load) run(w io.Writer, servers []*server) error {
	for round := range l.rounds + 1 {
		for _, s := range servers {
			if err := l.round(s); err != nil {
				return err
			}
			if round == 0 { // it warms up
				s.free, s.bound = [2][]float64{}, [2][]float64{}
			}
		}
		fmt.Fprintf(os.Stderr, "round %d of %d\n", round, l.rounds)
	}
	for _, s := range servers {
		for i, by := range []string{"the clock", "processor time"} {
			if i == 0 || s.pid > 0 {
				fmt.Fprintf(w, "%-28s by %-15s free %7.1f tok/s, with a schema %7.1f tok/s: %v\n", s.url, by+":", bench.Median(s.free[i]), bench.Median(s.bound[i]),
					bench.Paired(s.bound[i], s.free[i]))
			}
		}
	}
	return nil
}

func (l load) round(s *server) error {
	if err := l.speed(s, nil, &s.free); err != nil {
		return err
	}
	return l.speed(s, json.RawMessage(endless), &s.bound)
}

// speed generates all answers of a round at once.
func (l load) speed(s *server, schema json.RawMessage, into *[2][]float64) error {
	errs := make([]error, l.streams)
	var wg sync.WaitGroup
	before, err := processorTime(s.pid)
	if err != nil {
		return err
	}
	start := time.Now()
	for i := range l.streams {
		wg.Go(func() { errs[i] = l.answer(s.url, i, schema) })
	}
	wg.Wait()
	clock := time.Since(start)
	after, err := processorTime(s.pid)
	if err != nil {
		return err
	}
	tokens := float64(l.streams * l.tokens)
	into[0], into[1] = append(into[0], tokens/clock.Seconds()), append(into[1], tokens/(after-before).Seconds())
	return errors.Join(errs...)
}

// processorTime is what a process has used so far; 0 for none. See proc(5).
func processorTime(pid int) (time.Duration, error) {
	if pid == 0 {
		return 0, nil
	}
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0, err
	}
	_, rest, _ := strings.Cut(string(data), ") ") // the name may have blanks
	fields := strings.Fields(rest)
	var user, system int64
	if len(fields) < 13 {
		return 0, fmt.Errorf("/proc/%d/stat: %d fields", pid, len(fields))
	}
	if _, err := fmt.Sscan(fields[11]+" "+fields[12], &user, &system); err != nil {
		return 0, fmt.Errorf("/proc/%d/stat: %w", pid, err)
	}
	const tick = time.Second / 100
	return time.Duration(user+system) * tick, nil
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
