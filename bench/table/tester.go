package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"

	"github.com/llamakit/llamakit/bench"
	"github.com/llamakit/llamakit/bench/model"
)

// tester runs commands.
type tester struct {
	*options
	binary string // our llama-bench
}

// line is what is known of a target.
type line struct {
	target
	ours, theirs string
	ratio        bench.Ratio
}

// run runs commands and writes the rows of each when it is done.
func (t *tester) run(ctx context.Context, list []command) error {
	build := exec.CommandContext(ctx, "go", "build", "-o", t.binary, "./tools/bench")
	if out, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("building llama-bench: %w\n%s", err, out)
	}
	if t.update == "" {
		fmt.Print(head)
	}
	var failed []error
	for _, c := range list {
		fmt.Fprintln(os.Stderr, c.title())
		if t.quick {
			c.short()
		}
		lines, err := t.command(ctx, &c)
		if ctx.Err() != nil {
			failed = append(failed, ctx.Err())
			break
		}
		if err != nil {
			failed = append(failed, fmt.Errorf("%s: %w", c.title(), err))
			continue
		}
		if err := t.write(lines); err != nil {
			return errors.Join(append(failed, err)...)
		}
	}
	return errors.Join(failed...)
}

// command makes the model, if it is not there, and runs the test.
func (t *tester) command(ctx context.Context, c *command) ([]line, error) {
	path := filepath.Join(t.models, c.file.name())
	if _, err := os.Stat(path); err != nil {
		if err := t.makeModel(path, c.file); err != nil {
			return nil, err
		}
	}
	if c.process {
		return t.processes(ctx, c, path)
	}
	peer := t.peer
	if c.avx2 {
		peer = t.peerAVX2
	}
	args := append([]string{"-m", path, "-t", "2", "-r", strconv.Itoa(t.repetitions), "-o", "json", "--vs", peer + " " + c.tool(), "--vs-model", t.peerPath(c)}, c.args...)
	cmd := exec.CommandContext(ctx, t.binary, args...)
	if c.avx2 {
		cmd.Env = append(os.Environ(), "LLAMA_CPU=avx2")
	}
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, err
	}
	results, err := read(out)
	if err != nil {
		return nil, err
	}
	var lines []line
	for _, target := range c.targets {
		r, ok := results[target.result]
		if !ok {
			return nil, fmt.Errorf("no result of %s", target.result)
		}
		r.target = target
		lines = append(lines, r)
	}
	return lines, nil
}

func (t *tester) makeModel(path string, f file) error {
	if err := os.MkdirAll(t.models, 0o755); err != nil {
		return err
	}
	shape, err := model.Named(f.shape)
	if err != nil {
		return err
	}
	if f.layers > 0 {
		shape.Layers = f.layers
	}
	types, err := model.ParseTypes(f.typ, false)
	if err != nil {
		return err
	}
	return model.WriteAs(path, shape, types, 42)
}

func (t *tester) peerPath(c *command) string { return t.peerModels + "/" + c.file.name() }

// read finds the results of llama-bench by the names of their tests; those of many sequences by their number.
func read(out []byte) (map[string]line, error) {
	var raw []json.RawMessage
	if err := json.Unmarshal(out, &raw); err != nil {
		return nil, err
	}
	results := map[string]line{}
	for _, one := range raw {
		var many bench.StreamsResult
		if err := json.Unmarshal(one, &many); err != nil {
			return nil, err
		}
		if many.Parallel > 0 {
			if many.Shared == 0 {
				results[fmt.Sprintf("%d sequences", many.Parallel)] = line{ours: speed(many.TGSpeed), theirs: speed(many.PeerTG), ratio: *many.RatioTG}
			}
			continue
		}
		name, r, err := single(one)
		if err != nil {
			return nil, err
		}
		results[name] = r
	}
	return results, nil
}

// single is one result of llama-bench --vs.
func single(data []byte) (name string, r line, err error) {
	var x struct {
		Prompt int      `json:"n_prompt"`
		Gen    int      `json:"n_gen"`
		Depth  int      `json:"n_depth"`
		Ours   float64  `json:"avg_ts"`
		Theirs float64  `json:"vs_avg_ts"`
		Ratio  float64  `json:"ratio"`
		Low    *float64 `json:"ratio_low"`
		High   *float64 `json:"ratio_high"`
		P      float64  `json:"ratio_p"`
	}
	if err := json.Unmarshal(data, &x); err != nil {
		return "", r, err
	}
	p := bench.Params{Prompt: x.Prompt, Gen: x.Gen, Depth: x.Depth}
	r = line{ours: speed(x.Ours), theirs: speed(x.Theirs), ratio: bench.Ratio{Center: x.Ratio, High: bench.Bound(math.Inf(1)), P: x.P}}
	if x.Low != nil && x.High != nil {
		r.ratio.Low, r.ratio.High = bench.Bound(*x.Low), bench.Bound(*x.High)
	}
	return p.Test(), r, nil
}

func speed(x float64) string { return strconv.FormatFloat(x, 'f', 1, 64) + " t/s" }
