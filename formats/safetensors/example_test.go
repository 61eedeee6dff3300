package safetensors_test

import (
	"bytes"
	"fmt"
	"log"

	"github.com/llamakit/llamakit/formats/safetensors"
)

func ExampleOpen() {
	f, err := safetensors.Open("testdata/sharded") // a folder with an index and two files
	if err != nil {
		log.Fatal(err)
	}
	defer f.Close()
	for _, t := range f.Tensors() {
		values := make([]float32, t.Elements())
		if err := f.Floats(&t, values); err != nil {
			log.Fatal(err)
		}
		fmt.Println(t.Name, t.DType, t.Shape, values)
	}
	// Output:
	// embed.weight BF16 [2 2] [1 2 3 4]
	// norm.weight F32 [2] [0.5 1]
}

func ExampleWrite() {
	var b bytes.Buffer
	err := safetensors.Write(&b, []safetensors.TensorData{
		{Name: "norm.weight", DType: safetensors.F32, Shape: []int{1}, Data: []byte{0, 0, 128, 63}},
	}, map[string]string{"format": "pt"})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%q\n", b.String()[8:])
	// Output: "{\"__metadata__\":{\"format\":\"pt\"},\"norm.weight\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0,4]}} \x00\x00\x80?"
}
