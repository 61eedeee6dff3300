package sched

import (
	"context"
	"testing"
	"time"
)

// TestStatsWaitForNobody: while the loop lets a request in, which may copy much, others are told how things stand.
func TestStatsWaitForNobody(t *testing.T) {
	s := New(newFake(), Config{Context: 64, Rows: 8, Outputs: 8, Sequences: 1, Pages: 8})
	defer s.Close()
	run(context.Background(), s, Request{Prompt: []Token{1}, Max: 1, Seated: func(int) {
		told := make(chan Stats, 1)
		go func() { told <- s.Stats() }()
		select {
		case <-told:
		case <-time.After(10 * time.Second):
			t.Error("it waits for the queue's lock")
		}
	}})
}
