package gguf

import (
	"context"

	"github.com/llamakit/llamakit/formats/gguf"
)

// pieceElements is about how many elements are decoded at a time: they stay in the processor's cache.
const pieceElements = 64 << 10

// eachPiece hands the data of a tensor to do, some whole blocks at a time; first is the number of their first element.
func eachPiece(ctx context.Context, t *gguf.Tensor, data []byte, do func(first int, blocks []byte)) error {
	step := max(1, pieceElements/t.Type.BlockSize())
	for block := 0; len(data) > 0; block += step {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		n := min(len(data), step*t.Type.BlockBytes())
		do(block*t.Type.BlockSize(), data[:n])
		data = data[n:]
	}
	return nil
}
