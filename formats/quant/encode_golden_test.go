package quant_test

import (
	"math"
	"path/filepath"
	"strings"
	"testing"

	"github.com/llamakit/llamakit/bench/golden"
	"github.com/llamakit/llamakit/formats/gguf"
	"github.com/llamakit/llamakit/formats/quant"
)

// worstRatio is how much larger our error may be than that of llama-quantize.
const worstRatio = 1.001

// TestEncodingQuality encodes the small model in every type and compares the relative RMS error, weighted where there is
// an importance matrix, with that of llama-quantize's file.
func TestEncodingQuality(t *testing.T) {
	folder := golden.Shared(t, "golden", "quant")
	original := openModel(t, filepath.Join(folder, "f32.gguf"))
	matrix := openModel(t, filepath.Join(folder, "imatrix.gguf"))
	count := 0
	for tag, tensors := range readReports(t, filepath.Join(folder, "quant.json")) {
		path := modelPath(folder, tag)
		if path == "" {
			continue
		}
		model := openModel(t, path)
		for name := range tensors {
			w, _ := model.Tensor(name)
			importance := importanceOf(t, matrix, name, strings.HasSuffix(tag, "-imatrix"))
			x := decodeTensor(t, original, name)
			ours := encodeDecode(t, w.Type, x, importance)
			got, want := relativeError(x, ours, importance), relativeError(x, decodeTensor(t, model, name), importance)
			if !(got <= worstRatio*want) {
				t.Errorf("%s %s (%s): error %.6g, llama-quantize has %.6g (ratio %.4f)", tag, name, w.Type, got, want, got/want)
			}
			if name == "blk.0.ffn_up.weight" {
				t.Logf("%-18s %-8s error %.5f, ratio %.4f", tag, w.Type, got, got/want)
			}
			count++
		}
	}
	if count < 300 {
		t.Errorf("only %d tensors were compared", count)
	}
}

func encodeDecode(t *testing.T, typ quant.Type, x, importance []float32) []float32 {
	t.Helper()
	packed, back := make([]byte, typ.RowBytes(len(x))), make([]float32, len(x))
	if err := quant.EncodeWeighted(typ, packed, x, importance); err != nil {
		t.Fatal(err)
	}
	quant.Decode(typ, back, packed)
	return back
}

// importanceOf reads mean squares from sums and counts; nil where none are wanted.
func importanceOf(t *testing.T, matrix *gguf.File, name string, wanted bool) []float32 {
	t.Helper()
	if !wanted {
		return nil
	}
	sums, count := decodeTensor(t, matrix, name+".in_sum2"), decodeTensor(t, matrix, name+".counts")
	for i := range sums {
		sums[i] /= count[0]
	}
	return sums
}

// relativeError is the RMS of the differences over that of x, each column weighted by importance.
func relativeError(x, y, importance []float32) float64 {
	var e2, x2 float64
	for i := range x {
		w, e := 1.0, float64(y[i]-x[i])
		if importance != nil {
			w = float64(importance[i%len(importance)])
		}
		e2, x2 = e2+w*e*e, x2+w*float64(x[i])*float64(x[i])
	}
	return math.Sqrt(e2 / x2)
}
