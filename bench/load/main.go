// Load measures a server under load, beside another one where -peer names it: throughput, the time to the first token, the time
// between tokens, and how many tokens of prompts were computed.
//
//	go run ./bench/load -m qwen3-0.6b-q4_k_m.gguf -peer 'path/to/llama-server' -update docs/load.md
//
// Every line is a server of its own, started for it with an empty cache and stopped after it; the two take turns, level by level. Both
// get the same requests: random tokens, greedy answers of a fixed length, over /completion. The traces:
//
//	burst   prompts with one long beginning, one a client, all at once
//	prefix  the same, -each requests a client, one after the other
//	chat    conversations: every prompt is the one before with its answer and a further question
//
// With -clients a client sends when its last request was answered (closed loop); with -rates requests, or conversations, come at random
// times, so many a second on average (open loop, Poisson).
package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"

	"github.com/llamakit/llamakit/bench/section"
)

// options are what the command line says.
type options struct {
	model, peerModel string
	server, peer     string
	traces           string
	clients, rates   string
	shape            shape
	arrivals         int
	slots, threads   int
	repetitions      int
	update           string
	asJSON           bool
}

func main() {
	var o options
	flag.StringVar(&o.model, "m", "", "model")
	flag.StringVar(&o.server, "server", "", "command of the server (default: this repository's)")
	flag.StringVar(&o.peer, "peer", "", "command of the other server; flags that it needs may follow")
	flag.StringVar(&o.peerModel, "peer-m", "", "the model's name for the other server (default: the same)")
	flag.StringVar(&o.traces, "traces", "burst,prefix,chat", "traces")
	flag.StringVar(&o.clients, "clients", "1,4,8,16,64", "numbers of clients")
	flag.StringVar(&o.rates, "rates", "", "requests, or conversations, a second")
	flag.IntVar(&o.arrivals, "arrivals", 32, "requests, or conversations, of each rate")
	flag.IntVar(&o.shape.prefix, "prefix", 1000, "tokens of the beginning that all prompts share")
	flag.IntVar(&o.shape.tail, "tail", 40, "further tokens of a prompt at most")
	flag.IntVar(&o.shape.answer, "n", 32, "tokens of an answer")
	flag.IntVar(&o.shape.each, "each", 4, "requests of a client, turns of a conversation")
	flag.IntVar(&o.slots, "np", 16, "slots of both servers")
	flag.IntVar(&o.threads, "t", 2, "threads of both servers")
	flag.IntVar(&o.repetitions, "r", 1, "repetitions")
	flag.StringVar(&o.update, "update", "", "document whose table is replaced (default: print it)")
	flag.BoolVar(&o.asJSON, "json", false, "print JSON")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := o.run(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "load:", err)
		os.Exit(1)
	}
}

func (o *options) run(ctx context.Context) error {
	if o.model == "" {
		return fmt.Errorf("-m is missing")
	}
	levels, err := o.levels()
	if err != nil {
		return err
	}
	if o.update != "" { // better known now than after an hour
		if err := section.Check(o.update, "load"); err != nil {
			return err
		}
	}
	work, err := os.MkdirTemp("", "llamakit-load-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	servers, err := o.servers(ctx, work)
	if err != nil {
		return err
	}
	results, err := o.play(ctx, servers, levels)
	if err != nil { // what is there is printed; a document gets whole tables only
		o.update = ""
	}
	if len(results) > 0 {
		err = errors.Join(err, o.write(results))
	}
	return err
}

// play measures the levels in order. The results are those of a level, one a server; with an error, those of the levels before it.
func (o *options) play(ctx context.Context, servers []server, levels []level) (results [][]result, err error) {
	for _, l := range levels {
		both := make([]result, len(servers))
		for i := range o.repetitions {
			for k := range servers {
				k = (k + i) % len(servers) // who begins changes
				fmt.Fprintf(os.Stderr, "%s, %s: %s\n", l.trace, l.name(), servers[k].name)
				r, err := o.measure(ctx, &servers[k], l, uint64(i))
				if err != nil {
					return results, fmt.Errorf("%s, %s, %s: %w", l.trace, l.name(), servers[k].name, err)
				}
				both[k].add(r)
			}
		}
		results = append(results, both)
	}
	return results, nil
}

// servers are this one and the other, if there is one.
func (o *options) servers(ctx context.Context, work string) ([]server, error) {
	ours := strings.Fields(o.server)
	if len(ours) == 0 {
		ours = []string{filepath.Join(work, "llama-server")}
		if out, err := exec.CommandContext(ctx, "go", "build", "-o", ours[0], "./tools/server").CombinedOutput(); err != nil {
			return nil, fmt.Errorf("go build: %w\n%s", err, out)
		}
	}
	servers := []server{{name: "llamakit", command: ours, model: o.model}}
	if o.peer != "" {
		servers = append(servers, server{name: "peer", command: strings.Fields(o.peer), model: cmp.Or(o.peerModel, o.model)})
	}
	return servers, nil
}

// level is a trace with a number of clients, or a rate.
type level struct {
	trace   string
	clients int
	rate    float64 // of the open loop; 0: closed
}

func (l level) name() string {
	if l.rate > 0 {
		return fmt.Sprintf("%g/s", l.rate)
	}
	return fmt.Sprint(l.clients)
}

// levels are all that is to be measured, in order.
func (o *options) levels() (levels []level, err error) {
	for trace := range strings.SplitSeq(o.traces, ",") {
		if trace != "burst" && trace != "prefix" && trace != "chat" {
			return nil, fmt.Errorf("-traces: %q is none: burst, prefix, chat", trace)
		}
		for _, text := range list(o.clients) {
			n, err := strconv.Atoi(text)
			if err != nil || n < 1 {
				return nil, fmt.Errorf("-clients: %q is not a number of clients", text)
			}
			levels = append(levels, level{trace: trace, clients: n})
		}
		for _, text := range list(o.rates) {
			rate, err := strconv.ParseFloat(text, 64)
			if err != nil || !(rate > 0) {
				return nil, fmt.Errorf("-rates: %q is not a rate", text)
			}
			if trace != "burst" {
				levels = append(levels, level{trace: trace, rate: rate})
			}
		}
	}
	if len(levels) == 0 {
		return nil, fmt.Errorf("neither -clients nor -rates says how much load")
	}
	return levels, nil
}

// list are the parts of a text between commas.
func list(text string) []string {
	return strings.FieldsFunc(text, func(r rune) bool { return r == ',' })
}
