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
	PrefixSpace   bool           `json:"add_prefix_space"`
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
	case p.Type == "Split" && p.Pattern != nil && p.Pattern.Regex != "":
		return []string{canonical(p.Pattern.Regex)}
	case p.Type == "Split" && p.Pattern != nil:
		return []string{"text " + p.Pattern.String}
	case p.Type == "Digits" && p.Individual:
		return []string{"digit"}
	case p.Type == "Digits":
		return []string{"digits"}
	case p.Type == "ByteLevel" && (p.UseRegex == nil || *p.UseRegex):
		return []string{"bytes+words"}
	case p.Type == "ByteLevel":
		return nil
	}
	return []string{p.Type}
}

var escapes = strings.NewReplacer(`\ `, ` `, `\/`, `/`, "\r", `\r`, "\n", `\n`, "\t", `\t`)

func canonical(regex string) string { return escapes.Replace(regex) }

// Parts of the expressions below.
const (
	contractions = `(?i:'s|'t|'re|'ve|'m|'ll|'d)`
	spaceEnds    = `\s*[\r\n]+|\s+(?!\S)|\s+`
	upper        = `[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]`
	lower        = `[\p{Ll}\p{Lm}\p{Lo}\p{M}]`
	notWord      = `[^\r\n\p{L}\p{N}]?`
)

// definitions are the pre-tokenizers that llama.cpp names, by their steps. Where it has several names for one behaviour the
// first published stands for all.
var definitions = map[string]string{
	contractions + `|` + notWord + `\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|` + spaceEnds:        "llama-bpe",
	contractions + `|` + notWord + `\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|` + spaceEnds:             "qwen2",
	contractions + `|` + notWord + `[\p{L}\p{M}]+|\p{N}| ?[^\s\p{L}\p{M}\p{N}]+[\r\n]*|` + spaceEnds: "qwen35",

	notWord + upper + `*` + lower + `+` + contractions + `?|` + notWord + upper + `+` + lower + `*` + contractions +
		`?|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|` + spaceEnds: "gpt-4o",
	notWord + upper + `*` + lower + `+|` + notWord + upper + `+` + lower + `*|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n/]*|` + spaceEnds: "tekken",

	`bytes+words`:       "gpt-2",
	`digit bytes+words`: "smollm",

	`\p{N}{1,3} [一-龥぀-ゟ゠-ヿ]+ ` + "[!\"#$%&'()*+,\\-./:;<=>?@\\[\\\\\\]^_`{|}~][A-Za-z]+" +
		`|[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+| ?[\p{P}\p{S}]+[\r\n]*|` + spaceEnds: "deepseek-v3",
	`[\r\n] \s?\p{L}+ \s?\p{P}+ [一-龥ࠀ-一가-퟿]+ digit`: "deepseek-coder",
	`[\r\n] \s?[A-Za-zµÀ-ÖØ-öø-ƺƼ-ƿǄ-ʓʕ-ʯͰ-ͳͶͷͻ-ͽͿΆΈ-ΊΌΎ-ΡΣ-ϵϷ-ҁҊ-ԯԱ-ՖႠ-ჅᎠ-Ᏽᏸ-ᏽᲐ-ᲺᲽ-Ჿᴀ-ᴫᵫ-ᵷᵹ-ᶚḀ-ἕἘ-Ἕἠ-ὅὈ-Ὅὐ-ὗὙὛὝὟ-ώᾀ-ᾴᾶ-ᾼιῂ-ῄῆ-ῌῐ-ΐῖ-Ίῠ-Ῥῲ-ῴῶ-ῼℂℇℊ-ℓℕℙ-ℝℤΩℨK-ℭℯ-ℴℹℼ-ℿⅅ-ⅉⅎↃↄⰀ-ⱻⱾ-ⳤⳫ-ⳮⳲⳳꙀ-ꙭꚀ-ꚛꜢ-ꝯꝱ-ꞇꞋ-ꞎꭰ-ꮿﬀ-ﬆﬓ-ﬗＡ-Ｚａ-ｚ𐐀-𐑏𐒰-𐓓𐓘-𐓻𐲀-𐲲𐳀-𐳲𑢠-𑣟𞤀-𞥃]+ \s?[!-/:-~！-／：-～‘-‟　-。]+ \s+$ [一-龥ࠀ-一가-퟿]+ digit`: "deepseek-llm",
}

// name is llama.cpp's name of a pre-tokenizer (tokenizer.ggml.pre).
func (t *tokenizerJSON) preName() (string, error) {
	steps := t.PreTokenizer.steps()
	name, ok := definitions[strings.Join(steps, " ")]
	if !ok {
		text, _ := json.Marshal(steps)
		return "", fmt.Errorf("%w pre-tokenizer: no name is known for the steps %s", ErrUnsupported, text)
	}
	if name == "llama-bpe" && !t.Model.IgnoreMerges {
		return "dbrx", nil // the same cuts, without Llama 3's rule that a whole word of the vocabulary needs no merges
	}
	return name, nil
}
