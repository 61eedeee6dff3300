// Package hf reads model folders as Hugging Face lays them out, and makes GGUF files of the same models.
//
//   - [Open] reads a [Folder]: config.json, and the headers of the checkpoint's files.
//   - [Folder.Convert] plans a [Conversion]: tensors and hyper-parameters by the rules of the model's [Family].
//   - [Folder.Vocabulary] makes the tokenizer.* keys from tokenizer.json or tokenizer.model.
//   - [Folder.Card] makes the general.* keys from the model card and the folder's name.
//   - [Conversion.Write] streams the tensors into the file, about a megabyte at a time.
//
// Names, key spellings and defaults follow llama.cpp's converter (v0.7.0), so that its programs read the files. A model
// whose class no family names, and a tensor that no rule names, are errors: a file that lacks a weight is worth nothing.
//
// A new model needs a family: a file family_NAME.go with a table from the checkpoint's tensor names to GGUF's, and a function
// that writes the hyper-parameters. family_qwen.go is a short example.
//
// A folder comes from a stranger. JSON files of more than 256 MB are refused, vocabularies may not have many more numbers than
// tokens, and layers and experts are counted in the checkpoint, so that memory is bounded by what the folder holds. The
// checkpoint is mapped: see package safetensors for how long its bytes stay valid.
package hf
