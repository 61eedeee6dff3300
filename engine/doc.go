// Package engine opens GGUF models and generates text with them.
//
//	m, err := engine.Open(ctx, "model.gguf", engine.Options{})
//	if err != nil { ... }
//	defer m.Close()
//	request := engine.Request{
//		Messages: []chat.Message{{Role: "user", Content: "What is GGUF?"}},
//		Sampling: m.DefaultSampling(),
//	}
//	for event, err := range m.Generate(ctx, request) {
//		if err != nil { ... }
//		fmt.Print(event.Text)
//	}
//
// A Model holds the mapped file, the compiled forward pass, the key-value cache and a scheduler. Its methods may be called
// from any goroutine; requests that run at the same time share batches and cached prefixes. The same request with the same
// seed gives the same tokens, whatever else runs and however many threads there are.
//
// Closing a model ends its requests with an error. Nothing that a Model returned, but copies such as Event, may be used
// after Close: logits, weights and the vocabulary alias its memory.
package engine
