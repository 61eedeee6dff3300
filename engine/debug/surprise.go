package debug

import (
	"context"
	"slices"
	"sync"

	"github.com/llamakit/llamakit/engine/sample"
)

// Surprise measures the tokens of a run's prompt: how likely each was after those before it, and what n candidates the model
// would have liked better. The first has nothing before it. It computes the prompt once more.
func (s *Session) Surprise(ctx context.Context, run *Run, n int) error {
	tokens := ids(run.Prompt)
	measured := make([]sample.TokenProbs, len(tokens))
	buffers := sync.Pool{New: func() any { return new(sample.Measure) }}
	err := s.model.VisitLogits(ctx, tokens, 0, func(pos int, logits []float32) {
		if pos+1 == len(tokens) {
			return
		}
		m := buffers.Get().(*sample.Measure)
		measured[pos+1] = m.Logits(s.words(logits), tokens[pos+1], n)
		buffers.Put(m)
	})
	if err != nil {
		return err
	}
	run.Prompt = slices.Clone(run.Prompt) // who watches the run may be reading it
	for i := 1; i < len(tokens); i++ {
		t, p := &run.Prompt[i], measured[i]
		t.Logprob, t.Rank, t.Candidates = finite(p.Logprob), p.Rank, nil
		for _, c := range p.Top {
			t.Candidates = append(t.Candidates, Candidate{ID: c.Token, Text: s.token(c.Token).Text, P: exp(c.Logprob)})
		}
	}
	return nil
}

// words are the logits of tokens; rows of the output matrix beyond the vocabulary are padding.
func (s *Session) words(logits []float32) []float32 {
	return logits[:min(len(logits), s.model.Vocab().Size())]
}
