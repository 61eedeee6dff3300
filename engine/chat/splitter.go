package chat

import "strings"

// Splitter separates a stream of text into content and reasoning. The result does not depend on how the text is cut into
// pieces: what may be the beginning of a tag is held back until it is certain.
//
// Reasoning stands at the beginning of an answer or not at all, so that an answer may talk about <think> later. White space
// around the reasoning is dropped; an answer without any passes unchanged. Where the answer ends within the reasoning, all of
// it is reasoning.
type Splitter struct {
	families []tags
	stage    stage
	close    string    // of the reasoning that is open
	trim     bool      // white space at the beginning of the next part is dropped
	opening  string    // of an answer, which is no part of it
	held     string    // not certain yet
	channels *channels // the format of gpt-oss instead
}

type stage int

const (
	beforeAnswer stage = iota // only white space yet
	inReasoning
	inContent
)

const white = " \t\r\n"

// Splitter returns a splitter for the answer to a rendered prompt. Where the prompt ends with an opened tag the answer begins
// inside the reasoning.
func (t *Template) Splitter(prompt string) *Splitter {
	if t.toolUse != nil && t.toolUse.usesChannels() || t.usesChannels() {
		return &Splitter{channels: &channels{}}
	}
	s := &Splitter{families: t.families()}
	prompt = strings.TrimRight(prompt, white)
	for _, f := range families {
		if strings.HasSuffix(prompt, f.open) {
			s.reason(f)
		}
	}
	return s
}

// SplitterFor is Splitter for the prompt of an input. Where that continues a message, the reasoning may have been opened
// further back.
func (t *Template) SplitterFor(in Input, prompt string) *Splitter {
	s := t.Splitter(prompt)
	if len(in.Tools) == 0 && !in.ContinueFinalMessage { // else it is of use to who looks for calls
		s.opening = t.CallFormat().Opening(prompt)
	}
	if !in.ContinueFinalMessage || s.channels != nil || s.stage == inReasoning {
		return s
	}
	if last := in.Messages[len(in.Messages)-1]; last.onlyReasoning() {
		s.reason(s.families[0])
		s.trim = false
		return s
	}
	s.stage = inContent
	for _, f := range s.families {
		if strings.LastIndex(prompt, f.open) > strings.LastIndex(prompt, f.close) && lastOpens(in, f) {
			s.reason(f)
			s.trim = false
		}
	}
	return s
}

// lastOpens reports that the last message itself leaves the tag open, rather than an earlier one that talks about it.
func lastOpens(in Input, f tags) bool {
	last := in.Messages[len(in.Messages)-1]
	text, err := last.text()
	return err == nil && strings.LastIndex(text, f.open) > strings.LastIndex(text, f.close)
}

func (s *Splitter) reason(f tags) { s.stage, s.close, s.trim = inReasoning, f.close, true }

// Push takes the next piece of text and returns what is certain.
func (s *Splitter) Push(text string) (content, reasoning string) {
	if s.channels != nil {
		return s.channels.push(text)
	}
	s.held += text
	if s.opening != "" && len(s.held) < len(s.opening) && strings.HasPrefix(s.opening, s.held) {
		return "", ""
	}
	s.held, s.opening = strings.TrimPrefix(s.held, s.opening), ""
	if s.stage == beforeAnswer && !s.decide() {
		return "", ""
	}
	if s.stage == inReasoning {
		var more bool
		if reasoning, more = s.takeReasoning(); !more {
			return "", reasoning
		}
		content, rest := s.Push("")
		return content, reasoning + rest
	}
	content, s.held = s.held, ""
	return content, ""
}

// decide tells by the first text whether reasoning begins; false when more text is needed.
func (s *Splitter) decide() bool {
	rest := strings.TrimLeft(s.held, white)
	if s.trim {
		s.held = rest
	}
	possible := rest == ""
	for _, f := range s.families {
		if after, ok := strings.CutPrefix(rest, f.open); ok {
			s.held = after
			s.reason(f)
			return true
		}
		possible = possible || strings.HasPrefix(f.open, rest)
	}
	if !possible {
		s.stage = inContent
	}
	return !possible
}

// takeReasoning takes what is certain of the reasoning; more tells that it has ended.
func (s *Splitter) takeReasoning() (reasoning string, more bool) {
	if s.trim {
		s.held = strings.TrimLeft(s.held, white)
		s.trim = s.held == ""
	}
	if at := strings.Index(s.held, s.close); at >= 0 {
		reasoning, s.held = strings.TrimRight(s.held[:at], white), s.held[at+len(s.close):]
		s.stage, s.trim = beforeAnswer, true
		return reasoning, true
	}
	sure := s.held[:len(s.held)-overlap(s.held, s.close)]
	sure = strings.TrimRight(sure, white)
	s.held = s.held[len(sure):]
	return sure, false
}

// overlap is the length of the longest end of text that begins, but is not all of, tag.
func overlap(text, tag string) int {
	for n := min(len(tag)-1, len(text)); n > 0; n-- {
		if strings.HasSuffix(text, tag[:n]) {
			return n
		}
	}
	return 0
}

// Flush ends the stream and returns what was held back.
func (s *Splitter) Flush() (content, reasoning string) {
	if s.channels != nil {
		return s.channels.flush()
	}
	held := s.held
	s.held = ""
	if s.stage == inReasoning {
		return "", strings.TrimRight(held, white)
	}
	return held, ""
}

// Thinking reports that what comes next is reasoning, or decides whether it is: not content yet. At the beginning of an answer it
// is true only where the prompt has opened the reasoning, or where every answer names its channel first.
func (s *Splitter) Thinking() bool {
	if c := s.channels; c != nil {
		return c.state == inHeader || c.state == inBody && c.part() == 1
	}
	return s.stage == inReasoning
}

// Clone returns an independent splitter in the same state.
func (s *Splitter) Clone() *Splitter {
	c := *s
	if s.channels != nil {
		channels := *s.channels
		c.channels = &channels
	}
	return &c
}

// Closing is the text that ends the reasoning which the answer is in; "" where it is not in one.
func (s *Splitter) Closing() string {
	switch c := s.channels; {
	case c != nil && c.state == inBody && c.part() == 1:
		return "<|end|><|start|>assistant<|channel|>final<|message|>"
	case c == nil && s.stage == inReasoning:
		return s.close
	}
	return ""
}
