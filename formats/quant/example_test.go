package quant_test

import (
	"fmt"

	"github.com/llamakit/llamakit/formats/quant"
)

// Write a row as Q8_0 and read it back.
func Example() {
	row := make([]float32, 64)
	for i := range row {
		row[i] = float32(i) / 10
	}
	t, err := quant.ParseType("Q8_0")
	if err != nil {
		fmt.Println(err)
		return
	}
	packed := make([]byte, t.RowBytes(len(row)))
	if err := quant.Encode(t, packed, row); err != nil {
		fmt.Println(err)
		return
	}
	back := make([]float32, len(row))
	quant.Decode(t, back, packed)
	fmt.Printf("%s: %d values in %d bytes, %.1f came back as %.3f\n", t, len(row), len(packed), row[40], back[40])
	// Output: q8_0: 64 values in 68 bytes, 4.0 came back as 4.017
}
