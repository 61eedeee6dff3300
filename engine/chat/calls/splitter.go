package calls

import (
	"encoding/json"
	"strings"

	"github.com/llamakit/llamakit/engine/grammar/schema"
)

// Delta is a part of a call: the name comes first, and then the arguments in pieces. Ids that models write are of no use: they come
// after the arguments, or are the same in every answer.
type Delta struct {
	Index     int // of the call in the answer, from 0 on
	Name      string
	Arguments string // JSON
}

// Join puts the parts of an answer's calls together. A part without its place among them, as another program may send, is dropped.
func Join(deltas []Delta) (list []Call) {
	for _, d := range deltas {
		if d.Index == len(list) {
			list = append(list, Call{})
		}
		if d.Index >= 0 && d.Index < len(list) {
			list[d.Index].Name += d.Name
			list[d.Index].Arguments = append(list[d.Index].Arguments, d.Arguments...)
		}
	}
	return list
}

// Splitter separates a stream of content into text and calls. The result does not depend on how the content is cut into pieces.
// White space between text and calls is dropped. What begins as a call and is none is text.
//
// The zero value reads the format of Hermes.
type Splitter struct {
	Broken int // calls that could not be read

	format *Format
	kinds  map[string]schema.Kinds // by tool

	fed   bool // something was pushed
	held  string
	stage stage
	blank string // white space before a group, which is dropped if it is one
	lent  string // what the prompt ended with stands in the held text
	begun bool   // text has come
	after bool   // a call was the last that came

	calls     int
	picture   *picture // of the call that is read
	beginning string   // of that call, in case it is none
	name      string
	args      arguments
	told      bool            // of the name
	json      strings.Builder // the arguments so far
}

// stage is what comes next.
type stage int

const (
	inText stage = iota
	atGroup
	atCall // after another in the group
	inArguments
	atTail
)

// Splitter returns a splitter for an answer of a model without schemas.
func (f *Format) Splitter() Splitter { return Splitter{format: f} }

// Push takes the next piece of content and returns what is certain.
func (s *Splitter) Push(content string) (text string, deltas []Delta) {
	if s.format == nil {
		s.format = Hermes
	}
	if !s.fed && content != "" && !s.format.Raw {
		s.lent, s.held = s.format.prompt, s.format.prompt
	}
	s.fed = s.fed || content != ""
	s.held += content
	var out strings.Builder
	for s.step(&out, &deltas) {
	}
	return out.String(), deltas
}

// Resume is Push of content whose text is known already.
func (s *Splitter) Resume(content string) []Delta {
	_, deltas := s.Push(content)
	if s.stage == inText {
		s.lent = s.held
	}
	return deltas
}

// step takes what is certain of one part; false when more text is needed.
func (s *Splitter) step(out *strings.Builder, deltas *[]Delta) bool {
	switch s.stage {
	case inText:
		return s.takeText(out)
	case atGroup:
		return s.takeHead(out, s.format.open)
	case atCall:
		return s.takeNext(out)
	case inArguments:
		return s.takeArguments(out, deltas)
	}
	return s.takeTail()
}

// takeText takes text up to where a group may begin.
func (s *Splitter) takeText(out *strings.Builder) bool {
	if s.after {
		s.held = strings.TrimLeft(s.held, white)
	}
	at, sure := s.format.find(s.held, !s.begun || s.after)
	before := s.held[:sure]
	if at >= 0 {
		before = s.held[:at]
	}
	text := strings.TrimRight(before, white)
	s.write(out, text)
	s.held = s.held[len(text):]
	if at < 0 {
		return false
	}
	s.blank, s.held = s.held[:at-len(text)], s.held[at-len(text):]
	if plain := s.format.plain; plain != "" {
		switch rest, ok := strings.CutPrefix(s.held, plain); {
		case ok:
			s.held, s.lent, s.blank = rest, "", ""
			return true
		case strings.HasPrefix(plain, s.held):
			s.held, s.blank = s.blank+s.held, ""
			return false
		}
	}
	s.stage = atGroup
	return true
}

// write puts text out, without what the prompt ended with.
func (s *Splitter) write(out *strings.Builder, text string) {
	if text == "" {
		return
	}
	out.WriteString(strings.TrimPrefix(text, s.lent))
	s.lent, s.begun, s.after = "", true, false
}

// find returns where a group may begin in text, or -1 and how much of text is surely none. beginning says that no text has come.
func (f *Format) find(text string, beginning bool) (at, sure int) {
	at, sure = -1, len(text)
	for _, t := range f.lookFor() {
		if i := strings.Index(text, t); i >= 0 && (at < 0 || i < at) {
			at = i
		}
		sure = min(sure, len(text)-overlap(text, t))
	}
	if rest := strings.TrimLeft(text, white); f.first != "" && beginning && at != len(text)-len(rest) {
		switch {
		case strings.HasPrefix(rest, f.first):
			return len(text) - len(rest), 0
		case strings.HasPrefix(f.first, rest):
			sure = 0
		}
	}
	return at, sure
}

