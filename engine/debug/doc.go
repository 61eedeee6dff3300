// Package debug runs prompts and keeps everything that can be known about how their answers came about. It has no screen:
// the terminal's view and the command are built on it.
//
//	s, err := debug.New(model, "model.gguf", "v1.0")
//	in := debug.NewInput(model.DefaultSampling())
//	in.Prompt = "The capital of France is"
//	run, err := s.Run(ctx, in, debug.Options{Candidates: 5}, nil)
//
// An Input is what people edit: messages or a prompt, tools, the template, samplers, a grammar. Session.Render shows what the
// model will see. Session.Run answers it; the Run tells of every token its probability and rank, the candidates beside it, which
// sampler removed each, and why the answer ended. Session.Branch goes on from another candidate. Session.Surprise measures the
// prompt itself, Compare finds where two runs part, and Diverge how far two models are apart along a text.
//
// A Run is also a file: Write and Read keep it as JSON, and Session.Replay makes it again and says what is different. The file
// has no times and no state of a cache in it, so the same run gives the same bytes.
//
// Package debug/assert asks questions about runs that are true or false.
package debug
