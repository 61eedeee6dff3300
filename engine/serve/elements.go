package serve

import (
	"bytes"
	"encoding/json"
	"iter"
	"strings"
)

// What a request is made of is read in place: its values are parts of the body, not copies, so that a large one is in memory once.
// Both functions want valid JSON of the right kind.

// elements are the values of an array.
func elements(data []byte) iter.Seq[json.RawMessage] {
	return func(yield func(json.RawMessage) bool) {
		for i := bytes.IndexByte(data, '[') + 1; ; {
			from, to := nextValue(data, i)
			if from == to || !yield(data[from:to:to]) {
				return
			}
			i = to
		}
	}
}

// members are the names, as they are written, and the values of an object.
func members(data []byte) iter.Seq2[json.RawMessage, json.RawMessage] {
	return func(yield func(name, value json.RawMessage) bool) {
		for i := bytes.IndexByte(data, '{') + 1; ; {
			from, to := nextValue(data, i)
			if from == to {
				return
			}
			begin, end := nextValue(data, to)
			if !yield(data[from:to:to], data[begin:end:end]) {
				return
			}
			i = end
		}
	}
}

// nextValue finds the next value at i or after; where there is none, from is to.
func nextValue(data []byte, i int) (from, to int) {
	for strings.IndexByte(" \t\r\n,:", data[i]) >= 0 {
		i++
	}
	if data[i] == ']' || data[i] == '}' {
		return i, i
	}
	return i, valueEnd(data, i)
}

// valueEnd is where the value that begins at i ends.
func valueEnd(data []byte, i int) int {
	for depth := 0; ; {
		switch c := data[i]; {
		case c == '"':
			i = stringEnd(data, i)
		case c == '{' || c == '[':
			depth++
			i++
		case c == '}' || c == ']':
			depth--
			i++
		case depth > 0:
			i++
		default: // a number or a word
			return i + bytes.IndexAny(data[i:], ",]} \t\r\n")
		}
		if depth == 0 {
			return i
		}
	}
}

// stringEnd is where the string that begins at i ends.
func stringEnd(data []byte, i int) int {
	for i++; data[i] != '"'; i++ {
		if data[i] == '\\' {
			i++
		}
	}
	return i + 1
}
