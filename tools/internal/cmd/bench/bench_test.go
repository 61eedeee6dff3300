package bench

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/llamakit/llamakit/bench"
	"github.com/llamakit/llamakit/bench/model"
	"github.com/llamakit/llamakit/formats/quant"
	"github.com/llamakit/llamakit/tools/internal/run"
)

func tiny(t *testing.T, shape string) string {
	t.Helper()
	s, err := model.Named(shape)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), shape+".gguf")
	if err := model.Write(path, s, quant.F32, 1); err != nil {
		t.Fatal(err)
	}
	return path
}

func exec(args ...string) (code int, stdout, stderr string) {
	var out bytes.Buffer
	code, stderr = execTo(context.Background(), &out, args...)
	return code, out.String(), stderr
}

func execTo(ctx context.Context, out io.Writer, args ...string) (code int, stderr string) {
	var err bytes.Buffer
	code = run.Exec(ctx, Command("llama-bench"), run.Streams{Out: out, Err: &err}, args)
	return code, err.String()
}

// columnNames are llama-bench v0.7.0's, from the head of its CSV.
const columnNames = "build_commit,build_number,cpu_info,gpu_info,backends,model_filename,model_type,model_size,model_n_params,n_batch,n_ubatch,n_threads," +
	"cpu_mask,cpu_strict,poll,type_k,type_v,n_gpu_layers,n_cpu_moe,split_mode,main_gpu,no_kv_offload,flash_attn,devices,tensor_split,tensor_buft_overrides," +
	"load_mode,lazy_mode,embeddings,no_op_offload,no_host,repack,fit_target,fit_min_ctx,n_prompt,n_gen,n_depth,test_time,avg_ns,stddev_ns,avg_ts,stddev_ts"

func TestFormats(t *testing.T) {
	args := []string{"-m", tiny(t, "tiny-qwen3"), "-p", "6", "-n", "3", "-pg", "4,2", "-d", "0,9", "-r", "2", "-t", "1"}
	tests := []string{"6 0 0", "0 3 0", "4 2 0", "6 0 9", "0 3 9", "4 2 9"}
	for _, format := range bench.Formats {
		code, stdout, stderr := exec(append(args, "-o", format)...)
		if code != run.Done || stderr != "" {
			t.Fatalf("%s: code %d, %s", format, code, stderr)
		}
		var got []string
		switch format {
		case "json", "jsonl":
			got = jsonTests(t, stdout, format)
		case "csv":
			got = csvTests(t, stdout)
		case "sql":
			if strings.Count(stdout, "INSERT INTO llama_bench (") != len(tests) || !strings.Contains(stdout, "\n  avg_ts REAL,\n  stddev_ts REAL\n);\n") {
				t.Error(stdout)
			}
			continue
		case "md":
			for _, want := range []string{"| model     ", "            pp6 |", "    pp4+tg2 @ d9 |", " ± ", "\nbuild: "} {
				if !strings.Contains(stdout, want) {
					t.Errorf("no %q in\n%s", want, stdout)
				}
			}
			continue
		}
		if !slices.Equal(got, tests) {
			t.Errorf("%s: tests %q, want %q", format, got, tests)
		}
	}
}

// jsonTests checks every object's keys and their order.
func jsonTests(t *testing.T, text, format string) (tests []string) {
	t.Helper()
	var rows []json.RawMessage
	if format == "jsonl" {
		text = "[" + strings.ReplaceAll(strings.TrimSpace(text), "\n", ",") + "]"
	}
	if err := json.Unmarshal([]byte(text), &rows); err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	for _, row := range rows {
		var fields map[string]any
		if err := json.Unmarshal(row, &fields); err != nil {
			t.Fatal(err)
		}
		at := -1
		for _, name := range strings.Split(columnNames+",samples_ns,samples_ts", ",") {
			next := bytes.Index(row, []byte(`"`+name+`":`))
			if next < at || next < 0 {
				t.Errorf("%s: %s is missing, or not in its place", format, name)
			}
			at = next
		}
		if n := len(fields["samples_ns"].([]any)); n != 2 || fields["cpu_strict"] != false || fields["repack"] != true || fields["n_threads"] != 1.0 {
			t.Errorf("%d samples in %s", n, row)
		}
		tests = append(tests, fmt.Sprint(fields["n_prompt"], " ", fields["n_gen"], " ", fields["n_depth"]))
	}
	return tests
}

