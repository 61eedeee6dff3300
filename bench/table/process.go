package main

import (
	"context"
	"fmt"
	"os/exec"
	"strconv"
	"strings"
	"time"

	"github.com/llamakit/llamakit/bench"
	"github.com/llamakit/llamakit/engine"
	"github.com/llamakit/llamakit/formats/gguf"
)

// processes measures whole processes in turn: how long they take, and how much memory they touch at most.
func (t *tester) processes(ctx context.Context, c *command, path string) ([]line, error) {
	ours := append([]string{t.binary, "-m", path, "-t", "2"}, c.args...)
	theirs := append(append(strings.Fields(t.peer), c.tool(), "-m", t.peerPath(c), "-t", "2"), c.args...)
	beyond, err := weightsAndCache(path, c.tokens())
	if err != nil {
		return nil, err
	}
	var seconds, memory [2][]float64
	for i := range t.repetitions + 1 {
		for k, args := range [][]string{ours, theirs} {
			d, bytes, err := process(ctx, args)
			if err != nil {
				return nil, err
			}
			if i > 0 { // the first run brings the file into memory
				seconds[k] = append(seconds[k], d.Seconds())
				memory[k] = append(memory[k], max(float64(bytes-beyond), 1<<20))
			}
		}
	}
	x, text := seconds, func(v float64) string { return fmt.Sprintf("%.2f s", v) }
	if c.targets[0].result == "memory" {
		x, text = memory, func(v float64) string { return fmt.Sprintf("%.0f MiB", v/(1<<20)) }
	}
	return []line{{c.targets[0], text(bench.Median(x[0])), text(bench.Median(x[1])), bench.Paired(x[1], x[0])}}, nil
}

// process runs a command to its end.
func process(ctx context.Context, args []string) (d time.Duration, peak int64, err error) {
	cmd := exec.CommandContext(ctx, args[0], args[1:]...)
	begin := time.Now()
	out, err := cmd.CombinedOutput()
	if err != nil {
		return 0, 0, fmt.Errorf("%s: %w\n%s", strings.Join(args, " "), err, out)
	}
	return time.Since(begin), peakMemory(cmd.ProcessState), nil
}

// tokens is the length of the longer of the two tests.
func (c *command) tokens() (n int) {
	for i, a := range c.args[1:] {
		if x, err := strconv.Atoi(a); err == nil && (c.args[i] == "-p" || c.args[i] == "-n") {
			n = max(n, x)
		}
	}
	return n
}

// weightsAndCache are the bytes of the file and of the keys and values of so many tokens in f16.
func weightsAndCache(path string, tokens int) (int64, error) {
	f, err := gguf.Open(path)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	plan, err := engine.NewPlan(f, engine.Options{Context: tokens, Sequences: 1})
	if err != nil {
		return 0, err
	}
	return plan.Weights + plan.Memory.Cache, nil
}
