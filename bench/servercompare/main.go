// Servercompare asks two servers the same and compares the answers: status codes, fields, finish reasons and text.
//
//	llama-server -m demo.gguf --port 9931 --metrics --props
//	OTHER/llama-server -m demo.gguf --port 8080 --metrics --props
//	go run ./bench/servercompare -a http://127.0.0.1:9931 -b http://127.0.0.1:8080
//
// The requests are in cases.txt, for the demo model. A line that begins with ~ names what may differ for the request below it,
// and why; such a difference that is not there any more is an error too. Fields that only the first server has do not count.
package main

import (
	_ "embed"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"slices"
	"strings"
	"time"
)

//go:embed cases.txt
var cases string

// request is a line of cases.txt.
type request struct {
	method, path, body string
	differs            []string // what may differ
	why                string
}

func parse(text string) (all []request, err error) {
	var next request
	n := 0
	for line := range strings.Lines(text) {
		n++
		line = strings.TrimSpace(line)
		switch {
		case line == "" || line[0] == '#':
		case line[0] == '~':
			what, why, found := strings.Cut(line[1:], ":")
			if !found {
				return nil, fmt.Errorf("line %d: want ~ what: why", n)
			}
			next.differs, next.why = strings.Fields(what), strings.TrimSpace(why)
		default:
			parts := strings.SplitN(line, " ", 3)
			if len(parts) < 2 {
				return nil, fmt.Errorf("line %d: want METHOD PATH BODY", n)
			}
			next.method, next.path = parts[0], parts[1]
			if len(parts) == 3 {
				next.body = expand(parts[2])
			}
			all, next = append(all, next), request{}
		}
	}
	return all, nil
}

// expand replaces {{N*TEXT}} by N times TEXT.
func expand(body string) string {
	before, rest, found := strings.Cut(body, "{{")
	inner, after, closed := strings.Cut(rest, "}}")
	if !found || !closed {
		return body
	}
	var n int
	count, text, _ := strings.Cut(inner, "*")
	if _, err := fmt.Sscan(count, &n); err != nil {
		return body
	}
	return before + strings.Repeat(text, n) + after
}

func ask(base string, r request) (facts, error) {
	req, err := http.NewRequest(r.method, base+r.path, strings.NewReader(r.body))
	if err != nil {
		return facts{}, err
	}
	req.Header.Set("Content-Type", "application/json")
	client := http.Client{Timeout: time.Minute, Transport: &http.Transport{DisableKeepAlives: true}}
	res, err := client.Do(req)
	if err != nil {
		return facts{}, err
	}
	defer res.Body.Close()
	data, err := io.ReadAll(res.Body)
	if err != nil {
		return facts{}, err
	}
	return extract(res.StatusCode, res.Header.Get("Content-Type"), data), nil
}

func main() {
	a := flag.String("a", "http://127.0.0.1:9931", "the server that is looked at")
	b := flag.String("b", "http://127.0.0.1:8080", "the server that it should be like")
	verbose := flag.Bool("v", false, "list all requests")
	flag.Parse()
	failed, err := compare(os.Stdout, *a, *b, *verbose)
	if err != nil {
		fmt.Fprintln(os.Stderr, "servercompare:", err)
	}
	if err != nil || failed > 0 {
		os.Exit(1)
	}
}

func compare(w io.Writer, a, b string, verbose bool) (failed int, err error) {
	all, err := parse(cases)
	if err != nil {
		return 0, err
	}
	same, known := 0, 0
	for _, r := range all {
		ours, err := ask(a, r)
		if err != nil {
			return failed, err
		}
		theirs, err := ask(b, r)
		if err != nil {
			return failed, err
		}
		notes := ours.differences(theirs)
		what := aspects(notes)
		line := fmt.Sprintf("%s %s %.150s", r.method, r.path, r.body)
		switch {
		case len(notes) == 0 && len(r.differs) == 0:
			same++
			if verbose {
				fmt.Fprintln(w, "same   ", line)
			}
		case slices.Equal(what, r.differs):
			known++
			fmt.Fprintf(w, "known   %s\n        %s\n", line, r.why)
		default:
			failed++
			fmt.Fprintf(w, "DIFFERS %s\n", line)
			for _, n := range notes {
				fmt.Fprintf(w, "        %s: %s\n", n.aspect, n.text)
			}
			if len(r.differs) > 0 {
				fmt.Fprintf(w, "        known to differ in %v: %s\n", r.differs, r.why)
			}
		}
	}
	fmt.Fprintf(w, "%d requests: %d the same, %d differ with a reason, %d differ\n", len(all), same, known, failed)
	return failed, nil
}
