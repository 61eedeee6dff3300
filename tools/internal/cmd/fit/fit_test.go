package fit

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/llamakit/llamakit/formats/gguf"
	"github.com/llamakit/llamakit/formats/quant"
	"github.com/llamakit/llamakit/tools/internal/run"
)

var demo = filepath.Join("..", "..", "..", "..", "engine", "demo", "demo.gguf")

func exec(args ...string) (code int, stdout, stderr string) {
	var out, err bytes.Buffer
	code = run.Exec(context.Background(), Command("llama-fit"), run.Streams{Out: &out, Err: &err}, args)
	return code, out.String(), err.String()
}

// fitted runs with --json.
func fitted(t *testing.T, want int, args ...string) report {
	t.Helper()
	code, stdout, stderr := exec(append(args, "--json")...)
	var r report
	if err := json.Unmarshal([]byte(stdout), &r); err != nil || code != want {
		t.Fatalf("%q: code %d, %v, %s", args, code, err, stderr)
	}
	return r
}

func TestFit(t *testing.T) {
	r := fitted(t, run.Done, demo, "-c", "4096", "-np", "2", "-fitt", "0", "--free", "64MiB")
	// 6 layers, 2 heads of 64 f16 keys and as many values.
	kv := int64(6 * 2 * 64 * 2 * 2 * 4096)
	d := r.Devices[0]
	if d.Cache != kv || d.Weights != 6144000 || d.Name != "CPU" || r.Total != d.Weights+d.Cache+d.Compute || r.Free != 64<<20 || !r.Fits {
		t.Errorf("%+v, want %d bytes of keys and values", r, kv)
	}
	if r.Context != 4096 || r.Sequences != 2 || r.CacheK != "f16" || r.CacheV != "f16" {
		t.Errorf("%+v", r)
	}
	if wide := fitted(t, run.Done, demo, "-c", "4096", "-np", "2", "-ctk", "f32", "-ctv", "f32", "--free", "4G"); wide.Devices[0].Cache != 2*kv {
		t.Errorf("f32: %d bytes", wide.Devices[0].Cache)
	}
}

// TestLargest: the context that is said to be the largest fits, and one token more does not.
func TestLargest(t *testing.T) {
	common := []string{demo, "-fitt", "3", "--free", "50M"}
	with := func(n int) []string { return append([]string{"-c", fmt.Sprint(n)}, common...) }
	r := fitted(t, run.Failed, with(1<<20)...)
	if r.Fits || r.Largest == 0 {
		t.Fatalf("%+v", r)
	}
	fitted(t, run.Done, with(r.Largest)...)
	fitted(t, run.Failed, with(r.Largest+1)...)
	if _, _, stderr := exec(with(1 << 20)...); !strings.Contains(stderr, fmt.Sprintf("(-c %d fits)", r.Largest)) {
		t.Error(stderr)
	}
}

func TestText(t *testing.T) {
	code, stdout, _ := exec("-m", demo, "-c", "1000", "-fitt", "0", "--free", "32M")
	for _, want := range []string{"qwen3, 6 layers, q8_0, 5.77 M parameters", "context of 1000 tokens for 4 sequences, keys f16, values f16; trained for 2048",
		"CPU   5.86 MiB", "all   5.86 MiB", "32.00 MiB", "\nfits; largest context: "} {
		if code != run.Done || !strings.Contains(stdout, want) {
			t.Errorf("code %d, no %q in\n%s", code, want, stdout)
		}
	}
	code, stdout, stderr := exec(demo, "--free", "1M")
	if code != run.Failed || !strings.Contains(stdout, "does not fit; largest context: 0") || !strings.Contains(stderr, "with any context") {
		t.Errorf("code %d, %s%s", code, stdout, stderr)
	}
}

// TestAddress: the header on a server is enough.
func TestAddress(t *testing.T) {
	s := httptest.NewServer(http.FileServer(http.Dir(filepath.Dir(demo))))
	defer s.Close()
	args := []string{"-c", "4096", "--free", "2G"}
	local, remote := fitted(t, run.Done, append(args, demo)...), fitted(t, run.Done, append(args, s.URL+"/demo.gguf")...)
	if remote.Total != local.Total || remote.Largest != local.Largest || remote.Total == 0 {
		t.Errorf("%+v, want %+v", remote, local)
	}
}

