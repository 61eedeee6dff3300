package engine

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/llamakit/llamakit/engine/sched"
)

// VisitLogits computes tokens and calls visit with the logits of every position from the given one on: NVocab values, which
// are gone when visit returns. Several goroutines call it at the same time, in no order. Positions before from may come from
// the cache. It is the way to look at many logits without a copy of them; sequences that are visited at the same time share
// batches.
func (m *Model) VisitLogits(ctx context.Context, tokens []Token, from int, visit func(pos int, logits []float32)) error {
	switch {
	case !m.hasLogits():
		return ErrNoLogits
	case len(tokens) == 0:
		return ErrEmptyPrompt
	}
	if from < 0 || from >= len(tokens) {
		return fmt.Errorf("logits from position %d on are wanted of %d tokens", from, len(tokens))
	}
	if err := m.checkTokens(tokens); err != nil {
		return err
	}
	rows := rowVisitor{visit: visit, threads: m.options.Threads}
	done := make(chan error, 1)
	m.sched.Submit(ctx, &sched.Request{Prompt: tokens, From: from, Row: rows.add, Flush: rows.flush,
		Done: func(o sched.Outcome) { done <- o.Err }})
	return <-done
}

// rowVisitor gathers the rows of a batch and visits them in parallel.
type rowVisitor struct {
	visit   func(pos int, logits []float32)
	threads int
	first   int
	rows    [][]float32
}

func (v *rowVisitor) add(pos int, logits, _ []float32) {
	if len(v.rows) == 0 {
		v.first = pos
	}
	v.rows = append(v.rows, logits)
}

func (v *rowVisitor) flush() {
	var next atomic.Int32
	var wg sync.WaitGroup
	for range min(v.threads, len(v.rows)) {
		wg.Go(func() {
			for i := int(next.Add(1)) - 1; i < len(v.rows); i = int(next.Add(1)) - 1 {
				v.visit(v.first+i, v.rows[i])
			}
		})
	}
	wg.Wait()
	v.rows = v.rows[:0]
}
