package gguf

import (
	"errors"
	"testing"

	"github.com/llamakit/llamakit/formats/quant"
)

func TestHeaderOnly(t *testing.T) {
	md, tensors, _ := sample()
	f, err := HeaderOnly(md, tensors)
	if err != nil {
		t.Fatal(err)
	}
	whole, err := Parse("m", sampleBytes(t))
	if err != nil {
		t.Fatal(err)
	}
	again, err := whole.WithoutData()
	if err != nil {
		t.Fatal(err)
	}
	for i := range whole.Tensors {
		want := &whole.Tensors[i]
		for _, f := range []*File{f, again} {
			got, ok := f.Tensor(want.Name)
			if !ok || got.Size != want.Size || got.Type != want.Type || got.Elements() != want.Elements() || f.Bytes(got) != nil {
				t.Errorf("%s: %+v, want %+v", want.Name, got, want)
			}
		}
	}
	if err := f.Close(); err != nil {
		t.Error(err)
	}
	twice := TensorInfo{Name: "x", Type: quant.F32, Shape: []int{1}}
	if _, err := HeaderOnly(md, []TensorInfo{twice, twice}); !errors.Is(err, ErrCorrupt) {
		t.Errorf("the same name twice: %v", err)
	}
}
