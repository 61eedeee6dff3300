// Package quant is the table of GGUF's tensor types and the conversion of their blocks from and to float32.
//
// A tensor's elements are stored row after row, and a row as whole blocks of BlockSize elements, BlockBytes bytes
// each. Plain numbers are blocks of one element. The other types fall into families:
//
//   - Q4_0 and its like: one half-precision scale (and, for _1, a minimum) for 32 small integers;
//   - K types: superblocks of 256 elements, whose 8 or 16 sub-blocks have quantised scales of their own;
//   - IQ types: small vectors from a codebook with signs beside them, or (IQ4) a table of 16 unequal steps;
//   - TQ types: ternary numbers, five to a byte or four to a byte;
//   - MXFP4 and NVFP4: 4-bit floats under a shared 8-bit scale;
//   - Q8_1 and Q8_K: what llama.cpp turns activations into; no model file needs them.
//
// Each family's file draws its layout. Type is the main type: it says how large things are. Decode and Encode
// convert rows, or any run of whole blocks. All layouts are those of ggml v0.27.0 (llama.cpp v0.7.0), little-endian,
// and decoding gives its reference decoder's values bit for bit: every product and sum rounded to float32 on its own,
// never fused. (Go may fuse a product with a sum on some machines, across statements too; the conversions to float32
// that look needless in this package forbid it.)
//
// Encoding searches: the scale of a block is tried at many values and the one that leaves the least error is kept, with
// errors weighted by the importance of columns where it is known (EncodeWeighted). trial.go tells how, fit.go, codebook.go
// and grid_search.go carry it out. The bytes are the same on every machine, whatever instructions it has.
//
// # Caveats
//
// Sizes are the caller's duty: a reader of files checks Type.Valid and that a row is whole blocks before it asks for
// RowBytes, which panics on anything else. Content never panics. Any bytes decode to something: NaN and infinities
// come out where a stored scale is one, and FP4's unused scale codes decode as they do in ggml.
//
// Nothing is kept: dst and src belong to the caller and may not overlap. All functions may be called from several
// goroutines at once.
package quant

//go:generate sh _gen/generate.sh
