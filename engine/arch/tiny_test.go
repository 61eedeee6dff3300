package arch_test

import (
	"bytes"
	"encoding/binary"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/llamakit/llamakit/bench/golden"
	"github.com/llamakit/llamakit/bench/model"
	"github.com/llamakit/llamakit/formats/gguf"
	"github.com/llamakit/llamakit/formats/quant"
)

// The tiny models are written by bench/model; testdata holds what llama.cpp v0.7.0 answered on them, float32 logits of
// every position. To record again, with its tools in $PEER_DIR: go test ./engine/arch -run Tiny -update
var update = flag.Bool("update", false, "record llama.cpp's answers")

// tinyPrompt is long enough to leave the sliding windows and to cross a page of the cache.
var tinyPrompt = promptOf(45)

func promptOf(n int) []int32 {
	tokens := make([]int32, n)
	for i := range tokens {
		tokens[i] = int32(i*i*7+i*3+5) % 96
	}
	return tokens
}

func tinyNames() []string {
	return slices.DeleteFunc(model.Names(), func(n string) bool { return !strings.HasPrefix(n, "tiny-") })
}

// openTiny writes a tiny model and opens it.
func openTiny(t *testing.T, name string, typ quant.Type) *gguf.File {
	t.Helper()
	shape, err := model.Named(name)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), name+".gguf")
	if err := model.Write(path, shape, typ, 42); err != nil {
		t.Fatal(err)
	}
	return open(t, path)
}

func TestTiny(t *testing.T) {
	for _, name := range tinyNames() {
		t.Run(name, func(t *testing.T) {
			f := openTiny(t, name, quant.F32)
			path := filepath.Join("testdata", name+".f32")
			if *update {
				record(t, f.Paths()[0], path, tinyPrompt)
			}
			want := readFloats(t, path)
			p := compile(t, f, 2)
			defer p.Close()
			for i, row := range p.logits(tinyPrompt, len(tinyPrompt)) {
				w := want[i*len(row) : (i+1)*len(row)]
				if e := nmse(row, w); !(e <= bound(name)) {
					t.Errorf("position %d: NMSE %.2g, want at most %.0g", i, e, bound(name))
				}
			}
		})
	}
}

// TestSameBits uses weights of every type with a kernel.
func TestSameBits(t *testing.T) {
	for _, name := range tinyNames() {
		for _, typ := range []quant.Type{quant.F32, quant.F16, quant.BF16, quant.Q8_0} {
			t.Run(fmt.Sprintf("%s/%v", name, typ), func(t *testing.T) {
				sameBits(t, openTiny(t, name, typ), tinyPrompt)
			})
		}
	}
}

// record asks llama.cpp for the logits of a model; env are further variables of its environment.
func record(t *testing.T, from, to string, prompt []int32, env ...string) {
	t.Helper()
	run := golden.Shared(t, "peer", "run")
	name := "record-" + strings.ReplaceAll(t.Name(), "/", "-")
	inside := filepath.Join(golden.Peer(t), name+".gguf")
	data, err := os.ReadFile(from)
	if err == nil {
		err = os.WriteFile(inside, data, 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
	defer os.Remove(inside)
	tokens := strings.Trim(strings.ReplaceAll(fmt.Sprint(prompt), " ", ","), "[]")
	cmd := exec.Command(run, "golden", "/models/"+name+".gguf", "logits", "/models/"+name+".f32", tokens)
	cmd.Env = append(os.Environ(), env...)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	raw := filepath.Join(golden.Peer(t), name+".f32")
	defer os.Remove(raw)
	if data, err = os.ReadFile(raw); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(to, data, 0o644); err != nil {
		t.Fatal(err)
	}
}

func readFloats(t *testing.T, path string) []float64 {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	raw := make([]float32, len(data)/4)
	if err := binary.Read(bytes.NewReader(data), binary.LittleEndian, raw); err != nil {
		t.Fatal(err)
	}
	out := make([]float64, len(raw))
	for i, v := range raw {
		out[i] = float64(v)
	}
	return out
}
