// Package serve answers HTTP requests with a model: the APIs of OpenAI (chat completions, completions, responses,
// embeddings), of Anthropic (messages), and llama.cpp's own, with its metrics, slots and properties.
//
//	s := serve.New(serve.Options{Model: "demo"})
//	go s.Load(func() (*engine.Model, error) { return engine.Open(ctx, path, engine.Options{}) })
//	err := s.Run(ctx) // until ctx ends
//
// A Server is an http.Handler, Run gives it addresses. Requests are read by an object, which names the field and the type
// that was expected, become jobs, one an answer, and run on the engine; an endpoint turns a job's events into the JSON of its
// API. The jobs that are open are in a ledger: it bounds the queue, gives out the numbers of slots, and is what /slots, the
// metrics and a dashboard look at.
//
// # What strangers can do
//
// Bodies, queues and the number of prompts in a request are bounded. A page of a foreign origin, or a name that was
// pointed at this machine, is refused (guard.go). Without a key only loopback addresses are bound, unless NoAuth says so.
// Prompts are shown by no endpoint but to who sent them, and logged only when asked for.
package serve
