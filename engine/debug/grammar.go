package debug

import (
	"errors"
	"strings"

	"github.com/llamakit/llamakit/engine/chat"
	"github.com/llamakit/llamakit/engine/grammar"
	"github.com/llamakit/llamakit/engine/grammar/gbnf"
)

// GrammarState is what the grammar of an answer allows at one of its tokens.
type GrammarState struct {
	Free    string   `json:"free,omitempty"`  // why the grammar does not hold here, or what it allows is not known
	Text    string   `json:"text"`            // that it has taken so far
	CanEnd  bool     `json:"can_end"`         // the answer may end here
	Forced  string   `json:"forced"`          // what must come next, as far as there is one way
	Allowed int      `json:"allowed"`         // tokens of the vocabulary that may come
	Next    string   `json:"next"`            // characters that may come, as a class
	Rules   []Active `json:"rules,omitempty"` // rules that are being read, of a grammar in GBNF
	Path    string   `json:"path,omitempty"`  // JSON pointer of the value that is being written, of a schema
}

// Active is a chain of rules, from root inwards, and what the innermost wants next.
type Active struct {
	Rules []string `json:"rules"`
	Next  string   `json:"next"`
}

// ErrNoGrammar is of a run whose answer is free.
var ErrNoGrammar = errors.New("the answer has no grammar")

// Grammar says what the grammar allows before token at of the answer; len(run.Answer) is its end.
func (s *Session) Grammar(run *Run, at int) (*GrammarState, error) {
	if run.Input.Grammar == "" && len(run.Input.Schema) == 0 {
		return nil, ErrNoGrammar
	}
	text, thinking, err := s.bound(run, at)
	if err != nil {
		return nil, err
	}
	if thinking {
		return &GrammarState{Free: "the model is still thinking: the grammar begins after that"}, nil
	}
	return GrammarAfter(&run.Input, text, s.model.Vocab().Lookup, s.model.Words())
}

// GrammarAfter says what the grammar of an input allows after the beginning of an answer. find knows the tokens that it may name;
// without words no tokens are counted.
func GrammarAfter(in *Input, text string, find gbnf.Lookup, words *grammar.Vocabulary) (*GrammarState, error) {
	form, err := in.form(find)
	if err != nil {
		return nil, err
	}
	if form == nil {
		return nil, ErrNoGrammar
	}
	m := form.Matcher(words)
	if _, err := m.AcceptBytes([]byte(text)); err != nil && form.NamesTokens() {
		return &GrammarState{Free: "the grammar names tokens, and the text alone does not say where in it the answer is"}, nil
	} else if err != nil {
		return nil, err
	}
	g := &GrammarState{Text: text, CanEnd: m.CanStop(), Forced: strings.ToValidUTF8(string(m.ForcedBytes()), "\ufffd"), Next: following(m)}
	if words != nil {
		mask := grammar.NewMask(words.Size())
		if err := m.Mask(mask); err != nil {
			return nil, err
		}
		g.Allowed = mask.Count()
	}
	if in.Grammar != "" {
		g.Rules = active(in.Grammar, text, find)
	} else {
		g.Path = pointer(text)
	}
	return g, nil
}

// bound is the part of an answer that its grammar is about.
func (s *Session) bound(run *Run, at int) (text string, thinking bool, err error) {
	messages, err := run.Input.Conversation()
	if err != nil || messages == nil {
		return spell(run.Answer[:at]), false, err
	}
	t, err := s.templateOf(&run.Input)
	if err != nil {
		return "", false, err
	}
	var before string
	in := chat.Input{Messages: messages}
	if last := &messages[len(messages)-1]; last.Role == "assistant" {
		before, in.ContinueFinalMessage = last.Text(), true
	}
	split := t.SplitterFor(in, run.Text)
	tags := strings.Join(t.Tags(), "\x00")
	for i := range run.Answer[:at] {
		piece := spell(run.Answer[i : i+1])
		if x := run.Answer[i].Text; piece == "" && strings.Contains(tags, x) {
			piece = x
		}
		content, _ := split.Push(piece)
		text += content
	}
	content, _ := split.Clone().Flush()
	return before + text + content, split.Thinking(), nil
}

// following is the class of characters that may come next.
func following(m *grammar.Matcher) string {
	var b strings.Builder
	takes := func(c int) bool {
		_, err := m.Clone().AcceptBytes([]byte{byte(c)})
		return err == nil
	}
	for lo := 0; lo < 0x80; lo++ {
		if !takes(lo) {
			continue
		}
		hi := lo
		for hi+1 < 0x80 && takes(hi+1) {
			hi++
		}
		b.WriteString(gbnf.Class(rune(lo), rune(hi)))
		lo = hi
	}
	for c := 0x80; c < 0x100; c++ {
		if takes(c) {
			b.WriteString(" and characters beyond ASCII")
			break
		}
	}
	return b.String()
}

// active are the rules that are being read. A grammar that can be read in too many ways has none to show.
func active(source, text string, find gbnf.Lookup) (list []Active) {
	next, _, err := gbnf.Trace(source, text, find)
	if err != nil {
		return nil
	}
	for _, e := range next {
		list = append(list, Active{e.Rules, e.Next})
	}
	return list
}
