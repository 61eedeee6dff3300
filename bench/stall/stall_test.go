package main

import (
	"context"
	"os"
	"regexp"
	"strings"
	"testing"
)

func TestMain(m *testing.M) {
	if os.Getenv(neighbourVariable) != "" {
		beNeighbour()
	}
	os.Exit(m.Run())
}

func TestRun(t *testing.T) {
	for _, o := range []options{{tokens: 20, threads: 1}, {tokens: 20, threads: 1, neighbours: 2, garbage: 100}} {
		var b strings.Builder
		if err := o.run(t.Context(), &b, nil); err != nil {
			t.Fatal(err)
		}
		if !regexp.MustCompile(`^1 threads, \d neighbours, \d+ MiB .*\n19 times .* median \d+\.\d+, 99% \d+\.\d+, longest \d+\.\d+, longest to median \d+\.\d+\n$`).MatchString(b.String()) {
			t.Errorf("%+v: %s", o, b.String())
		}
	}
}

func TestRefuses(t *testing.T) {
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	for _, c := range []struct {
		ctx      context.Context
		o        options
		operands []string
	}{{t.Context(), options{tokens: 20}, []string{"model.gguf"}}, {t.Context(), options{tokens: 1}, nil}, {t.Context(), options{tokens: 20, model: "none.gguf"}, nil},
		{t.Context(), options{tokens: 20, neighbours: -1}, nil}, {cancelled, options{tokens: 20, neighbours: 1}, nil}} {
		var b strings.Builder
		if err := c.o.run(c.ctx, &b, c.operands); err == nil || b.Len() > 0 {
			t.Errorf("%+v, %q: %v, %s", c.o, c.operands, err, b.String())
		}
	}
}

// TestNeighboursEnd: stop waits for them, and two of them can be stopped.
func TestNeighboursEnd(t *testing.T) {
	stop, err := neighbours(2)
	if err != nil {
		t.Fatal(err)
	}
	stop()
}
