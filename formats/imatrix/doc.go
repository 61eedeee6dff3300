// Package imatrix reads and writes importance matrices: for each weight matrix of a model, how large the activations
// were that its columns met on some text. Quantisation keeps the columns exact that matter most.
//
// A Matrix holds one Entry for each tensor, by the tensor's name. An entry keeps sums, not means, so that matrices of
// different texts can be added; Means is what quant.EncodeWeighted wants. Tensors of a mixture of experts have one count
// and one run of columns for each expert.
//
// There are two formats. The one that llama-imatrix writes now is a GGUF file whose tensors are NAME.in_sum2 (sums of
// squares), NAME.counts, and since llama.cpp v0.7.0 NAME.in_sum (plain sums) and NAME.stats. The older one (.dat) is a
// list of names and means times a number of chunks. Open tells them apart by the first bytes.
//
// Statistics says of each tensor what its columns met, and how that differs from the layer before; Describe puts it into
// the file. A matrix that is still being made has a Progress.
//
// What Open returns is independent of the file, and belongs to the caller.
package imatrix