// lookFor lists the texts that a group begins with, up to the name of a tool.
func (f *Format) lookFor() (list []string) {
	if f.trigger != "" {
		before, _, _ := strings.Cut(f.trigger, "$name")
		return []string{before}
	}
	for _, p := range f.pictures {
		list = append(list, f.open+p.head[0].literal)
	}
	return list
}

// takeHead reads what comes before the arguments of a call, after a text.
func (s *Splitter) takeHead(out *strings.Builder, before string) bool {
	switch p, values, n := s.head(before); {
	case p != nil:
		s.begin(p, values, n)
		return true
	case n > 0:
		return false
	}
	s.giveUp(out)
	return true
}

// head looks which picture the held text begins with. n is its length, or without one 1 when more text is needed.
func (s *Splitter) head(before string) (p *picture, values map[string]string, n int) {
	needed := 0
	for i := range s.format.pictures {
		p := &s.format.pictures[i]
		list := p.head
		if before != "" {
			list = append([]piece{{literal: before}}, list...)
		}
		switch values, n, o := match(list, s.held); o {
		case yes:
			return p, values, n
		case maybe:
			needed = 1
		}
	}
	return nil, nil, needed
}

func (s *Splitter) begin(p *picture, values map[string]string, n int) {
	s.picture, s.name = p, values["name"]
	s.beginning, s.held = s.held[:n], s.held[n:]
	s.args, s.told, s.stage = p.newArguments(s.kinds[s.name]), false, inArguments
	s.json.Reset()
}

// giveUp takes what began as a call for text.
func (s *Splitter) giveUp(out *strings.Builder) {
	if !strings.Contains(s.format.trigger, "$name") { // else it may well be text
		s.Broken++
	}
	s.held = s.beginning + s.held
	n := 1
	for _, t := range s.format.lookFor() {
		if strings.HasPrefix(s.held, t) {
			n = len(t)
		}
	}
	s.write(out, s.blank+s.held[:n])
	s.held, s.beginning, s.blank, s.stage = s.held[n:], "", "", inText
}

// takeNext reads what comes after a call in its group: another, or the end.
func (s *Splitter) takeNext(out *strings.Builder) bool {
	s.held = strings.TrimLeft(s.held, white)
	_, n, ends := match([]piece{{literal: s.format.close}}, s.held)
	if ends == yes {
		s.held, s.stage, s.after = s.held[n:], inText, true
		return true
	}
	p, values, n := s.head(s.format.between)
	switch {
	case p != nil:
		s.begin(p, values, n)
		return true
	case n > 0 || ends == maybe:
		return false
	}
	s.stage, s.after = inText, true
	return true
}

// takeArguments takes what there is of the arguments. The name is told with their beginning.
func (s *Splitter) takeArguments(out *strings.Builder, deltas *[]Delta) bool {
	part, n, o := s.args.take(s.held)
	if o == no && !s.told && part == "" {
		s.giveUp(out)
		return true
	}
	if part != "" {
		if !s.told {
			*deltas = append(*deltas, Delta{Index: s.calls, Name: s.name})
			s.told = true
		}
		s.json.WriteString(part)
		*deltas = append(*deltas, Delta{Index: s.calls, Arguments: part})
	}
	s.held = s.held[n:]
	if o == maybe {
		return false
	}
	if o == no || !json.Valid([]byte(s.json.String())) {
		s.Broken++
	}
	s.calls++
	s.after, s.lent, s.beginning, s.blank, s.stage = true, "", "", "", atTail
	if o == no {
		s.stage = inText
	}
	return true
}

// takeTail reads what comes after the arguments. That it is missing does no harm.
func (s *Splitter) takeTail() bool {
	length, wait := 0, false
	for _, p := range s.format.pictures { // the tail of another, with an id, may be what was written
		_, n, o := match(pieces(p.tail), s.held)
		length, wait = max(length, n), wait || o == maybe
	}
	if length == 0 && wait {
		return false
	}
	if s.held = s.held[length:]; s.format.open != "" {
		s.stage = atCall
	} else {
		s.stage = inText
	}
	return true
}

// Flush ends the stream and returns what was held back.
func (s *Splitter) Flush() (text string) {
	held := s.held
	s.held = ""
	switch {
	case s.stage == inText && s.after, s.stage == atCall:
		return strings.Trim(held, white)
	case s.stage == inText && s.format != nil && s.format.plain != "" && strings.HasPrefix(s.format.plain, held):
		return ""
	case s.stage == inText:
		return held
	case s.stage == inArguments && s.told:
		s.Broken++
	case s.stage != atTail:
		s.Broken++
		return strings.TrimPrefix(s.blank+s.beginning+held, s.lent)
	}
	return ""
}

// Calls is the number of calls that are complete.
func (s *Splitter) Calls() int { return s.calls }
