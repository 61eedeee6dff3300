// Package probe finds out what is in GGUF files, one alone or two compared: keys and tensors as lists that are filtered
// and sorted, how values are distributed, how large the scales of blocks are and where, the chat template on a sample
// conversation, the entries of a vocabulary.
//
// It draws nothing: the view of package inspect and the commands of llama-gguf show the same findings. What reads data of
// tensors takes a context, reads a piece at a time, and reads no more rows than it is told to. Names and texts are those
// of the file: gguf.Printable makes them harmless.
package probe
