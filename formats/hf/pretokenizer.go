package hf

import (
	"encoding/json"
	"fmt"
	"strings"
)

// preTokenizer is a step of tokenizer.json that cuts or normalises text, or a sequence of steps.
type preTokenizer struct {
	Type          string         `json:"type"`
	PreTokenizers []preTokenizer `json:"pretokenizers"`
	Normalizers   []preTokenizer `json:"normalizers"`
	Pattern       *pattern       `json:"pattern"`
	Behavior      string         `json:"behavior"`
	Invert        bool           `json:"invert"`
	Individual    bool           `json:"individual_digits"`
	UseRegex      *bool          `json:"use_regex"`
	PrefixSpace   *bool          `json:"add_prefix_space"`
	PrependScheme string         `json:"prepend_scheme"`
	Lowercase     *bool          `json:"lowercase"`
	StripAccents  *bool          `json:"strip_accents"`
	CharsMap      string         `json:"precompiled_charsmap"`
}

// pattern is {"Regex": …} or {"String": …}.
type pattern struct{ Regex, String string }

// steps lists the cutting steps in a canonical spelling: a regular expression as it stands but for the escapes that mean
// nothing, "digits" or "digit", and "bytes+words" for a ByteLevel step that cuts words as GPT-2 does.
func (p *preTokenizer) steps() []string {
	switch {
	case p == nil:
		return nil
	case p.Type == "Sequence":
		var out []string
		for i := range p.PreTokenizers {
			out = append(out, p.PreTokenizers[i].steps()...)
		}
		return out
	case p.Type == "Split" && p.Pattern != nil:
		return []string{p.how() + p.Pattern.canonical()}
	case p.Type == "Digits" && p.Individual:
		return []string{"digit"}
	case p.Type == "Digits":
		return []string{"digits"}
	case p.Type == "ByteLevel" && (p.UseRegex == nil || *p.UseRegex):
		return []string{"bytes+words"}
	case p.Type == "ByteLevel":
		return nil
	case p.Behavior != "":
		return []string{p.Type + " " + p.Behavior}
	}
	return []string{p.Type}
}

// how is empty for a split that makes every match and what lies between a piece of its own, as llama.cpp does. To keep only
// the matches comes to the same where the expression matches everything, which those below do that are written so.
func (p *preTokenizer) how() string {
	if p.Behavior == "Isolated" && !p.Invert || p.Behavior == "Removed" && p.Invert || p.Behavior == "" {
		return ""
	}
	return fmt.Sprintf("(%s, invert %t) ", p.Behavior, p.Invert)
}

var escapes = strings.NewReplacer(`\\`, `\\`, `\ `, ` `, `\/`, `/`, `\'`, `'`, "\r", `\r`, "\n", `\n`, "\t", `\t`)

func (p *pattern) canonical() string {
	if p.Regex == "" {
		return "text " + p.String
	}
	return escapes.Replace(p.Regex)
}

// find returns the first step of a type; nil when there is none.
func (p *preTokenizer) find(kind string) *preTokenizer {
	if p == nil || p.Type == kind {
		return p
	}
	for _, steps := range [][]preTokenizer{p.Normalizers, p.PreTokenizers} {
		for i := range steps {
			if found := steps[i].find(kind); found != nil {
				return found
			}
		}
	}
	return nil
}

// spacePrefix says whether a SentencePiece BPE puts a space before a text: by a normaliser, or by the step that replaces spaces.
func (t *tokenizerJSON) spacePrefix() bool {
	return t.Normalizer.find("Prepend") != nil || t.PreTokenizer.prepends()
}

func (p *preTokenizer) prepends() bool {
	if p == nil {
		return false
	}
	for i := range p.PreTokenizers {
		if p.PreTokenizers[i].prepends() {
			return true
		}
	}
	switch {
	case p.Type != "Metaspace":
		return false
	case p.PrependScheme != "":
		return p.PrependScheme != "never"
	}
	return p.PrefixSpace == nil || *p.PrefixSpace
}

// Parts of the expressions below.
const (
	contractions = `(?i:'s|'t|'re|'ve|'m|'ll|'d)`
	spaceEnds    = `\s*[\r\n]+|\s+(?!\S)|\s+`
	upper        = `[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]`
	lower        = `[\p{Ll}\p{Lm}\p{Lo}\p{M}]`
	notWord      = `[^\r\n\p{L}\p{N}]?`
	casedWords   = notWord + upper + `*` + lower + `+` + contractions + `?|` + notWord + upper + `+` + lower + `*` + contractions + `?|`
	asciiMark    = "[!\"#$%&'()*+,\\-./:;<=>?@\\[\\\\\\]^_`{|}~]"
)