// TestSparse fits a file of 100 GB of holes.
func TestSparse(t *testing.T) {
	const width, ff, layers, vocabulary = 16384, 53248, 80, 128256
	md := gguf.NewMetadata()
	md.Set("general.architecture", gguf.String("llama"))
	for key, n := range map[string]uint32{"embedding_length": width, "feed_forward_length": ff, "block_count": layers, "attention.head_count": 128,
		"attention.head_count_kv": 8, "context_length": 131072, "vocab_size": vocabulary, "rope.dimension_count": 128} {
		md.Set("llama."+key, gguf.Uint32(n))
	}
	md.Set("llama.attention.layer_norm_rms_epsilon", gguf.Float32(1e-5))
	var infos []gguf.TensorInfo
	add := func(typ quant.Type, name string, shape ...int) {
		infos = append(infos, gguf.TensorInfo{Name: name + ".weight", Type: typ, Shape: shape})
	}
	add(quant.Q4_K, "token_embd", width, vocabulary)
	add(quant.F16, "output_norm", width) // a type that would be decoded at load
	add(quant.Q6_K, "output", width, vocabulary)
	for i := range layers {
		name := fmt.Sprintf("blk.%d.", i)
		add(quant.F32, name+"attn_norm", width)
		add(quant.F32, name+"ffn_norm", width)
		add(quant.Q4_K, name+"attn_q", width, width)
		add(quant.Q4_K, name+"attn_k", width, 1024)
		add(quant.Q4_K, name+"attn_v", width, 1024)
		add(quant.Q4_K, name+"attn_output", width, width)
		add(quant.Q4_K, name+"ffn_gate", width, ff)
		add(quant.Q4_K, name+"ffn_up", width, ff)
		add(quant.Q4_K, name+"ffn_down", ff, width)
	}
	r := fitted(t, run.Done, sparse(t, md, infos), "-c", "32768", "--free", "1T")
	if r.Total < 100e9 || r.Devices[0].Weights < 100e9 || r.Largest < 131072 {
		t.Errorf("%+v", r)
	}
}

// sparse writes a header and a hole.
func sparse(t *testing.T, md *gguf.Metadata, infos []gguf.TensorInfo) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "sparse.gguf")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := gguf.NewWriter(f, md, infos); err != nil {
		t.Fatal(err)
	}
	size, err := gguf.Size(md, infos)
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Truncate(size); err != nil {
		t.Skip("no sparse files here: ", err)
	}
	return path
}

func TestWrongUse(t *testing.T) {
	for _, c := range []struct {
		code int
		args []string
	}{
		{run.WrongUse, nil}, {run.WrongUse, []string{demo, demo}}, {run.WrongUse, []string{"-m", demo, demo}}, {run.WrongUse, []string{demo, "--free", "x"}},
		{run.WrongUse, []string{demo, "-ngl", "-2"}}, {run.WrongUse, []string{demo, "-ngl", "x"}},
		{run.WrongUse, []string{demo, "-ctk", "q4"}}, {run.WrongUse, []string{demo, "-np", "0"}}, {run.Failed, []string{"none.gguf"}},
	} {
		if code, stdout, stderr := exec(c.args...); code != c.code || stdout != "" || stderr == "" {
			t.Errorf("%q: code %d, %q, %q", c.args, code, stdout, stderr)
		}
	}
}

// TestOffload: what -ngl would move is said when it is asked for.
func TestOffload(t *testing.T) {
	if r := fitted(t, run.Done, demo, "-c", "1024", "--free", "4G"); r.Offload != nil {
		t.Errorf("%+v without -ngl", r.Offload)
	}
	for text, layers := range map[string]int{"0": 0, "3": 3, "99": 7, "all": 7, "-1": 7} {
		if r := fitted(t, run.Done, demo, "-c", "1024", "--free", "4G", "-ngl", text); r.Offload == nil || r.Offload.Layers != layers || r.Offload.Of != 7 {
			t.Errorf("%s: %+v", text, r.Offload)
		}
	}
	if _, stdout, _ := exec(demo, "-c", "1024", "--free", "4G", "-ngl", "99"); !strings.Contains(stdout, "7 of 7 layers on a GPU: 8.86 MiB there") {
		t.Error(stdout)
	}
}
