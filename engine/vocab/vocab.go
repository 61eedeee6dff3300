package vocab

// Token is the number of an entry of the vocabulary.
type Token = int32

// None is a special token that the vocabulary does not have.
const None Token = -1

// Vocab is a vocabulary with its tokenizer. It does not change after New and can be used by several goroutines at once.
type Vocab struct {
	Model string // tokenizer.ggml.model: "gpt2", "llama", "bert", ...
	Pre   string // tokenizer.ggml.pre, for byte-level BPE "default" when the file has none
	Specials
	AddBOS, AddEOS, AddSEP bool    // what EncodeOptions.AddSpecial puts around a text
	Suppressed             []Token // tokens that a sampler must never choose

	words       []word
	ids         map[string]Token
	longest     int // bytes of the longest entry
	tok         tokenizer
	begin       Token    // what AddSpecial puts before a text, or None
	end         Token    // and after it
	marked      *markers // special tokens to look for in a text
	controlEnds func() *ends
	pieces      pieces
	prefix      bool // a space goes before a text, and decoding takes it away again
}

// Specials are the tokens with a role, each None when there is none.
type Specials struct {
	BOS, EOS Token // beginning and end of a text
	EOT, EOM Token // end of a turn, end of a message that a tool answers
	UNK      Token // stands for text that the vocabulary cannot spell
	SEP, PAD Token
	MASK, NL Token

	FIMPrefix, FIMSuffix, FIMMiddle Token // fill in the middle
	FIMPad, FIMRepo, FIMFile        Token
}

// word is one entry: what the file says, and what New concludes from it.
type word struct {
	text  string
	score float32
	attr  attr
}

// Kind is the type of a token, numbered as in tokenizer.ggml.token_type.
type Kind uint8

// The kinds. Undefined is that of a number that means nothing.
const (
	Undefined Kind = iota
	Normal
	Unknown
	Control // has a meaning but no text, such as <|im_end|>
	UserDefined
	Unused
	Byte // one byte of text that no other token spells
)

// attr is a set of kinds, since New adds to them, and of further properties.
type attr uint16

const (
	attrLStrip attr = 1 << (iota + 8) // white space before the token is dropped
	attrRStrip                        // white space after it
	attrEOG                           // generation ends with it
)

func (k Kind) attr() attr { return 1 << k }

func (a attr) has(kinds ...Kind) bool {
	for _, k := range kinds {
		if a&k.attr() != 0 {
			return true
		}
	}
	return false
}

// Size returns the number of tokens.
func (v *Vocab) Size() int { return len(v.words) }

// Valid reports whether t is a token of the vocabulary. Of others, the methods say that they are Undefined and have no text.
func (v *Vocab) Valid(t Token) bool { return t >= 0 && int(t) < len(v.words) }

// Text returns the entry as the file spells it, "Ġthe" or "▁the" for " the". Piece returns what it stands for.
func (v *Vocab) Text(t Token) string {
	if !v.Valid(t) {
		return ""
	}
	return v.words[t].text
}

// Score returns the entry's score; SentencePiece merges higher ones first.
func (v *Vocab) Score(t Token) float32 {
	if !v.Valid(t) {
		return 0
	}
	return v.words[t].score
}

// Lookup returns the token that the file spells so.
func (v *Vocab) Lookup(text string) (Token, bool) {
	t, ok := v.ids[text]
	return t, ok
}

// IsEOG reports whether generation ends with t.
func (v *Vocab) IsEOG(t Token) bool { return v.Valid(t) && v.words[t].attr&attrEOG != 0 }

// IsControl reports whether t is a control token.
func (v *Vocab) IsControl(t Token) bool { return v.Kind(t) == Control }

// Kind returns the kind of t. It may differ from the file's: the end of a turn is Control even where a file calls it normal.
func (v *Vocab) Kind(t Token) Kind {
	if v.Valid(t) {
		for _, k := range [...]Kind{Control, Unknown, UserDefined, Byte, Normal, Unused} {
			if v.words[t].attr.has(k) {
				return k
			}
		}
	}
	return Undefined
}

// tokenizer is what differs between the models of tokenizer.ggml.model.
type tokenizer interface {
	// encode appends the tokens of text in which no special tokens are left to find. first tells that nothing or a special
	// token stands before it.
	encode(dst []Token, text string, first bool) []Token
	// spell appends the text that a normal token stands for.
	spell(dst []byte, text string) []byte
}