// cased are the letters that have cases, as deepseek-llm spells them. They are escaped because some have a canonical equivalent that
// editors put in their place.
const cased = "A-Za-z\u00b5\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u01ba\u01bc-\u01bf\u01c4-\u0293\u0295-\u02af\u0370-\u0373\u0376\u0377" +
	"\u037b-\u037d\u037f\u0386\u0388-\u038a\u038c\u038e-\u03a1\u03a3-\u03f5\u03f7-\u0481\u048a-\u052f\u0531-\u0556\u10a0" +
	"-\u10c5\u13a0-\u13f5\u13f8-\u13fd\u1c90-\u1cba\u1cbd-\u1cbf\u1d00-\u1d2b\u1d6b-\u1d77\u1d79-\u1d9a\u1e00-\u1f15\u1f18" +
	"-\u1f1d\u1f20-\u1f45\u1f48-\u1f4d\u1f50-\u1f57\u1f59\u1f5b\u1f5d\u1f5f-\u1f7d\u1f80-\u1fb4\u1fb6-\u1fbc\u1fbe\u1fc2" +
	"-\u1fc4\u1fc6-\u1fcc\u1fd0-\u1fd3\u1fd6-\u1fdb\u1fe0-\u1fec\u1ff2-\u1ff4\u1ff6-\u1ffc\u2102\u2107\u210a-\u2113\u2115" +
	"\u2119-\u211d\u2124\u2126\u2128\u212a-\u212d\u212f-\u2134\u2139\u213c-\u213f\u2145-\u2149\u214e\u2183\u2184\u2c00" +
	"-\u2c7b\u2c7e-\u2ce4\u2ceb-\u2cee\u2cf2\u2cf3\ua640-\ua66d\ua680-\ua69b\ua722-\ua76f\ua771-\ua787\ua78b-\ua78e\uab70" +
	"-\uabbf\ufb00-\ufb06\ufb13-\ufb17\uff21-\uff3a\uff41-\uff5a\U00010400-\U0001044f\U000104b0-\U000104d3\U000104d8-\U000104fb" +
	"\U00010c80-\U00010cb2\U00010cc0-\U00010cf2\U000118a0-\U000118df\U0001e900-\U0001e943"

// definitions are the pre-tokenizers that llama.cpp names, by their steps. Where it has several names for one behaviour the
// first published stands for all. GPT-4o's expression goes by the name of another model that has it: what llama.cpp calls gpt-4o
// leaves out \p{M}, and so cuts words of Hindi, Tamil or Khmer at their vowel signs.
var definitions = map[string]string{
	contractions + `|` + notWord + `\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|` + spaceEnds:        "llama-bpe",
	contractions + `|` + notWord + `\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|` + spaceEnds:             "qwen2",
	contractions + `|` + notWord + `[\p{L}\p{M}]+|\p{N}| ?[^\s\p{L}\p{M}\p{N}]+[\r\n]*|` + spaceEnds: "qwen35",
	notWord + `\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|` + spaceEnds:                                  "ufakzeka",
	contractions + `|` + notWord + `\p{L}+|\p{N}{1}| ?[^\s\p{L}\p{N}\r\n]+|` + spaceEnds:             "seed-coder",

	`\p{N}{1,3} ` + contractions + `|` + notWord + `\p{L}+|\p{N}+| ?[^\s\p{L}\p{N}]+[\r\n]*|` + spaceEnds:   "minicpm5",
	`'(?i:[sdmt]|ll|ve|re)|` + notWord + `+\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]++[\r\n]*|\s*[\r\n]|\s+(?!\S)|\s+`: "bailingmoe",
	contractions + `|` + notWord + `\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s{512}(?!\S)|\s{256}(?!\S)|\s{128}(?!\S)` +
		`|\s{64}(?!\S)|\s{32}(?!\S)|\s{16}(?!\S)|\s{8}(?!\S)|\s{4}(?!\S)|\s{1,2}(?!\S)|\s{1}`: "jais-2",
	contractions + `|` + notWord + `(?:\p{L}\p{M}*(?: \p{L}\p{M}*)*)+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n/]?|\s*[\r\n]|\s+(?!\S)|\s+`: "exaone-moe",

	casedWords + `\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|` + spaceEnds:                                                        "granite-embed-multi-97m",
	`\d{1,3}(?=(?:\d{3})*\b) ` + casedWords + `\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|` + spaceEnds:                           "tiny_aya",
	notWord + upper + `*` + lower + `+|` + notWord + upper + `+` + lower + `*|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n/]*|` + spaceEnds: "tekken",

	`bytes+words`:       "gpt-2",
	`digit bytes+words`: "smollm",
	`Punctuation Contiguous bytes+words digits [0-9][0-9][0-9]`: "falcon",

	` ?[^(\s|[.,!?…。，、।۔،])]+`:       "bloom",
	` ?[^(\s|[.,!?…。，、।۔،])]+ digit`: "viking",

	`\p{N}{1,3} [一-龥぀-ゟ゠-ヿ]+ ` + asciiMark + `[A-Za-z]+|[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+| ?[\p{P}\p{S}]+[\r\n]*|` +
		spaceEnds: "deepseek-v3",
	`[\r\n] \s?\p{L}+ \s?\p{P}+ [一-龥ࠀ-一가-퟿]+ digit`:                               "deepseek-coder",
	`[\r\n] \s?[` + cased + `]+ \s?[!-/:-~！-／：-～‘-‟　-。]+ \s+$ [一-龥ࠀ-一가-퟿]+ digit`: "deepseek-llm",
}

// name is llama.cpp's name of a pre-tokenizer (tokenizer.ggml.pre).
func (t *tokenizerJSON) preName(config *tokenizerConfig) (string, error) {
	steps := t.PreTokenizer.steps()
	name, ok := definitions[strings.Join(steps, " ")]
	if !ok {
		text, _ := json.Marshal(steps)
		return "", fmt.Errorf("%w pre-tokenizer: no name is known for the steps %s", ErrUnsupported, text)
	}
	if name == "llama-bpe" && !t.Model.IgnoreMerges {
		return "dbrx", nil // the same cuts, without Llama 3's rule that a whole word of the vocabulary needs no merges
	}
	if clean, ok := config.flag("clean_up_tokenization_spaces"); name == "smollm" && ok && clean {
		return "starcoder", nil // the same cuts; when turned back into text, spaces before punctuation are taken out
	}
	return name, nil
}
