// Package demo holds a small chat model, so that a binary that imports it works without any file.
//
// The model is a toy of 5.8 million parameters that knows short answers about language-model tools, stories and small
// skills. demo.gguf was made by this project's converter:
//
//	llama-convert DIR --outtype q8_0 --outfile engine/demo/demo.gguf
//
// Weights, tokenizer and template are dedicated to the public domain (CC0 1.0).
package demo

import _ "embed"

//go:embed demo.gguf
var model []byte

// Name is what the model is called in messages.
const Name = "demo (embedded)"

// Model returns the GGUF file. It must not be changed.
func Model() []byte { return model }
