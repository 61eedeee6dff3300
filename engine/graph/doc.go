// Package graph describes a model's forward pass as a list of ops on rows.
//
// An architecture records its ops once, on a Builder, when the model is loaded. Every intermediate value is a Tensor:
// one row of Width float32 values for each token of a batch, whatever the batch's size. There is no batch dimension
// in the graph, so one graph serves a prompt chunk of 512 tokens, a single token, and sixteen sequences together, and
// no op can make a row depend on its neighbours by accident. The only ops that look at other rows are those that say
// so: Attention reads the pages of its own sequence.
//
// The types that matter:
//
//   - Builder records ops; its methods are the words of the papers (RMSNorm, Linear, RoPE, Attention, GLU).
//   - Tensor is an intermediate value; View names a range of its columns.
//   - Weight is a matrix as the file stores it, in any block type; it is never copied.
//   - Graph is the finished list; Plan gives every tensor its place in one arena, so that a device allocates once.
//
// A row is contiguous. Where several heads share it, head h has the columns [h*D, (h+1)*D). Weight matrices have GGUF's
// shape [in, out]: out rows of in values.
package graph
