package vocab_test

import (
	"fmt"

	"github.com/llamakit/llamakit/engine/vocab"
	"github.com/llamakit/llamakit/formats/gguf"
)

// A vocabulary is read from the keys of a GGUF file, gguf.Open(path) and then vocab.New(file.Metadata). This one is small
// enough to write down.
func Example() {
	md := gguf.NewMetadata()
	md.Set("tokenizer.ggml.model", gguf.String("gpt2"))
	md.Set("tokenizer.ggml.pre", gguf.String("qwen2"))
	md.Set("tokenizer.ggml.tokens", gguf.Strings([]string{"h", "i", "!", "Ġ", "hi", "Ġhi", "<|im_end|>"}))
	md.Set("tokenizer.ggml.token_type", gguf.Int32s([]int32{1, 1, 1, 1, 1, 1, 3}))
	md.Set("tokenizer.ggml.merges", gguf.Strings([]string{"h i", "Ġ hi"}))

	v, err := vocab.New(md)
	if err != nil {
		fmt.Println(err)
		return
	}
	tokens := v.Encode("hi hi!<|im_end|>", vocab.EncodeOptions{ParseSpecial: true})
	for _, t := range tokens {
		fmt.Printf("%d %q %v\n", t, v.Piece(t, true), v.IsEOG(t))
	}
	fmt.Println(v.Decode(tokens, false))
	// Output:
	// 4 "hi" false
	// 5 " hi" false
	// 2 "!" false
	// 6 "<|im_end|>" true
	// hi hi!
}

// A Stream holds a character back until all its bytes are there.
func ExampleStream() {
	md := gguf.NewMetadata()
	md.Set("tokenizer.ggml.model", gguf.String("llama"))
	md.Set("tokenizer.ggml.tokens", gguf.Strings([]string{"<unk>", "<s>", "</s>", "▁ok", "<0xC3>", "<0xA9>"}))
	md.Set("tokenizer.ggml.token_type", gguf.Int32s([]int32{2, 3, 3, 1, 6, 6}))

	v, err := vocab.New(md)
	if err != nil {
		fmt.Println(err)
		return
	}
	s := v.NewStream(false)
	for _, t := range []vocab.Token{3, 4, 5, 4} {
		fmt.Printf("%q ", s.Push(t))
	}
	fmt.Printf("%q\n", s.Flush())
	// Output: " ok" "" "é" "" "�"
}