func csvTests(t *testing.T, text string) (tests []string) {
	t.Helper()
	rows, err := csv.NewReader(strings.NewReader(text)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	if head := strings.Join(rows[0], ","); head != columnNames {
		t.Errorf("columns %s", head)
	}
	at := slices.Index(rows[0], "n_prompt")
	for _, row := range rows[1:] {
		tests = append(tests, strings.Join(row[at:at+3], " "))
	}
	return tests
}

// TestFailures: whatever fails, the output is whole.
func TestFailures(t *testing.T) {
	good := tiny(t, "tiny-llama")
	for _, c := range []struct {
		code, rows int
		says       string
		args       []string
	}{
		{run.Failed, 0, "none.gguf", []string{"-m", "none.gguf"}},
		{run.Failed, 1, "none.gguf", []string{"-m", good + ",none.gguf"}},
		{run.Failed, 1, "none.gguf", []string{"-m", "none.gguf", "-m", good}},
		{run.WrongUse, 0, "nothing to run", []string{"-m", good, "-p", "0"}},
		{run.Failed, 0, "flash attention", []string{"-m", good, "-fa", "off", "-ctv", "q8_0"}},
		{run.Failed, 1, "flash attention", []string{"-m", good, "-fa", "off", "-ctv", "q8_0,f16"}},
		{run.Failed, 0, "cache type", []string{"-m", good, "-ctk", "q9"}},
		{run.Failed, 0, "context", []string{"-m", good, "-p", "20000000"}},
	} {
		args := append([]string{"-p", "4", "-n", "0", "-r", "1", "-o", "json"}, c.args...)
		if slices.Contains(c.args, "-p") {
			args = append([]string{"-n", "0", "-r", "1", "-o", "json"}, c.args...)
		}
		code, stdout, stderr := exec(args...)
		var rows []json.RawMessage
		if err := json.Unmarshal([]byte(stdout), &rows); err != nil || len(rows) != c.rows || code != c.code || !strings.Contains(stderr, c.says) || strings.Count(stderr, ".gguf") > 1 {
			t.Errorf("%q: code %d, %d rows, %v, %s", c.args, code, len(rows), err, stderr)
		}
	}
}

func TestWrongUse(t *testing.T) {
	for _, args := range [][]string{nil, {"-m", "x", "-p", "abc"}, {"-m", "x", "-p", "5-1"}, {"-m", "x", "-p", "1-8*1"}, {"-m", "x", "-p", "0-8*2"}, {"-m", "x", "-p", "-5"},
		{"-m", "x", "-t", "0"}, {"-m", "x", "-pg", "5"}, {"-m", "x", "-o", "xml"}, {"-m", "x", "-r", "0"}, {"-m", "x", "-fa", "maybe"}, {"-m", "x", "-p", "1-100000000"},
		{"-m", "x", "-nkvo", "2"}, {"-m", "x", "-sm", "half"}, {"-m", "x", "-lm", "some"}, {"-m", "x", "-lzm", "1"}, {"-m", "x", "--numa", "x"}, {"-m", "x", "-C", "0xfg"},
		{"-m", "x", "-ts", "1/x"}, {"-m", "x", "-ts", "/"}, {"-m", "x", "-ot", "x"}, {"-m", "x", "-mg", "-1"}, {"-m", "x", "--prio", "x"},
		{"-m", "x", "--vs-model", "y"}, {"-m", "x", "--vs", ""}, {"-m", "x,y", "--vs", "c", "--vs-model", "z"}, {"-m", "x", "--batched", "-p", "1"}, {"-m", "x", "-npl", "4"}, {"-m", "x", "-pps"}, {"compare", "one"},
		{"compare", "a", "b", "--fail-slower", "x"}} {
		if code, stdout, stderr := exec(args...); code != run.WrongUse || stdout != "" || stderr == "" {
			t.Errorf("%q: code %d, %q, %q", args, code, stdout, stderr)
		}
	}
}

// TestEchoed: parameters of devices are reported in llama.cpp's form.
func TestEchoed(t *testing.T) {
	code, stdout, stderr := exec("-m", tiny(t, "tiny-llama"), "-p", "2", "-n", "0", "-r", "1", "-o", "jsonl", "-ts", "3/1;0.125,2", "-ngl", "-1", "-C", "0xfF", "-ot", "a=CPU;b=CPU")
	if code != run.Done || strings.Count(stdout, "\n") != 2 {
		t.Fatalf("code %d, %s%s", code, stdout, stderr)
	}
	for _, want := range []string{`"tensor_split": "3.00/1.00/0.12"`, `"tensor_split": "2.00"`, `"n_gpu_layers": -1`, `"cpu_mask": "0xfF"`, `"tensor_buft_overrides": "a=CPU;b=CPU"`} {
		if !strings.Contains(stdout, want) {
			t.Errorf("no %s in %s", want, stdout)
		}
	}
}

// canceller cancels once it sees the end of a first row.
type canceller struct {
	bytes.Buffer
	cancel func()
}

func (c *canceller) Write(p []byte) (int, error) {
	if bytes.Contains(p, []byte("samples_ts")) {
		c.cancel()
	}
	return c.Buffer.Write(p)
}

func TestInterrupt(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	out := &canceller{cancel: cancel}
	code, stderr := execTo(ctx, out, "-m", tiny(t, "tiny-llama"), "-p", "4,5,6", "-n", "0", "-o", "json")
	var rows []json.RawMessage
	if err := json.Unmarshal(out.Bytes(), &rows); err != nil || len(rows) != 1 || code != run.Interrupted {
		t.Errorf("code %d, %d rows, %v, %s", code, len(rows), err, stderr)
	}
}

// TestOthers: models with experts and recurrent layers find their depth in the cache; one that is not causal has prompts alone.
func TestOthers(t *testing.T) {
	for _, shape := range []string{"tiny-mixtral", "tiny-mamba", "tiny-qwen35", "tiny-lfm2", "tiny-gemma3"} {
		if code, _, stderr := exec("-m", tiny(t, shape), "-p", "40", "-n", "2", "-d", "0,33,64", "-r", "3"); code != run.Done {
			t.Errorf("%s: code %d, %s", shape, code, stderr)
		}
	}
	code, stdout, stderr := exec("-m", tiny(t, "tiny-dream"), "-p", "8", "-n", "2", "-r", "1")
	if code != run.Failed || !strings.Contains(stdout, " pp8 |") || strings.Contains(stdout, " tg2 |") || strings.Count(stderr, "tiny-dream.gguf") != 1 {
		t.Errorf("tiny-dream: code %d, %s%s", code, stdout, stderr)
	}
}

func TestBatched(t *testing.T) {
	path := tiny(t, "tiny-qwen3")
	common := []string{"-m", path, "--batched", "-npp", "20", "-ntg", "3", "-npl", "1,2,4", "-r", "3"}
	code, stdout, stderr := exec(append(common, "-o", "jsonl")...)
	if code != run.Done {
		t.Fatal(stderr)
	}
	var got []string
	for line := range strings.Lines(stdout) {
		var r bench.StreamsResult
		if err := json.Unmarshal([]byte(line), &r); err != nil || !(r.PPSpeed > 0 && r.TGSpeed > 0) || len(r.TGSamples) != 3 {
			t.Errorf("%v: %s", err, line)
		}
		got = append(got, fmt.Sprint(r.Parallel, r.Shared, r.Tokens))
	}
	if want := []string{"1 0 23", "2 0 46", "4 0 92", "2 1 26", "4 1 32"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if code, stdout, _ := exec(append(common, "-pps")...); code != run.Done || strings.Count(stdout, "\n") != 5 || !strings.Contains(stdout, "| S_TG t/s |") {
		t.Errorf("code %d, %s", code, stdout)
	}
	var rows []json.RawMessage
	code, stdout, _ = exec(append(common, "-o", "json", "-m", "none.gguf")...)
	if err := json.Unmarshal([]byte(stdout), &rows); err != nil || code != run.Failed || len(rows) != 5 {
		t.Errorf("code %d, %d rows, %v", code, len(rows), err)
	}
}

func TestProgress(t *testing.T) {
	code, stdout, stderr := exec("-m", tiny(t, "tiny-llama"), "-p", "4", "-n", "0", "-r", "2", "--progress", "-oe", "jsonl", "-ngl", "99", "-ub", "2")
	if code != run.Done || !strings.Contains(stderr, "benchmark 1/1: pp4 run 2/2\n") || !strings.Contains(stderr, `"n_gpu_layers": 99`) || !strings.Contains(stdout, "| n_ubatch |") {
		t.Errorf("code %d, %s%s", code, stdout, stderr)
	}
}

func TestMain(m *testing.M) {
	if os.Getenv("LLAMA_BENCH_FAKE") != "" {
		fakePeer()
		return
	}
	os.Exit(m.Run())
}

// TestBatchedInLittleRoom: prompts that fill no page are copied for the answers, and none is lost meanwhile.
func TestBatchedInLittleRoom(t *testing.T) {
	code, stdout, stderr := exec("-m", tiny(t, "tiny-qwen3"), "--batched", "-npp", "4,33", "-ntg", "2", "-npl", "8", "-r", "2", "-o", "jsonl")
	if code != run.Done || strings.Count(stdout, "\n") != 4 {
		t.Errorf("code %d, %s%s", code, stdout, stderr)
	}
}

// full takes no byte.
type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("no space left") }

// TestOtherStream: what one stream does not take leaves the other whole.
func TestOtherStream(t *testing.T) {
	args := []string{"-m", tiny(t, "tiny-llama"), "-p", "4", "-n", "0", "-r", "1", "-o", "json", "-oe", "json"}
	for _, failing := range []string{"stdout", "stderr"} {
		var out bytes.Buffer
		std := run.Streams{Out: full{}, Err: &out}
		if failing == "stderr" {
			std = run.Streams{Out: &out, Err: full{}}
		}
		code := run.Exec(context.Background(), Command("llama-bench"), std, args)
		text, _, _ := strings.Cut(out.String(), "llama-bench:")
		if code != run.Failed || !json.Valid([]byte(text)) {
			t.Errorf("%s fails: code %d, %q", failing, code, text)
		}
	}
}

// TestNoEnergy: where nothing can be read, the output is empty and whole.
func TestNoEnergy(t *testing.T) {
	code, stdout, stderr := exec("-m", tiny(t, "tiny-llama"), "-p", "4", "-n", "0", "-r", "1", "-o", "json", "--energy")
	if !json.Valid([]byte(stdout)) || (code == run.Done) != (stderr == "") {
		t.Errorf("code %d, %q, %s", code, stdout, stderr)
	}
}
