package gguf

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/llamakit/llamakit/formats/gguf"
	"github.com/llamakit/llamakit/formats/quant"
)

func TestDiff(t *testing.T) {
	dir := t.TempDir()
	long := strings.Repeat("the same words, ", 10)
	odd := float32(nan())
	a := store(t, filepath.Join(dir, "a.gguf"), []any{
		"general.architecture", gguf.String("x"), "same", gguf.Uint32(1), "number", gguf.Uint32(1), "gone", gguf.Bool(true),
		"text", gguf.String(long + "one"), "list", gguf.Strings([]string{"a", "b", "c"}), "split.count", gguf.Uint16(0),
	}, tensor{"same", quant.F32, []int{2}, floats(1, odd)}, tensor{"type", quant.F32, []int{32}, floats(slice(32, 1)...)},
		tensor{"shape", quant.F32, []int{4}, nil}, tensor{"values", quant.F32, []int{2, 2}, floats(3, 4, 0, 0)}, tensor{"gone", quant.F32, []int{1}, nil})
	b := store(t, filepath.Join(dir, "b.gguf"), []any{
		"general.architecture", gguf.String("x"), "same", gguf.Uint32(1), "number", gguf.Int32(1),
		"text", gguf.String(long + "two"), "list", gguf.Strings([]string{"a", "x", "c", "d"}), "new", gguf.Float32(1.5),
	}, tensor{"values", quant.F32, []int{2, 2}, floats(3, 4, 0, 0.5)}, tensor{"type", quant.Q8_0, []int{32}, q8(t, slice(32, 1))},
		tensor{"same", quant.F32, []int{2}, floats(1, odd)}, tensor{"shape", quant.F32, []int{2, 2}, nil}, tensor{"new", quant.F16, []int{1}, nil})

	got := exec(t, "diff", "--values", a, b)
	for _, row := range []string{
		"number u32 1 i32 1", "gone bool true -", "text str …same words, one str …same words, two", "list arr[str,3] [1] = b arr[str,4] [1] = x", "new - f32 1.5",
		"type f32 32 q8_0 32", "shape f32 4 f32 2x2 - -", "values f32 2x2 f32 2x2 0.5 0.1", "gone f32 1 - - -", "new - f16 1 - -",
	} {
		if !strings.Contains(squeeze(got.out), row) {
			t.Errorf("no row %q in\n%s", row, got.out)
		}
	}
	if want := "differ in 5 of 7 keys and 5 of 6 tensors"; got.code != 1 || !strings.Contains(got.err, want) || strings.Contains(got.out, "same ") && !strings.Contains(got.out, "same words") {
		t.Errorf("code %d, %s\n%s", got.code, got.err, got.out)
	}
	var d struct {
		Keys    []struct{ A, B *jsonKey }
		Tensors []struct {
			RMS *float64 `json:"rel_rms"`
		}
	}
	got = exec(t, "diff", "--json", "--values", a, b)
	if err := json.Unmarshal([]byte(got.out), &d); err != nil {
		t.Fatal(err)
	}
	if len(d.Keys) != 5 || len(d.Tensors) != 5 || d.Keys[1].B != nil || *d.Tensors[2].RMS != 0.1 || d.Tensors[1].RMS != nil {
		t.Errorf("%s", got.out)
	}
	for _, args := range [][]string{{"diff", a, a}, {"diff", "--values", a, a}} {
		if got := exec(t, args...); got.code != 0 || got.out != "" {
			t.Errorf("%q: %+v", args, got)
		}
	}
}

func slice(n int, v float32) []float32 {
	out := make([]float32, n)
	for i := range out {
		out[i] = v
	}
	return out
}

func q8(t testing.TB, values []float32) []byte {
	t.Helper()
	b := make([]byte, quant.Q8_0.RowBytes(len(values)))
	if err := quant.Encode(quant.Q8_0, b, values); err != nil {
		t.Fatal(err)
	}
	return b
}

// TestCompareNotFinite pins that a NaN on one side is never a small difference.
func TestCompareNotFinite(t *testing.T) {
	dir := t.TempDir()
	d := &diff{}
	for path, f := range map[string]**gguf.File{
		store(t, filepath.Join(dir, "a.gguf"), nil, tensor{"x", quant.F32, []int{2}, floats(1, 2)}):              &d.a,
		store(t, filepath.Join(dir, "b.gguf"), nil, tensor{"x", quant.F32, []int{2}, floats(1, float32(nan()))}): &d.b,
	} {
		var err error
		if *f, err = gguf.Open(path); err != nil {
			t.Fatal(err)
		}
		defer (*f).Close()
	}
	v, err := d.compare(t.Context(), &d.a.Tensors[0], &d.b.Tensors[0])
	if err != nil || v.Equal || v.MaxAbs == v.MaxAbs {
		t.Errorf("%+v, %v", v, err)
	}
	if text, err := json.Marshal(v); err != nil || !strings.Contains(string(text), `"NaN"`) {
		t.Errorf("%s, %v", text, err)
	}
}
