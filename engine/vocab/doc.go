// Package vocab turns text into tokens and tokens into text, with the vocabulary that a GGUF file carries.
//
// New reads a Vocab from the keys tokenizer.ggml.*. Vocab.Encode makes tokens of a text, Vocab.Decode and Vocab.Piece make
// text of tokens, and a Stream does so while they are being generated, without ever cutting a character in two. The special
// tokens are in Specials, and Vocab.IsEOG tells which end generation.
//
// # Tokenizers
//
// The key tokenizer.ggml.model says which one a vocabulary is for:
//
//   - "gpt2", byte-level byte-pair encoding, with each of the 93 ways of splitting text into words that tokenizer.ggml.pre can
//     name; and its relatives "gemma4", "whitespace" and "hybriddna"
//   - "llama", SentencePiece's byte-pair encoding, with byte tokens for what has no entry
//   - "bert", WordPiece
//   - "t5", SentencePiece's unigram model, with its precompiled map of characters
//   - "rwkv", the longest entry first; "plamo2", the entries of the greatest score
//
// Another is refused by name, and so is an unknown tokenizer.ggml.pre: to guess would give tokens that the model was not
// trained on. A file without a vocabulary on purpose is ErrNoVocab.
//
// # What it agrees with
//
// Tokens, pieces, special tokens and their kinds are those of llama.cpp v0.7.0, also where it departs from the tokenizer that
// a model was trained with, since that is what everybody runs these files with. The differences are deliberate:
//
//   - After a user-defined token no space is put before the text (llama.cpp treats it like a control token).
//   - Decode does not remove spaces before punctuation (clean_up_tokenization_spaces), so it is the reverse of Encode.
//   - A character that is no spelling of a byte stands for itself in a byte-level vocabulary's pieces.
//   - A character that a SentencePiece vocabulary has neither an entry nor all byte tokens for is the unknown token, where
//     llama.cpp throws.
//   - Where a byte-level vocabulary asks for Unicode's normal form C (tokenizer.ggml.normalizer.nfc), as Qwen's do, text gets
//     it; llama.cpp does not look at the key.
//   - In a unigram vocabulary the normalizer leaves user-defined tokens alone; llama.cpp also leaves text alone that only begins
//     like one.
//   - In PLaMo's, an entry whose score is as low as that of padding (-1000) is none; llama.cpp takes it for an unknown character.
//   - Of several tokens that could be the end of a turn, the first in a fixed list is EOT, where llama.cpp takes the one that
//     comes first in its hash table.
//
// # Text from strangers
//
// With EncodeOptions.ParseSpecial, text that contains the spelling of a control token is that token. Encode what a stranger
// wrote without it. Bytes that are not UTF-8 are accepted everywhere.
//
// # Memory and time
//
// A Vocab holds its own copy of everything, does not change, and can be used by several goroutines at once. What Piece
// returns belongs to it and must not be written to. Encoding takes time proportional to n log n of the longest word in
// the worst case, and otherwise to the length of the text.
package vocab
