package hf

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/llamakit/llamakit/formats/gguf"
)

// apart is a file whose experts have gate and up apart, as converters write them; llama.cpp's random models may have both in one.
func apart(t *testing.T, f *gguf.File) *gguf.File {
	t.Helper()
	var list []gguf.TensorInfo
	var data [][]byte
	fused := false
	for i := range f.Tensors {
		x := &f.Tensors[i]
		rest, ok := strings.CutSuffix(x.Name, "gate_up_exps.weight")
		if !ok {
			list, data = append(list, infoOf(x)), append(data, f.Bytes(x))
			continue
		}
		fused = true
		half := len(f.Bytes(x)) / x.Shape[2] / 2
		for k, name := range []string{"gate_exps.weight", "up_exps.weight"} {
			var one []byte
			for e := range x.Shape[2] {
				one = append(one, f.Bytes(x)[(2*e+k)*half:][:half]...)
			}
			list, data = append(list, gguf.TensorInfo{Name: rest + name, Type: x.Type, Shape: []int{x.Shape[0], x.Shape[1] / 2, x.Shape[2]}}), append(data, one)
		}
	}
	if !fused {
		return f
	}
	var b bytes.Buffer
	writeTensors(t, &b, f.Metadata, list, data)
	out, err := gguf.Parse(f.Paths()[0], b.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func writeTensors(t *testing.T, b *bytes.Buffer, md *gguf.Metadata, list []gguf.TensorInfo, data [][]byte) {
	t.Helper()
	w, err := gguf.NewWriter(b, md, list)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range data {
		if err := w.WriteTensor(d); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
}

// keepBoth writes the converted file into a folder, and into its folder "want" the model that llama.cpp wrote with those tensors
// only that the converted one has too, so that both must give the same logits. What the converter writes by rule and the random
// model has otherwise is as in the model.
func keepBoth(t *testing.T, dir string, c *Conversion, f *gguf.File) {
	var list []gguf.TensorInfo
	var data [][]byte
	for i := range f.Tensors {
		for _, x := range c.Tensors {
			if x.Name == f.Tensors[i].Name {
				list, data = append(list, infoOf(&f.Tensors[i])), append(data, f.Bytes(&f.Tensors[i]))
			}
		}
	}
	for _, key := range f.Metadata.Keys() {
		if v, ok := f.Metadata.Get(key); ok && otherHparams.MatchString(key) {
			c.Metadata.Set(key, v)
		}
	}
	var b bytes.Buffer
	writeTensors(t, &b, f.Metadata, list, data)
	name := filepath.Base(f.Paths()[0])
	if err := c.Write(t.Context(), filepath.Join(dir, name), nil); err != nil {
		t.Error(err)
	}
	if err := os.MkdirAll(filepath.Join(dir, "want"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "want", name), b.Bytes(), 0o644); err != nil {
		t.Error(err)
	}
}

func infoOf(x *gguf.Tensor) gguf.TensorInfo {
	return gguf.TensorInfo{Name: x.Name, Type: x.Type, Shape: x.Shape}
}
