// Package hf reads model folders as Hugging Face lays them out, and says what a GGUF file of the same model holds.
//
//   - [Open] reads a folder: config.json, the tokenizer's files, the checkpoint's tensors.
//   - [Folder.Vocabulary] makes the tokenizer.ggml.* keys from tokenizer.json or tokenizer.model.
//   - [Folder.Card] makes the general.* keys from the folder's name and its README.md.
//   - [Plan] maps tensors and hyper-parameters by the rules of the model's [Family].
//   - [Plan.Write] streams the tensors into a GGUF file.
//
// Names, key spellings and defaults follow llama.cpp's converter (v0.7.0), so that its programs read the files. A model
// whose class no family names, and a tensor that no rule names, are errors: a file that lacks a weight is worth nothing.
package hf
