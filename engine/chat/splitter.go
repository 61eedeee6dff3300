package chat

import "strings"

// tags open and close the part of an answer in which the model reasons.
type tags struct{ open, close string }

// families are the tags that model families use, looked for in the template's source.
var families = []tags{
	{"<think>", "</think>"},
	{"<seed:think>", "</seed:think>"},
	{"[THINK]", "[/THINK]"},
	{"<|inner_prefix|>", "<|inner_suffix|>"},
	{"<|START_THINKING|>", "<|END_THINKING|>"},
	{"<|channel|>analysis<|message|>", "<|end|>"},
}

// Splitter separates a stream of text into content and reasoning. What may be the beginning of a tag is held back until it
// is certain.
type Splitter struct {
	tags
	inside  bool // in the reasoning
	started bool // something other than blanks was seen
	trim    bool // blanks at the beginning of a part are dropped
	held    string
}

// Splitter returns a splitter for the answer to a rendered prompt. Where the prompt ends with an opened tag the answer begins
// inside the reasoning.
func (t *Template) Splitter(prompt string) *Splitter {
	s := &Splitter{tags: families[0]}
	for _, f := range families {
		if strings.Contains(t.source, f.open) || strings.Contains(t.source, f.close) {
			s.tags = f
			break
		}
	}
	s.inside = strings.HasSuffix(strings.TrimRight(prompt, " \n"), s.open)
	s.trim = s.inside
	return s
}

// Push takes the next piece of text.
func (s *Splitter) Push(text string) (content, reasoning string) {
	s.held += text
	var out [2]strings.Builder
	for s.step(&out) {
	}
	return out[0].String(), out[1].String()
}

// step moves held text up to the next tag; it returns false when more text is needed.
func (s *Splitter) step(out *[2]strings.Builder) bool {
	part, tag := 0, s.open
	if s.inside {
		part, tag = 1, s.close
	}
	if s.trim {
		s.held = strings.TrimLeft(s.held, " \n")
		if s.held == "" {
			return false
		}
	}
	if !s.inside && s.started { // reasoning comes before the answer, or not at all
		out[0].WriteString(s.held)
		s.held = ""
		return false
	}
	if at := strings.Index(s.held, tag); at >= 0 && (s.inside || strings.TrimSpace(s.held[:at]) == "") {
		if s.inside {
			out[1].WriteString(strings.TrimRight(s.held[:at], " \n"))
		}
		s.started = s.inside
		s.held, s.inside, s.trim = s.held[at+len(tag):], !s.inside, true
		return true
	}
	keep := s.uncertain(tag)
	out[part].WriteString(s.held[:len(s.held)-keep])
	if keep < len(s.held) {
		s.trim = false
		s.started = s.started || !s.inside
	}
	s.held = s.held[len(s.held)-keep:]
	return false
}

// uncertain is the length of the end of the held text that may belong to a tag, or to the blanks before it.
func (s *Splitter) uncertain(tag string) int {
	keep := 0
	for n := min(len(tag)-1, len(s.held)); n > 0; n-- {
		if strings.HasSuffix(s.held, tag[:n]) {
			keep = n
			break
		}
	}
	rest := s.held[:len(s.held)-keep]
	blanks := len(rest) - len(strings.TrimRight(rest, " \n"))
	if s.inside || blanks == len(rest) { // before an opening tag only blanks may stand
		return keep + blanks
	}
	return 0
}

// Flush ends the stream.
func (s *Splitter) Flush() (content, reasoning string) {
	held := s.held
	s.held = ""
	if s.inside {
		return "", held
	}
	return held, ""
}
