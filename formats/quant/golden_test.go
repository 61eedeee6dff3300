package quant_test

import (
	"bytes"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/llamakit/llamakit/bench/golden"
	"github.com/llamakit/llamakit/formats/gguf"
	"github.com/llamakit/llamakit/formats/quant"
)

// peerTensor is what llama.cpp made of one tensor: the relative RMS error against the F32 model, computed in float32,
// and its first 64 values, with seven digits.
type peerTensor struct {
	RelRMS float64   `json:"rel_rms"`
	Values []float64 `json:"values"`
}

// TestGoldenModels decodes the small model that llama-quantize v0.7.0 wrote in each type.
func TestGoldenModels(t *testing.T) {
	folder := golden.Shared(t, "golden", "quant")
	original := openModel(t, filepath.Join(folder, "f32.gguf"))
	reports := readReports(t, filepath.Join(folder, "quant.json"))
	seen := map[quant.Type]bool{}
	for tag, tensors := range reports {
		path := modelPath(folder, tag)
		if path == "" {
			continue // F16 and BF16 are the next test
		}
		model := openModel(t, path)
		for name, want := range tensors {
			w, ok := model.Tensor(name)
			if !ok {
				t.Fatalf("%s: no tensor %s", tag, name)
			}
			seen[w.Type] = true
			comparePeer(t, tag+" "+name, decodeTensor(t, model, name), decodeTensor(t, original, name), want)
		}
	}
	if len(seen) < 22 {
		t.Errorf("only %d types were decoded: %v", len(seen), seen)
	}
}

// TestGoldenEncoding encodes the F32 model as llama-quantize does: Q8_0 gives the bytes of its file, F16 and BF16 its values.
func TestGoldenEncoding(t *testing.T) {
	folder := golden.Shared(t, "golden", "quant")
	original := openModel(t, filepath.Join(folder, "f32.gguf"))
	reports := readReports(t, filepath.Join(folder, "quant.json"))
	q8_0 := openModel(t, filepath.Join(folder, "Q8_0.gguf"))
	for _, c := range []struct {
		tag string
		t   quant.Type
	}{{"Q8_0", quant.Q8_0}, {"F16", quant.F16}, {"BF16", quant.BF16}} {
		for name, want := range reports[c.tag] {
			x := decodeTensor(t, original, name)
			packed, back := make([]byte, c.t.RowBytes(len(x))), make([]float32, len(x))
			if err := quant.Encode(c.t, packed, x); err != nil {
				t.Fatal(err)
			}
			quant.Decode(c.t, back, packed)
			comparePeer(t, c.tag+" "+name, back, x, want)
			if w, _ := q8_0.Tensor(name); c.t == quant.Q8_0 && !bytes.Equal(packed, q8_0.Bytes(w)) {
				t.Errorf("Q8_0 %s: not the bytes of llama-quantize", name)
			}
		}
	}
}

// comparePeer wants the recorded values to seven digits, signs of zeros included, and the recorded error.
func comparePeer(t *testing.T, what string, got, original []float32, want peerTensor) {
	t.Helper()
	for i, v := range want.Values {
		g := sevenDigits(got[i])
		if g != v || math.Signbit(g) != math.Signbit(v) {
			t.Errorf("%s: element %d is %g, want %g", what, i, got[i], v)
			return
		}
	}
	var e2, x2 float64
	for i, x := range original {
		e := float64(got[i] - x)
		e2, x2 = e2+e*e, x2+float64(x)*float64(x)
	}
	if rel := math.Sqrt(e2 / x2); math.Abs(rel-want.RelRMS) > 1e-6*want.RelRMS {
		t.Errorf("%s: relative RMS error %.9g, want %.9g", what, rel, want.RelRMS)
	}
}

func sevenDigits(v float32) float64 {
	d, err := strconv.ParseFloat(strconv.FormatFloat(float64(v), 'g', 7, 64), 64)
	if err != nil {
		panic(err)
	}
	return d
}

// readReports leaves out the runs that llama-quantize refused.
func readReports(t *testing.T, path string) map[string]map[string]peerTensor {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var raw map[string]map[string]json.RawMessage
	if err := json.Unmarshal(data, &raw); err != nil {
		t.Fatal(err)
	}
	reports := map[string]map[string]peerTensor{}
	for tag, tensors := range raw {
		if tensors["error"] != nil {
			continue
		}
		reports[tag] = map[string]peerTensor{}
		for name, text := range tensors {
			var p peerTensor
			if err := json.Unmarshal(text, &p); err != nil {
				t.Fatalf("%s %s: %v", tag, name, err)
			}
			reports[tag][name] = p
		}
	}
	return reports
}

// modelPath finds the file of a run; where the importance matrix made no difference, only the plain one is kept.
func modelPath(folder, tag string) string {
	for _, name := range []string{tag, strings.TrimSuffix(tag, "-imatrix")} {
		if path := filepath.Join(folder, name+".gguf"); exists(path) {
			return path
		}
	}
	return ""
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

func openModel(t *testing.T, path string) *gguf.File {
	t.Helper()
	f, err := gguf.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f
}

func decodeTensor(t *testing.T, f *gguf.File, name string) []float32 {
	t.Helper()
	w, ok := f.Tensor(name)
	if !ok {
		t.Fatalf("no tensor %s", name)
	}
	values := make([]float32, w.Elements())
	quant.Decode(w.Type, values, f.Bytes(w))
	return values
}
