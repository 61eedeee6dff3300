// Package source is where answers come from: a model in this process, or a server.
//
// A Source takes requests of package engine and gives its events, with what a server adds or a terminal needs beside: the
// text of tokens, parts of calls. Local wraps an open model and can do everything; Server speaks HTTP with llama-server, this
// project's or llama.cpp's, and leaves out what the other side lacks. What cannot be had is an error that wraps ErrMissing,
// and views show less then.
package source

import (
	"context"
	"encoding/json"
	"iter"

	"github.com/llamakit/llamakit/engine"
	"github.com/llamakit/llamakit/engine/chat"
	"github.com/llamakit/llamakit/engine/sample"
	"github.com/llamakit/llamakit/tui/client"
)

// ErrMissing is wrapped by the error of what a source cannot do.
var ErrMissing = client.ErrMissing

// Source answers requests. Its methods may be called from any goroutine.
type Source interface {
	// Info describes the model; it is known once the source is open.
	Info() Info
	// Generate answers a request, as engine.Model.Generate does. Breaking the loop, or the end of ctx, cancels it.
	Generate(ctx context.Context, r Request) iter.Seq2[Event, error]
	// Prompt is what the model will see of a request.
	Prompt(ctx context.Context, r Request) (text string, tokens []engine.Token, err error)
	// Tokenize cuts a text; the names of special tokens in it are such tokens. add says that the tokens that every prompt
	// begins or ends with are wanted too.
	Tokenize(ctx context.Context, text string, add bool) ([]Token, error)
	// Pieces are the texts of tokens.
	Pieces(ctx context.Context, ids []engine.Token) ([]Token, error)
}

// Info describes a source and its model.
type Info struct {
	Name     string // of the model
	Address  string // of the server; "" for a model in this process
	Context  int    // tokens that a conversation can hold; 0: not known
	Template string // the chat template; "" where it is not told
	Sampling sample.Params
	Traces   bool // Request.Trace is obeyed
}

// Request is an engine's request, with the texts of what the engine takes compiled: a server is sent those.
type Request struct {
	engine.Request
	GBNF   string          // of Request.Grammar; "": it has none, or Schema is set
	Schema json.RawMessage // likewise
}

// Event is a step of an answer.
type Event struct {
	engine.Event
	Calls  []chat.CallDelta // parts of calls; they are not in Text
	Chosen []Choice         // the tokens of Probs, with their texts

	Generated int // tokens of the answer so far: a server does not always tell which they are
}

// Token is a token and its bytes, which may be a part of a character.
type Token struct {
	ID      engine.Token
	Bytes   []byte
	Special bool // a control token; a server does not tell
}

// Choice is a token of an answer with the likeliest ones in its place.
type Choice struct {
	Token
	Logprob float32
	Top     []Choice
}
