package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/llamakit/llamakit/bench"
)

func TestRead(t *testing.T) {
	results, err := read([]byte(`[
		{"n_prompt": 512, "n_gen": 0, "n_depth": 8192, "avg_ts": 100, "vs_avg_ts": 50, "ratio": 2, "ratio_low": 1.9, "ratio_high": 2.1, "ratio_p": 0.01},
		{"n_prompt": 0, "n_gen": 128, "n_depth": 0, "avg_ts": 10, "vs_avg_ts": 10, "ratio": 1, "ratio_low": 0, "ratio_high": null, "ratio_p": 1},
		{"pl": 8, "is_pp_shared": 0, "speed_tg": 30, "vs_speed_tg": 10, "ratio_tg": {"ratio": 3, "low": 2.5, "high": 3.5, "p": 0}},
		{"pl": 8, "is_pp_shared": 1, "speed_tg": 99, "vs_speed_tg": 1, "ratio_tg": {"ratio": 99, "low": 1, "high": 100, "p": 0}}]`))
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"pp512 @ d8192": "100.0 t/s 50.0 t/s 2.00x (1.90-2.10)", "tg128": "10.0 t/s 10.0 t/s 1.00x",
		"8 sequences": "30.0 t/s 10.0 t/s 3.00x (2.50-3.50)"} {
		if r := results[name]; r.ours+" "+r.theirs+" "+r.ratio.String() != want {
			t.Errorf("%s: %+v, want %s", name, r, want)
		}
	}
}

// TestShort: a shortened command still names the results that it will have.
func TestShort(t *testing.T) {
	for _, c := range commands() {
		c.short()
		for _, a := range append(c.args, c.targets[0].result) {
			if strings.Contains(a, "512") || strings.Contains(a, "8192") {
				t.Errorf("%s: %q, %q", c.title(), c.args, c.targets[0].result)
			}
		}
	}
}

// TestWrite: new rows take the place of old ones of the same name, and the others stay.
func TestWrite(t *testing.T) {
	path := filepath.Join(t.TempDir(), "doc.md")
	const begin, end = "<!-- table: begin -->\n", "<!-- table: end -->\n"
	const prefill, decode, load = "prefill pp512, Q8_0", "decode tg128, Q8_0", "load to first token"
	old := "| " + load + " | 1 | 1 | 1.00x | 1.5x | 3x | missed |\n"
	if err := os.WriteFile(path, []byte("before\n"+begin+old+"| "+prefill+" | 9 | 9 | 1.00x | 5x | 7x | missed |\n"+end+"after\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	lines := []line{{target{decode, "", 1.5, 2}, "3", "2", bench.Ratio{Center: 2, Low: 1.9, High: 2.1}},
		{target{prefill, "", 1.5, 2}, "3", "2", bench.Ratio{Center: 1.7, Low: 1.6, High: 1.8}}}
	if err := (&tester{options: &options{update: path}}).write(lines); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	want := "before\n" + begin + "\n" + head + "| " + prefill + " | 2 | 3 | 1.70x (1.60-1.80) | 1.5x | 2x | reached |\n" +
		"| " + decode + " | 2 | 3 | 2.00x (1.90-2.10) | 1.5x | 2x | aim reached |\n" + old + "\n" + end + "after\n"
	if string(data) != want {
		t.Errorf("got\n%s\nwant\n%s", data, want)
	}
}

// TestNothing: a slip on the command line is told before anything is measured.
func TestNothing(t *testing.T) {
	for _, c := range []struct {
		o        options
		operands []string
	}{{options{only: "none of them"}, nil}, {options{only: "["}, nil}, {options{list: true}, []string{"pp512"}}, {options{update: "none.md"}, nil}} {
		if err := c.o.run(t.Context(), c.operands); err == nil {
			t.Errorf("%+v, %q is taken", c.o, c.operands)
		}
	}
}
