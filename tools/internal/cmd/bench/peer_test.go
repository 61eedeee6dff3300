package bench

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/llamakit/llamakit/tools/internal/run"
)

// fakePeer is another llama-bench, or llama-batched-bench: it answers each test with a second.
func fakePeer() {
	arg := func(name string) string { return os.Args[slices.Index(os.Args, name)+1] }
	fmt.Fprintln(os.Stderr, "loading", arg("-m"))
	if arg("-m") == "broken" {
		fmt.Fprintln(os.Stderr, "cannot load it")
		os.Exit(1)
	}
	if slices.Contains(os.Args, "-npl") {
		if _, err := os.Stat(os.Getenv("LLAMA_BENCH_FAKE")); err != nil {
			_ = os.WriteFile(os.Getenv("LLAMA_BENCH_FAKE"), nil, 0o644)
			return // as llama-batched-bench does now and then
		}
		fmt.Printf("a line of log\n{\"pl\": %s, \"speed_pp\": 1, \"speed_tg\": 2}\n", arg("-npl"))
		return
	}
	prompt, gen := arg("-p"), arg("-n")
	if slices.Contains(os.Args, "-pg") {
		prompt, gen, _ = strings.Cut(arg("-pg"), ",")
	}
	p, _ := strconv.Atoi(prompt)
	g, _ := strconv.Atoi(gen)
	took := 1000000000
	if arg("-m") == "instant" {
		took = 0
	}
	fmt.Printf(`[{"build_commit": "fake", "build_number": 7, "n_prompt": %d, "n_gen": %d, "n_depth": %s, "samples_ns": [%d], "samples_ts": [%d]}]`,
		p, g, arg("-d"), took, p+g)
}

func TestPeer(t *testing.T) {
	t.Setenv("LLAMA_BENCH_FAKE", filepath.Join(t.TempDir(), "ran"))
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	path := tiny(t, "tiny-qwen3")
	args := []string{"-m", path, "-p", "4", "-n", "2", "-pg", "3,1", "-d", "5", "-r", "3", "--vs", `"` + self + `"`}
	code, stdout, stderr := exec(append(args, "--vs-model", "/models/x.gguf", "-o", "json")...)
	var rows []struct {
		Build   string    `json:"vs_build"`
		Speed   float64   `json:"vs_avg_ts"`
		Ratio   float64   `json:"ratio"`
		Samples []float64 `json:"vs_samples_ts"`
	}
	if err := json.Unmarshal([]byte(stdout), &rows); err != nil || code != run.Done || len(rows) != 3 {
		t.Fatalf("code %d, %v, %s", code, err, stderr)
	}
	for i, want := range []float64{4, 2, 4} {
		if r := rows[i]; r.Build != "fake (7)" || r.Speed != want || len(r.Samples) != 3 || r.Ratio <= 0 {
			t.Errorf("row %d: %+v, want %g tokens per second", i, r, want)
		}
	}
	if code, stdout, _ := exec(args...); code != run.Done || !strings.Contains(stdout, " vs t/s |") || !strings.Contains(stdout, "\nvs: fake (7); ") {
		t.Errorf("code %d, %s", code, stdout)
	}
	code, stdout, stderr = exec(append(args, "--vs-model", "broken", "-o", "json")...)
	if err := json.Unmarshal([]byte(stdout), &rows); err != nil || code != run.Failed || strings.Count(stderr, "cannot load it") != 1 {
		t.Errorf("broken: code %d, %v, %s", code, err, stderr)
	}
	if code, _, stderr := exec(append(args, "--vs-model", "instant")...); code != run.Failed || !strings.Contains(stderr, "not one result of") {
		t.Errorf("no time at all: code %d, %s", code, stderr)
	}
	code, stdout, stderr = exec("-m", path, "--batched", "-npp", "8", "-ntg", "2", "-npl", "2", "-r", "2", "--vs", self, "-o", "jsonl")
	if code != run.Done || strings.Count(stdout, `"vs_speed_tg":2,`) != 2 {
		t.Errorf("batched: code %d, %s%s", code, stdout, stderr)
	}
}
