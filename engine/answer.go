package engine

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/llamakit/llamakit/engine/chat"
	"github.com/llamakit/llamakit/engine/sample"
	"github.com/llamakit/llamakit/engine/sched"
	"github.com/llamakit/llamakit/engine/vocab"
)

// answer turns the tokens of a sequence into events: bytes to whole characters, text before a stop text, content apart from
// reasoning. Its methods are called by the scheduler; the reader of the mailbox is another goroutine.
type answer struct {
	model     *Model
	chain     *sample.Chain
	text      string  // of the prompt
	tokens    []Token // likewise
	taken     int     // tokens chosen so far
	slot      int     // that the sequence is in
	mail      *mailbox
	ignoreEOG bool
	stream    *vocab.Stream // nil: the model has no tokenizer, and answers are tokens only
	stops     *stopFinder
	split     *chat.Splitter // nil: all is content
	tags      []string       // of the splitter
	result    Result

	constraint *constraint    // nil: the answer has no grammar
	marks      map[Token]bool // control tokens that calls are made of
	budget     *budget        // nil: reasoning has no limit

	request Request
	measure sample.Measure
	probs   []sample.TokenProbs // of the token that was chosen last, as the request asks
	script  []Token             // what is left of the request's
}

func (a *answer) choose(logits []float32) (Token, error) {
	for i, l := range logits {
		if l != l || l > math.MaxFloat32 {
			return 0, fmt.Errorf("%w: that of token %d after %d tokens is %g (are the weights damaged?)", ErrNotFinite, i, len(a.tokens)+a.taken, l)
		}
	}
	a.taken++
	if v := a.model.vocab; v != nil { // rows of the output matrix beyond the vocabulary are padding
		logits = logits[:min(len(logits), v.Size())]
	}
	t, err := a.sample(logits)
	if err != nil {
		return 0, err
	}
	if len(a.script) > 0 {
		t, a.script = a.script[0], a.script[1:]
	}
	a.probs = nil
	switch r := &a.request; {
	case r.Probs && r.ProbsDrawn:
		a.probs = []sample.TokenProbs{a.measure.Drawn(a.chain.Candidates(), t, r.TopProbs)}
	case r.Probs:
		a.probs = []sample.TokenProbs{a.measure.Logits(logits, t, r.TopProbs)}
	}
	return t, a.accept(t)
}

// accept tells everybody of a token that was chosen.
func (a *answer) accept(t Token) error {
	a.chain.Accept(t)
	if a.budget != nil {
		a.budget.count(a.piece(t))
		a.limitReasoning()
	}
	if a.constraint != nil {
		return a.constraint.accept(t)
	}
	return nil
}

// sole is choose where the form leaves one token only: it needs no logits, unless somebody wants to see them.
func (a *answer) sole() (Token, bool, error) {
	r := &a.request
	if a.constraint == nil || !a.constraint.alone || len(a.script) > 0 || r.Probs || r.Trace > 0 {
		return 0, false, nil
	}
	t, err := a.constraint.sole()
	if err != nil {
		return 0, false, err
	}
	a.taken++
	a.probs = nil
	a.chain.Take(t)
	return t, true, a.accept(t)
}

func (a *answer) sample(logits []float32) (Token, error) {
	if a.constraint != nil {
		return a.constraint.sample(logits)
	}
	return a.chain.Sample(logits).ID, nil
}

func (a *answer) progress(done, total int) {
	a.mail.put(Event{Slot: a.slot, PromptDone: done, PromptTotal: total})
}

func (a *answer) took(t Token) (stop bool) {
	if a.stream == nil {
		a.emit("", t)
		return false
	}
	if a.model.vocab.IsEOG(t) && !a.ignoreEOG {
		a.result.Stop = StopEOS
		a.mail.put(a.event("", t))
		return true
	}
	text, found := a.stops.push(a.stream.Push(t) + a.tag(t))
	a.emit(text, t)
	if found != "" {
		a.result.Stop, a.result.StopText = StopText, found
		return true
	}
	if a.constraint != nil && a.constraint.ended() {
		a.result.Stop = StopEOS
		return true
	}
	return false
}

// tag is the text of a control token that opens or closes the reasoning or a part of a call: splitters must see it.
func (a *answer) tag(t Token) string {
	v := a.model.vocab
	if v.IsControl(t) && (slices.Contains(a.tags, v.Text(t)) || a.marks[t]) {
		return v.Text(t)
	}
	return ""
}

// event accounts for tokens: one that was chosen, or none.
func (a *answer) event(text string, tokens ...Token) Event {
	e := Event{Slot: a.slot, Tokens: tokens, Text: text}
	if len(tokens) > 0 {
		e.Probs, e.Trace = a.probs, a.chain.Steps()
	}
	return e
}

// emit splits text and sends it.
func (a *answer) emit(text string, tokens ...Token) {
	e := a.event(text, tokens...)
	if a.split != nil {
		e.Text, e.Reasoning = a.split.Push(text)
	}
	if len(tokens) > 0 || e.Text != "" || e.Reasoning != "" {
		a.mail.put(e)
	}
}

func (a *answer) done(o sched.Outcome) {
	if o.Err != nil {
		a.mail.fail(o.Err)
		return
	}
	if a.result.Stop != StopText && a.stream != nil {
		text, _ := a.stops.push(a.stream.Flush())
		a.emit(text + a.stops.flush())
	}
	if a.split != nil {
		if content, reasoning := a.split.Flush(); content != "" || reasoning != "" {
			a.mail.put(Event{Slot: a.slot, Text: content, Reasoning: reasoning})
		}
	}
	r := &a.result
	switch {
	case o.Full:
		r.Stop = StopContext
	case !o.Stop:
		r.Stop = StopLimit
	}
	r.CachedTokens, r.GeneratedTokens, r.Shifts = min(o.Cached, r.PromptTokens), o.Generated, o.Shifts
	r.QueueTime, r.PromptTime, r.GenerateTime = o.Queue, o.Prompt, o.Generate
	a.mail.put(Event{Slot: a.slot, Result: r})
	a.mail.end()
}

// stopFinder looks for stop texts in a stream. Text that may be the beginning of one is held back.
type stopFinder struct {
	stops []string
	held  string
}

func newStopFinder(stops []string) *stopFinder {
	f := &stopFinder{}
	for _, s := range stops {
		if s != "" {
			f.stops = append(f.stops, s)
		}
	}
	return f
}

// push takes new text and returns what is certain. found is the stop text that came first, and then text ends before it.
func (f *stopFinder) push(s string) (text, found string) {
	f.held += s
	at := -1
	for _, stop := range f.stops {
		if i := strings.Index(f.held, stop); i >= 0 && (at < 0 || i < at) {
			at, found = i, stop
		}
	}
	if at >= 0 {
		text, f.held = f.held[:at], ""
		return text, found
	}
	keep := f.overlap()
	text, f.held = f.held[:len(f.held)-keep], f.held[len(f.held)-keep:]
	return text, ""
}

// overlap is the length of the longest end of the held text that begins a stop text.
func (f *stopFinder) overlap() int {
	longest := 0
	for _, stop := range f.stops {
		for n := min(len(stop)-1, len(f.held)); n > longest; n-- {
			if strings.HasSuffix(f.held, stop[:n]) {
				longest = n
			}
		}
	}
	return longest
}

func (f *stopFinder) flush() string {
	s := f.held
	f.held = ""
	return s
}
