package main

import "math/rand/v2"

// shape is how long things are, in tokens.
type shape struct {
	prefix, tail, answer int
	each                 int // requests of a client, turns of a conversation
}

// session is what one client asks, one request after the other: each prompt is the one before with its answer and the next turn.
type session struct {
	opening []int
	turns   [][]int
}

// trace makes sessions. Two with the same seed make the same ones.
type trace struct {
	shape
	chat       bool
	vocabulary int
	random     *rand.Rand
	opening    []int
}

func newTrace(name string, s shape, vocabulary int, seed uint64) *trace {
	t := &trace{shape: s, chat: name == "chat", vocabulary: vocabulary, random: rand.New(rand.NewPCG(seed, 1))}
	t.opening = t.tokens(s.prefix)
	return t
}

// tokens draws from the middle of the vocabulary: control tokens stand at its ends.
func (t *trace) tokens(n int) []int {
	tokens := make([]int, n)
	for i := range tokens {
		tokens[i] = t.vocabulary/4 + t.random.IntN(t.vocabulary/2)
	}
	return tokens
}

func (t *trace) session() session {
	s := session{opening: t.opening}
	turns := 1
	if t.chat {
		turns = t.each
	}
	for range turns {
		s.turns = append(s.turns, t.tokens(1+t.tail/2+t.random.IntN((t.tail+1)/2)))
	}
	return s
}

// client are the sessions of one client of the closed loop.
func (t *trace) client(burst bool) []session {
	n := t.each
	if burst || t.chat {
		n = 1
	}
	sessions := make([]session, n)
	for i := range sessions {
		sessions[i] = t.session()
	}
	return sessions
}

// longest is how many tokens a session has at most.
func (s shape) longest(name string) int {
	turns := 1
	if name == "chat" {
		turns = s.each
	}
	return s.prefix + turns*(1+s.tail+s.answer)
}
