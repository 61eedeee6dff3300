// Package safetensors reads and writes safetensors, the format of model weights on Hugging Face: a header in JSON that
// gives each tensor its type, shape and place, then the data.
//
//	size     u64, the bytes of the header
//	header   {"__metadata__": {"format": "pt"}, "name": {"dtype": "F16", "shape": [2, 3], "data_offsets": [0, 12]}, ...}
//	data     offsets count from its beginning; all numbers are little-endian
//
// [Open] maps one file, or all files of a model: a folder, or the index `model.safetensors.index.json` that says which
// file holds which tensor. [File.Tensors] lists them, [File.Bytes] gives the data and [File.Floats] decodes it. [Write]
// makes small files, for tests.
//
// # Lifetime
//
// The bytes of a tensor are the mapped file itself. They must not be written to, and they are gone after [File.Close]:
// touching a slice of them then ends the process. The same happens when another program cuts the file short while it is
// mapped.
//
// # What is refused
//
// Every size is compared with the bytes that are there before it is believed. Errors are one line with the file, the byte
// offset and the tensor, and are [ErrCorrupt], [ErrUnsupported] or [ErrNotFound]. The rules are those of the reference
// implementation: a header of at most 100 MB, valid UTF-8, no name twice, data without gaps or overlap that ends with
// the file. These cases differ:
//
//   - Two tensors of the same type and shape may be the same bytes, as tied embeddings are; [Tensor.SharesWith] tells.
//   - A tensor that two files of a model hold is read once if both are equal, else it is corrupt.
//   - More than 100,000 tensors in a file, 262,144 in an index, and 32 dimensions are unsupported.
//   - Fields of an entry that are not known are skipped.
package safetensors
