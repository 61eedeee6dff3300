package arch_test

import (
	"bufio"
	"encoding/json"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/llamakit/llamakit/bench/golden"
	"github.com/llamakit/llamakit/engine/arch"
	"github.com/llamakit/llamakit/engine/backend"
	"github.com/llamakit/llamakit/engine/backend/cpu"
	"github.com/llamakit/llamakit/engine/kv"
	"github.com/llamakit/llamakit/formats/gguf"
	"github.com/llamakit/llamakit/formats/quant"
)

// recorded is what llama.cpp v0.7.0 answered on one random model: the logits of two positions, the most likely token of all
// of them, and the tokens that follow. Variants are the models as its test writes them (stock), with norms and scales that
// make attention matter (hard), and the latter with one expert used (top1).
type recorded struct {
	File, Variant string
	Tokens        []int32
	Argmax        []int
	Logits        map[string][]float64
	Greedy        []int32
	Error         string
}

func readRecorded(t *testing.T, path string) []recorded {
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var rows []recorded
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var r recorded
		if err := json.Unmarshal(lines.Bytes(), &r); err != nil {
			t.Fatal(err)
		}
		rows = append(rows, r)
	}
	return rows
}

var variantFolders = map[string]string{"stock": "archs", "hard": "archs-hard", "top1": "archs-top1"}

// TestGolden compares with llama.cpp on its random models.
func TestGolden(t *testing.T) {
	eachRecorded(t, []string{"stock", "hard", "top1"}, compare)
}

// eachRecorded tests every recorded model of some variants, several at once.
func eachRecorded(t *testing.T, variants []string, test func(t *testing.T, f *gguf.File, want recorded)) {
	for _, want := range readRecorded(t, golden.Shared(t, "golden", "archs.jsonl")) {
		if want.Error != "" || !slices.Contains(variants, want.Variant) {
			continue
		}
		path := golden.Peer(t, variantFolders[want.Variant], want.File)
		t.Run(want.Variant+"/"+want.File, func(t *testing.T) {
			t.Parallel()
			test(t, open(t, path), want)
		})
	}
}

func open(t *testing.T, path string) *gguf.File {
	t.Helper()
	f, err := gguf.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f
}

// geluModels are those whose GELU llama.cpp rounds to float16 in a table.
var geluModels = []string{"bloom", "codeshell", "falcon-dense", "gemma", "gpt2", "grok", "gptneox", "mpt", "phi2", "pockettts", "spark2_5", "starcoder"}

// bound is the greatest normalised mean square error of logits.
func bound(file string) float64 {
	if slices.ContainsFunc(geluModels, func(m string) bool { return strings.Contains(file, m) }) {
		return 1e-6
	}
	return 1e-9
}

func compare(t *testing.T, f *gguf.File, want recorded) {
	p := compile(t, f, 1)
	defer p.Close()
	rows := p.logits(want.Tokens, len(want.Tokens))
	for i, row := range rows {
		if lead(row, want.Argmax[i]) > tie(want.File, row) {
			t.Errorf("position %d: most likely token is %d, want %d", i, argmax(row), want.Argmax[i])
		}
	}
	for pos, i := range map[string]int{"20": 20, "39": 39} {
		if e := nmse(rows[i], want.Logits[pos]); !(e <= bound(want.File)) {
			t.Errorf("position %d: NMSE %.2g, want at most %.0g", i, e, bound(want.File))
		}
	}
	row := rows[len(rows)-1]
	for i, token := range want.Greedy {
		if lead(row, int(token)) > tie(want.File, row) {
			t.Fatalf("token %d after the prompt is %d, want %d", i, argmax(row), token)
		}
		row = p.logits([]int32{token}, 1)[0]
	}
}

// program runs one sequence of tokens.
type program struct {
	backend.Program
	whole bool // every sequence must be whole in a batch
	past  int
	pages []kv.Page
}

func compile(t *testing.T, f *gguf.File, threads int) *program {
	t.Helper()
	m, err := arch.Build(f, arch.Options{})
	if err != nil {
		t.Fatal(err)
	}
	const pages = 16
	p, err := (&cpu.Device{Threads: threads}).Compile(m.Graph, backend.Options{Rows: 64, Pages: pages, TypeK: quant.F32, TypeV: quant.F32, States: 2})
	if err != nil {
		t.Fatal(err)
	}
	r := &program{Program: p, whole: !m.Graph.Causal()}
	for i := range pages {
		r.pages = append(r.pages, kv.Page(pages-1-i))
	}
	return r
}

// logits goes on with tokens, in batches of chunk rows, and returns a copy of every position's logits.
func (p *program) logits(tokens []int32, chunk int) [][]float32 {
	var out [][]float32
	for part := range slices.Chunk(tokens, chunk) {
		b := &backend.Batch{Tokens: part, Spans: []backend.Span{{N: len(part), Past: p.past, Pages: p.pages}}}
		for i := range part {
			b.Outputs = append(b.Outputs, int32(i))
		}
		p.Run(b)
		for i := range part {
			out = append(out, slices.Clone(p.Logits(i)))
		}
		p.past += len(part)
	}
	return out
}

func argmax(row []float32) int {
	best := 0
	for i, v := range row {
		if v > row[best] {
			best = i
		}
	}
	return best
}

// lead is how far the most likely token of row is above token.
func lead(row []float32, token int) float64 { return float64(row[argmax(row)] - row[token]) }

// tie is the lead that the error of two logits may make or take: those are equal for our purposes.
func tie(file string, row []float32) float64 {
	sum := 0.0
	for _, v := range row {
		sum += float64(v) * float64(v)
	}
	return 2 * math.Sqrt(bound(file)*sum/float64(len(row)))
}

// nmse is Σ(got-want)² / Σ want².
func nmse(got []float32, want []float64) float64 {
	var diff, sum float64
	for i, w := range want {
		diff += (float64(got[i]) - w) * (float64(got[i]) - w)
		sum += w * w
	}
	return diff / sum
}
