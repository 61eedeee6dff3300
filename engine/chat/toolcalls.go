package chat

import "github.com/llamakit/llamakit/engine/chat/calls"

// CallSplitter separates the content of an answer into text and calls of tools.
type CallSplitter = calls.Splitter

// CallDelta is a part of a call.
type CallDelta = calls.Delta
