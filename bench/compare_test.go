package bench

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// result is a row of a file: what llama-bench -o jsonl writes, as far as it matters.
func result(model string, threads, prompt, gen int, speeds ...float64) string {
	data, _ := json.Marshal(map[string]any{"model_filename": model, "n_threads": threads, "n_prompt": prompt, "n_gen": gen, "n_depth": 0, "samples_ts": speeds})
	return string(data) + "\n"
}

func file(t *testing.T, name string, lines ...string) *File {
	t.Helper()
	f, err := parse(name, []byte(strings.Join(lines, "")))
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func TestCompare(t *testing.T) {
	old := file(t, "old", result("a.gguf", 1, 512, 0, 100, 101, 102, 103, 104), result("a.gguf", 1, 0, 128, 10, 11, 12, 13, 14), result("a.gguf", 1, 64, 0, 5, 5))
	new := file(t, "new", result("/models/a.gguf", 2, 512, 0, 200, 202), result("/models/a.gguf", 2, 512, 0, 204, 206, 208), // two results of one test
		result("/models/a.gguf", 2, 0, 128, 11, 10, 13, 12, 14), result("/models/a.gguf", 2, 64, 0, 9, 9), result("/models/a.gguf", 2, 1, 1, 3))
	p := Compare(old, new)
	var got []string
	for _, c := range p.Rows {
		got = append(got, fmt.Sprintf("%s %g %g %d %s", c.Test, c.Old, c.New, c.NewCount, c.Verdict))
	}
	want := []string{"pp512 102 204 5 faster", "tg128 12 12 5 no difference seen", "pp64 5 9 2 too few samples"}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if !reflect.DeepEqual(p.Changed, []string{"n_threads: 1, 2"}) || !reflect.DeepEqual(p.OnlyNew, []string{"pp1+tg1"}) || p.OnlyOld != nil {
		t.Errorf("changed %q, only %q, %q", p.Changed, p.OnlyOld, p.OnlyNew)
	}
	if slow := Compare(new, old).SlowerThan(0.05); len(slow) != 1 || slow[0].Test != "pp512" {
		t.Errorf("%+v", slow)
	}
	if slow := Compare(new, old).SlowerThan(0.6); slow != nil {
		t.Errorf("%+v", slow)
	}
	if _, err := json.Marshal(p); err != nil {
		t.Error(err)
	}
}

// TestCompareModels: with several models in a file the name tells them apart.
func TestCompareModels(t *testing.T) {
	f := file(t, "f", result("x/a.gguf", 1, 8, 0, 1, 2), result("x/b.gguf", 1, 8, 0, 3, 4))
	p := Compare(f, file(t, "g", result("y/b.gguf", 1, 8, 0, 3, 4)))
	if len(p.Rows) != 1 || p.Rows[0].Test != "pp8 model_filename=b.gguf" || p.Rows[0].Center != 1 || len(p.OnlyOld) != 1 {
		t.Errorf("%+v", p)
	}
}

// TestCompareMachines: that another processor was measured is told.
func TestCompareMachines(t *testing.T) {
	on := func(cpu string) string { return `{"cpu_info": "` + cpu + `", "n_prompt": 8, "samples_ts": [1, 2]}` }
	p := Compare(file(t, "f", on("Zen")), file(t, "g", on("Xeon"), on("Zen")))
	if len(p.Rows) != 1 || !reflect.DeepEqual(p.Changed, []string{"cpu_info: Zen, Xeon and Zen"}) {
		t.Errorf("%+v", p)
	}
}

func TestDecodeRefuses(t *testing.T) {
	for _, text := range []string{"", "x", "[", "[1]", "{}", `[{"samples_ts": []}]`, `[{"samples_ts": [0]}]`, `[{"samples_ts": [1e300]}]`, `[{"samples_ts": [1e-300]}]`, `[{"samples_ts": ["a"]}]`, `{"samples_ts": [1]} {`} {
		if _, err := parse("f", []byte(text)); err == nil {
			t.Errorf("%q is taken", text)
		}
	}
	if f, err := parse("f", []byte("[\n\n]")); err != nil || len(f.records) != 0 {
		t.Errorf("%v", err)
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(result("a", 1, 2, 3, 4)))
	f.Add([]byte("[" + result("a", 1, 2, 3, 4) + "]"))
	f.Fuzz(func(t *testing.T, data []byte) {
		x, err := parse("f", data)
		if err != nil {
			return
		}
		if p := Compare(x, x); len(p.OnlyOld)+len(p.OnlyNew) > 0 {
			t.Errorf("%+v", p)
		}
	})
}

// TestGrid has the order of llama-bench v0.7.0: -t inside -fa inside -ctk, -d inside -t, tests inside all.
func TestGrid(t *testing.T) {
	g := Grid{Models: []string{"m"}, Prompts: []int{8, 0}, Pairs: [][2]int{{4, 4}}, Depths: []int{0, 64}, Batches: []int{8}, UBatches: []int{8},
		Threads: []int{1, 2}, CacheK: []string{"f16", "q8_0"}, CacheV: []string{"f16"}, FlashAttn: []int{1, 0}, Other: map[string][]string{"poll": {"50", "0"}}}
	rows := g.Rows()
	var got []string
	for _, p := range rows[:10] {
		got = append(got, fmt.Sprint(p.CacheK, " ", p.FlashAttn, " ", p.Threads, " ", p.Other["poll"], " ", p.Test()))
	}
	want := []string{"f16 1 1 50 pp8", "f16 1 1 50 pp4+tg4", "f16 1 1 0 pp8", "f16 1 1 0 pp4+tg4", "f16 1 1 50 pp8 @ d64", "f16 1 1 50 pp4+tg4 @ d64",
		"f16 1 1 0 pp8 @ d64", "f16 1 1 0 pp4+tg4 @ d64", "f16 1 2 50 pp8", "f16 1 2 50 pp4+tg4"}
	if len(rows) != 64 || !slices.Equal(got, want) {
		t.Errorf("%d rows, %q, want %q", len(rows), got, want)
	}
}

func TestSplitWords(t *testing.T) {
	for text, want := range map[string][]string{"a b": {"a", "b"}, `'a b'/c  -x="y z"`: {"a b/c", "-x=y z"}, `a ''`: {"a", ""}} {
		if got, err := splitWords(text); err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: %q, %v", text, got, err)
		}
	}
	for _, text := range []string{"", "  ", "'a", "''"} {
		if got, err := splitWords(text); err == nil {
			t.Errorf("%s: %q", text, got)
		}
	}
}
