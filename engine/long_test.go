package engine_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/llamakit/llamakit/engine"
	"github.com/llamakit/llamakit/engine/vocab"
)

// TestLongText: a text that cannot fit is refused without being encoded, and never one that could.
func TestLongText(t *testing.T) {
	m := open(t, engine.Options{Context: 64, Sequences: 1})
	for _, text := range []string{" ", "e\u0301", "\u1112\u1161\u11ab", "the ", "\n", "====", "word word\t", "🦙", "<|im_end|>", "\x00"} {
		long := strings.Repeat(text, 3000)
		if least, n := m.Vocab().AtLeast(long), len(m.Vocab().Encode(long, vocab.EncodeOptions{ParseSpecial: true})); least > n {
			t.Errorf("%q: %d tokens, and at least %d", text, n, least)
		}
	}
	var long *engine.TooLong
	_, err := m.Prepare(engine.Request{Prompt: strings.Repeat("many words ", 3<<20)})
	if !errors.As(err, &long) || !long.More || long.Tokens <= 64 || !strings.Contains(err.Error(), "more than") {
		t.Errorf("33 MB: %v", err)
	}
	text := strings.Repeat("many words ", 30000) // 330 KB: the client is told how many tokens there are
	n := len(m.Vocab().Encode(text, vocab.EncodeOptions{AddSpecial: true, ParseSpecial: true}))
	if _, err = m.Prepare(engine.Request{Prompt: text}); !errors.As(err, &long) || long.More || long.Tokens != n {
		t.Errorf("330 KB: %v, want %d tokens", err, n)
	}
}
