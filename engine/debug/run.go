package debug

import (
	"encoding/json"
	"math"
	"strings"
	"time"

	"github.com/llamakit/llamakit/engine"
	"github.com/llamakit/llamakit/engine/vocab"
)

// Run is one answer to an input, with all that is known of it.
type Run struct {
	Format int    `json:"llama_debug"` // of the file: Format
	Engine string `json:"engine"`      // version of the program that made it
	Model  Model  `json:"model"`
	Input  Input  `json:"input"`
	Options

	Text     string    `json:"text"`               // what the model saw
	Template string    `json:"rendered_by"`        // which template made it
	Attempts []Attempt `json:"attempts,omitempty"` // control tokens that messages spell
	Notes    []string  `json:"notes,omitempty"`
	Prompt   []Token   `json:"prompt"`

	Past      int        `json:"past,omitempty"` // tokens of the answer that were given, not chosen: the run is a branch
	Answer    []Token    `json:"answer"`
	Content   string     `json:"content"` // before the stop text, without the reasoning
	Reasoning string     `json:"reasoning,omitempty"`
	ToolCalls []ToolCall `json:"tool_calls,omitempty"`
	Stop      Stop       `json:"stop"`

	// What a run owes to its circumstances is not part of its file.
	Cached  int           `json:"-"` // tokens of the prompt that were in the cache
	Reuse   string        `json:"-"` // how far the prompt is that of the run before
	Prefill time.Duration `json:"-"`
	Decode  time.Duration `json:"-"`
}

// Format is the version of the file.
const Format = 1

// Model says which model a run is of, and how it was opened.
type Model struct {
	Name         string           `json:"name"`
	File         string           `json:"file,omitempty"`
	Digest       string           `json:"digest,omitempty"` // Session.Seal sets it
	Architecture string           `json:"architecture,omitempty"`
	Type         string           `json:"type,omitempty"` // of most weights
	Vocabulary   int              `json:"vocabulary,omitempty"`
	Context      int              `json:"context"`
	CacheK       engine.CacheType `json:"cache_type_k,omitempty"`
	CacheV       engine.CacheType `json:"cache_type_v,omitempty"`
}

// Token is a token of a prompt or an answer.
type Token struct {
	ID     vocab.Token `json:"id"`
	Text   string      `json:"text"`
	Bytes  []int       `json:"bytes,omitempty"` // where they are no UTF-8 by themselves
	Kind   string      `json:"kind"`
	Offset int         `json:"offset"`            // in the text, or in the answer, in bytes
	Length int         `json:"length"`            // 0: it is not of the text
	User   bool        `json:"attempt,omitempty"` // a control token that a message spelled

	Logprob    *float32    `json:"logprob,omitempty"` // natural logarithm, the model's own; nil: not measured
	Rank       int         `json:"rank,omitempty"`    // among all tokens, from 1; 0: not measured
	Margin     *float32    `json:"margin,omitempty"`  // how many logits the token leads by, or trails, among what the grammar allows
	Candidates []Candidate `json:"candidates,omitempty"`
	Chain      []Link      `json:"chain,omitempty"`
}

// Candidate is a token that could have come.
type Candidate struct {
	ID      vocab.Token `json:"id"`
	Text    string      `json:"text"`
	P       float32     `json:"p"`                    // as the model has it
	Drawn   float32     `json:"drawn,omitempty"`      // after the samplers
	Removed string      `json:"removed_by,omitempty"` // the sampler that removed it, or "grammar"
}

// Link is what a sampler left.
type Link struct {
	Sampler string `json:"sampler"`
	Left    int    `json:"left"`
}

// ToolCall is a call that the answer makes.
type ToolCall struct {
	Name      string          `json:"name"`
	Arguments json.RawMessage `json:"arguments"`
}

// P is the probability of the token; -1 where it was not measured.
func (t *Token) P() float64 {
	if t.Logprob == nil {
		return -1
	}
	return math.Exp(float64(*t.Logprob))
}

// Special reports whether a token is more than its text.
func (t *Token) Special() bool { return t.Kind == "control" || t.Kind == "unknown" }

// Raw is the answer as its tokens spell it, with what a stop text or the splitting into parts left out.
func (r *Run) Raw() string { return spell(r.Answer) }

func spell(tokens []Token) string {
	var b strings.Builder
	for i := range tokens {
		t := &tokens[i]
		switch {
		case t.Special():
		case t.Bytes != nil:
			for _, c := range t.Bytes {
				b.WriteByte(byte(c))
			}
		default:
			b.WriteString(t.Text)
		}
	}
	return b.String()
}

// ids are the tokens by their numbers.
func ids(tokens []Token) []engine.Token {
	out := make([]engine.Token, len(tokens))
	for i := range tokens {
		out[i] = tokens[i].ID
	}
	return out
}

// Perplexity is that of the prompt's tokens, and how many were measured.
func (r *Run) Perplexity() (ppl float64, n int) {
	sum := 0.0
	for i := range r.Prompt {
		if lp := r.Prompt[i].Logprob; lp != nil {
			sum, n = sum+float64(*lp), n+1
		}
	}
	if n == 0 {
		return 0, 0
	}
	return math.Exp(-sum / float64(n)), n
}
