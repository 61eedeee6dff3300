// Package logprobs reads and writes the files that hold what a model thinks of a text: the log-probabilities of all tokens
// at the scored positions, 16 bits each. llama.cpp writes them with --kl-divergence-base, and other models are compared
// with them.
//
//	header   "_logits_", context u32, vocabulary i32, chunks i32
//	tokens   the text: context × chunks of i32
//	rows     chunk by chunk, one for each position from context/2 to context-2: what is said there of the next token
//
//	row      scale f32, minimum f32, a code u16 for each token of the vocabulary, and one more where that number is odd
//
// All is little-endian. The log-probability of a token is scale × code + minimum; what is more than 16 below the most likely
// token has code 0.
//
// Open reads the header and checks it against the size of the file; File.ReadChunk reads the rows of a chunk. Create makes a
// file that appears under its name when all chunks are written.
package logprobs
