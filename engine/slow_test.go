package engine_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/llamakit/llamakit/engine"
)

// TestSlowReader: what a reader does not take is not generated beyond a bound, others use the slot meanwhile, and the answer is the same.
func TestSlowReader(t *testing.T) {
	m := open(t, engine.Options{Context: 128, Sequences: 1})
	request := engine.Request{Prompt: "Once", MaxTokens: 1300, IgnoreEOG: true, ContextShift: true}
	request.Sampling.Temperature = 0
	var quick, slow []engine.Token
	for e, err := range m.Generate(context.Background(), request) {
		if err != nil {
			t.Fatal(err)
		}
		quick = append(quick, e.Tokens...)
	}
	before := m.Stats().Generated
	for e, err := range m.Generate(context.Background(), request) {
		if err != nil {
			t.Fatal(err)
		}
		if slow = append(slow, e.Tokens...); len(slow) != 1 {
			continue
		}
		for m.Stats().Running > 0 { // until it is put aside
			time.Sleep(10 * time.Millisecond)
		}
		if n := m.Stats().Generated - before; n < 1000 || n > 1100 {
			t.Errorf("%d tokens for a reader that took one", n)
		}
		for _, err := range m.Generate(context.Background(), engine.Request{Prompt: "x", MaxTokens: 2}) {
			if err != nil {
				t.Error(err)
			}
		}
	}
	if !slices.Equal(quick, slow) {
		t.Error("a slow reader gets another answer")
	}
}
