package vocab

// EncodeOptions says what of a text is more than text. The zero value encodes it as it stands.
type EncodeOptions struct {
	AddSpecial   bool // put the beginning and end of text around it where the vocabulary asks for them (AddBOS, AddEOS)
	ParseSpecial bool // spellings of control tokens in the text are those tokens, not characters
	// Barriers are offsets in the text, rising, that no control token reaches over: where text of a stranger spells one (Spelled).
	Barriers []int
	Rendered bool // the text comes from a chat template: no second BOS or EOS where it has them already
}

// Encode returns the tokens of text. Text that is not UTF-8 is encoded byte by byte where the vocabulary has byte tokens
// ("llama"), else with U+FFFD in the place of each wrong byte.
//
// A vocabulary that begins texts with a space ("llama", unless the file says otherwise) does so again after every special
// token, as llama.cpp does. After a user-defined token, which is text itself, it does not: there llama.cpp invents a space.
//
// User-defined tokens are found whatever ParseSpecial says. With text from a stranger ParseSpecial must be false, or the
// stranger can end a turn and begin another; or Barriers say which part of it is the stranger's.
func (v *Vocab) Encode(text string, opt EncodeOptions) []Token {
	out := make([]Token, 0, len(text)/3+3)
	if opt.AddSpecial {
		out = appendToken(out, v.begin)
	}
	first := true
	for part := range v.marked.split(text, opt.ParseSpecial, opt.Barriers) {
		if part.token != None {
			out = append(out, part.token)
		} else {
			out = v.tok.encode(out, part.text, first)
		}
		first = part.token != None && v.Kind(part.token) != UserDefined
	}
	if !opt.AddSpecial {
		return out
	}
	if opt.Rendered {
		if v.begin != None && len(out) > 1 && out[1] == v.begin {
			out = out[1:]
		}
		if v.end != None && len(out) > 0 && out[len(out)-1] == v.end {
			return out
		}
	}
	return appendToken(out, v.end)
}

// shrinks is more than normal form C can make a text shorter: letters of Hangul that become a syllable are a third.
const shrinks = 4

// AtLeast is a number of tokens that a text has at least, found without encoding it: for texts that are far too long. It is 0 where
// tokens may stand for any number of characters.
func (v *Vocab) AtLeast(text string) int {
	if v.Model != "gpt2" && v.Model != "llama" {
		return 0
	}
	return len(text) / (shrinks * max(1, v.longest))
}

func appendToken(dst []Token, t Token) []Token {
	if t == None {
		return dst
	}
	return append(dst, t)
}

// DoubleBOS reports whether tokens begin with two BOS: a prompt that spells it out was encoded with AddSpecial. Models answer
// such prompts worse, so it is worth a warning.
func (v *Vocab) DoubleBOS(tokens []Token) bool {
	return len(tokens) >= 2 && v.BOS != None && tokens[0] == v.BOS && tokens[1] == v.BOS
}
