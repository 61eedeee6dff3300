package gguf_test

import (
	"encoding/binary"
	"fmt"
	"log"
	"math"
	"os"
	"path/filepath"

	"github.com/llamakit/llamakit/formats/gguf"
	"github.com/llamakit/llamakit/formats/quant"
)

func ExampleOpen() {
	f, err := gguf.Open("testdata/tiny.gguf")
	if err != nil {
		log.Fatal(err)
	}
	defer f.Close()

	r := f.Metadata.Reader("llama") // keeps the first mistake
	layers, eps := r.IntIn("block_count", 1, 1024), r.Float("attention.layer_norm_rms_epsilon")
	if err := r.Err(); err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%d layer, epsilon %.0e\n", layers, eps)
	for _, t := range f.Tensors {
		fmt.Println(gguf.Printable(t.Name), t.Type, t.Shape, len(f.Bytes(&t)))
	}
	// Output:
	// 1 layer, epsilon 1e-05
	// token_embd.weight f32 [2 3] 24
	// output_norm.weight f32 [2] 8
}

func ExampleCreate() {
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)

	md := gguf.NewMetadata()
	md.Set("general.architecture", gguf.String("llama"))
	md.Set("llama.block_count", gguf.Uint32(1))
	tensors := []gguf.TensorInfo{{Name: "output_norm.weight", Type: quant.F32, Shape: []int{2}}}

	path := filepath.Join(dir, "norm.gguf")
	w, err := gguf.Create(path, md, tensors)
	if err != nil {
		log.Fatal(err)
	}
	defer w.Abort() // does nothing after Commit
	data := binary.LittleEndian.AppendUint32(nil, math.Float32bits(1))
	data = binary.LittleEndian.AppendUint32(data, math.Float32bits(2))
	if err := w.WriteTensor(data); err != nil {
		log.Fatal(err)
	}
	if err := w.Commit(); err != nil {
		log.Fatal(err)
	}

	f, err := gguf.Open(path)
	if err != nil {
		log.Fatal(err)
	}
	defer f.Close()
	t, _ := f.Tensor("output_norm.weight")
	fmt.Println(t.Type, t.Shape, f.Bytes(t))
	// Output: f32 [2] [0 0 128 63 0 0 0 64]
}
