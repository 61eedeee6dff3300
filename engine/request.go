package engine

import (
	"time"

	"github.com/llamakit/llamakit/engine/chat"
	"github.com/llamakit/llamakit/engine/chat/calls"
	"github.com/llamakit/llamakit/engine/grammar"
	"github.com/llamakit/llamakit/engine/sample"
	"github.com/llamakit/llamakit/engine/vocab"
)

// Token is an index into the model's vocabulary.
type Token = vocab.Token

// Request says what to generate. Exactly one of Messages, Prompt and Tokens is set.
type Request struct {
	Messages []chat.Message // rendered with the model's chat template
	Prompt   string         // raw text; special tokens in it are parsed, BOS is added where the model wants it
	Tokens   []Token        // taken as they are

	Template  TemplateOptions // for Messages only
	Sampling  sample.Params   // start from sample.DefaultParams
	MaxTokens int             // tokens to generate at most; 0 or less: until the model stops or the context is full
	Stop      []string        // generation ends before the first of these texts; empty ones are ignored
	IgnoreEOG bool            // end-of-generation tokens are banned
	Fresh     bool            // the whole prompt is computed, whatever the cache knows
	Unsplit   bool            // reasoning stays in the text, with its tags
	PastEOG   bool            // they may come, and do not stop

	// Grammar is what the content of the answer must be of. Reasoning comes before it and is free. The answer ends where nothing can
	// follow; one that MaxTokens or the context cuts may be incomplete. A Grammar can be shared by requests.
	Grammar *grammar.Grammar
	Calls   *calls.Form // instead of Grammar: text and calls of tools, in the format of the model's template
	// Triggers, where there are any, begin Grammar late: the answer is free until one comes, and may end without it.
	Triggers  []Trigger
	Preserved []Token // control tokens that are shown in the text

	// ReasoningLimit is how many tokens the reasoning may take; 0: any number, negative: none. Where more would come, ReasoningEnd
	// and what closes the reasoning come instead.
	ReasoningLimit int
	ReasoningEnd   string

	// ContextShift forgets the oldest half of the sequence, but for the first Keep tokens, when the context is full.
	// Without it generation ends with StopLength.
	ContextShift bool
	Keep         int

	// Probs asks for the probability of every token of the answer, with those of the TopProbs likeliest: as the model has it, or
	// with ProbsDrawn as it is after the samplers.
	Probs      bool
	TopProbs   int
	ProbsDrawn bool
	Trace      int // candidates of which every sampler tells whether it removed or left them; 0: none tells

	Script []Token // the answer begins with these, whatever the model says: for tests, and to measure a given answer
	Past   []Token // the answer begins with these, which are computed like the prompt: an answer that is gone on with from one of its tokens
	Pinned bool    // wait for the slot numbered Slot; otherwise any will do
	Slot   int
	ID     uint64 // the caller's, for Stats
}

// TemplateOptions are inputs of the chat template beside the messages.
type TemplateOptions struct {
	Tools    []byte         // JSON array of tool definitions, passed on in its own key order
	Kwargs   map[string]any // chat_template_kwargs, for example enable_thinking
	Thinking Thinking
	Now      time.Time      // what strftime_now sees; zero: the clock
	Use      *chat.Template // instead of the model's; nil: that
	// Continue makes the last message, which must be the assistant's, the beginning of the answer.
	Continue bool
	// NoGenerationPrompt leaves out the beginning of the assistant's turn.
	NoGenerationPrompt bool
	// UserSpecials lets the text of messages, tools and documents spell control tokens, and so end a turn and begin another.
	UserSpecials bool
}

// Thinking asks for or against a reasoning phase, where the template knows one.
type Thinking = chat.Thinking

// What can be asked of a template.
const (
	ThinkingAuto = chat.ThinkingAuto // the template's own default
	ThinkingOn   = chat.ThinkingOn
	ThinkingOff  = chat.ThinkingOff
)

// Event is one step of an answer. Text and Reasoning are whole UTF-8; a token that ends inside a character, or inside
// what may become a stop text, has its part in a later event.
type Event struct {
	Tokens    []Token // tokens that this event accounts for: none in a final flush
	Text      string
	Reasoning string

	Probs []sample.TokenProbs // of Tokens, where the request asks for them
	Trace []sample.Step       // of the last of Tokens, likewise

	// PromptDone and PromptTotal report progress while the prompt is computed; then Tokens is empty. The first such event comes
	// when the request leaves the queue, and its PromptDone is what was found in the cache.
	PromptDone, PromptTotal int

	Slot   int     // that the answer is generated in
	Result *Result // set on the last event only
}

// StopReason is why generation ended.
type StopReason string

const (
	StopEOS     StopReason = "eos"     // the model ended its turn
	StopText    StopReason = "stop"    // a stop text of the request was found
	StopLimit   StopReason = "limit"   // MaxTokens
	StopContext StopReason = "context" // the context is full
)

// Result closes an answer.
type Result struct {
	Stop     StopReason
	StopText string // which stop text, for StopText

	PromptTokens    int // all of them
	CachedTokens    int // of these, taken from earlier work
	GeneratedTokens int

	PromptTime   time.Duration // computing the prompt, without waiting
	GenerateTime time.Duration // from the first sampled token to the last
	QueueTime    time.Duration
	Shifts       int // how often the context was shifted
}

// PromptSpeed is the speed of computing the prompt in tokens per second, cached ones left out.
func (r *Result) PromptSpeed() float64 {
	return perSecond(r.PromptTokens-r.CachedTokens, r.PromptTime)
}

// GenerateSpeed is the speed of generation in tokens per second. The first token comes with the prompt and does not count.
func (r *Result) GenerateSpeed() float64 { return perSecond(r.GeneratedTokens-1, r.GenerateTime) }

func perSecond(n int, d time.Duration) float64 {
	if d <= 0 || n <= 0 {
		return 0
	}
	return float64(n) / d.Seconds()
}
