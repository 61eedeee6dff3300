// Package kernel holds the inner loops of the CPU backend: matrix products with weights of every ggml type, and the
// vector operations between them.
//
// # What is here
//
//   - [MatMulFor] gives the matrix product for one weight type as a [MatMul]: how an activation row is prepared, and the
//     product of weight rows with prepared activations. F32, F16 and BF16 weights are multiplied in float32,
//     BF16 where the processor can with activations rounded to BF16; quantised types in integers where a kernel exists, and
//     otherwise decoded to float32 on the way.
//   - [AccumulateFor] gives the weighted sum of rows that ends attention. [MulFixed] and what is around it are both products of attention
//     in 16-bit fixed point.
//   - [RMSNorm], [SiLUMul], [Softmax], [RopeNeox] and the rest work on float32 rows.
//   - [Active] and [Use] say and choose which body runs: portable Go, AVX2, or AVX-512.
//
// # Promises
//
// Functions are pure: no goroutines, no locks, no state beyond pooled scratch memory, and no allocation once that is warm.
// They keep no reference to their arguments. Rows that an operation reads and writes may be the same slice, but not
// overlap otherwise. Lengths are the caller's business and are checked once a call, with a panic that names both.
//
// The arithmetic of one output never depends on how many others are computed with it: a matrix product gives the same
// bits for one activation row and for five hundred, for one weight row and for all. Bits may differ between tiers, and with
// BF16 weights between processors with and without AVX512_BF16, within the bounds that the tests state.
//
// # Where things are
//
// One operation or family has one file stem. The plain file has the contract and the generic Go body, which is the
// specification: the assembly is tested against it. Assembly is written by the programs in _gen, which go generate runs;
// they form a module of their own, so that the assembler stays out of this module's requirements. ops.go lists what a
// tier must provide, ops_amd64.go the two tiers of amd64; another architecture adds a file like it.
package kernel

//go:generate sh _gen/generate.sh
