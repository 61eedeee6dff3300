package engine_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"flag"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/llamakit/llamakit/bench/golden"
	"github.com/llamakit/llamakit/bench/model"
	"github.com/llamakit/llamakit/engine"
	"github.com/llamakit/llamakit/formats/quant"
)

// The encoders are written by bench/model; testdata/embed.json holds what llama.cpp v0.7.0 answered on them: the last vector of
// pooling none, and the vectors or scores of the others. To record again, with its tools in $PEER_DIR:
// go test ./engine -run 'TestPool$' -update
var update = flag.Bool("update", false, "record llama.cpp's answers")

const embeddings = "testdata/embed.json"

// embedded is long enough to leave windows and to cross a page of the cache.
var embedded = func() []engine.Token {
	tokens := make([]engine.Token, 45)
	for i := range tokens {
		tokens[i] = engine.Token(i*i*7+i*3+5) % 96
	}
	return tokens
}()

func encoders() []string {
	return slices.DeleteFunc(model.Names(), func(n string) bool { return !strings.HasPrefix(n, "encoder-") })
}

// poolings are those that a model has.
func poolings(name string) []engine.Pooling {
	all := []engine.Pooling{engine.PoolingNone, engine.PoolingMean, engine.PoolingCLS, engine.PoolingLast, engine.PoolingRank}
	if name == "encoder-bert" || name == "encoder-modern-bert" || name == "encoder-qwen3" {
		return all
	}
	return all[:4]
}

// exact are the encoders without GELU, which llama.cpp looks up in a float16 table.
var exact = []string{"encoder-nomic-bert", "encoder-llama-embed", "encoder-eurobert", "encoder-qwen2", "encoder-qwen3"}

func writeEncoder(t *testing.T, name string, typ quant.Type) string {
	t.Helper()
	shape, err := model.Named(name)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), name+".gguf")
	if err := model.Write(path, shape, typ, 42); err != nil {
		t.Fatal(err)
	}
	return path
}

func openEncoder(t *testing.T, path string, o engine.Options) *engine.Model {
	t.Helper()
	o.Embed = true
	m, err := engine.Open(context.Background(), path, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { m.Close() })
	return m
}

func TestPool(t *testing.T) {
	recorded := map[string]map[engine.Pooling][]float32{}
	if *update {
		defer func() { writeJSON(t, embeddings, recorded) }()
	} else {
		readJSON(t, embeddings, &recorded)
	}
	for _, name := range encoders() {
		path := writeEncoder(t, name, quant.F32)
		bound := 1e-6
		if slices.Contains(exact, name) {
			bound = 1e-9
		}
		for _, p := range poolings(name) {
			m := openEncoder(t, path, engine.Options{Pooling: p, CacheK: engine.CacheF32, CacheV: engine.CacheF32})
			vectors, err := m.Pool(context.Background(), embedded, p)
			if err != nil {
				t.Fatalf("%s %s: %v", name, p, err)
			}
			got := vectors[len(vectors)-1]
			if *update {
				if recorded[name] == nil {
					recorded[name] = map[engine.Pooling][]float32{}
				}
				recorded[name][p] = peerEmbedding(t, path, p)[:len(got)]
			}
			if e := nmse(got, recorded[name][p]); !(e <= bound) {
				t.Errorf("%s %s: NMSE %.2g, want at most %.0g", name, p, e, bound)
			}
		}
	}
}

// nmse is Σ(got-want)² / Σ want².
func nmse(got, want []float32) float64 {
	if len(got) != len(want) {
		return math.Inf(1)
	}
	var diff, sum float64
	for i, w := range want {
		diff += math.Pow(float64(got[i])-float64(w), 2)
		sum += float64(w) * float64(w)
	}
	return diff / sum
}

// peerEmbedding asks llama.cpp for the embedding of a model.
func peerEmbedding(t *testing.T, from string, p engine.Pooling) []float32 {
	t.Helper()
	run := golden.Shared(t, "peer", "run")
	folder, err := os.MkdirTemp(golden.Peer(t), "record-")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(folder)
	data, err := os.ReadFile(from)
	if err == nil {
		err = os.WriteFile(filepath.Join(folder, "model.gguf"), data, 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
	inside := "/models/" + filepath.Base(folder)
	tokens := strings.Trim(strings.ReplaceAll(fmt.Sprint(embedded), " ", ","), "[]")
	out, err := exec.Command(run, "golden", inside+"/model.gguf", "embed", inside+"/out.f32", tokens, string(p)).CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v: %s", p, err, out)
	}
	if data, err = os.ReadFile(filepath.Join(folder, "out.f32")); err != nil {
		t.Fatal(err)
	}
	values := make([]float32, len(data)/4)
	if err := binary.Read(bytes.NewReader(data), binary.LittleEndian, values); err != nil {
		t.Fatal(err)
	}
	return values
}

func readJSON(t *testing.T, path string, v any) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err == nil {
		err = json.Unmarshal(data, v)
	}
	if err != nil {
		t.Fatal(err)
	}
}

func writeJSON(t *testing.T, path string, v any) {
	t.Helper()
	data, err := json.Marshal(v)
	if err == nil {
		err = os.WriteFile(path, append(data, '\n'), 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
}
