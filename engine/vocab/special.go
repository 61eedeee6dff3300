package vocab

import (
	"fmt"
	"slices"
	"strings"

	"github.com/llamakit/llamakit/formats/gguf"
)

var noSpecials = Specials{BOS: None, EOS: None, EOT: None, EOM: None, UNK: None, SEP: None, PAD: None, MASK: None, NL: None,
	FIMPrefix: None, FIMSuffix: None, FIMMiddle: None, FIMPad: None, FIMRepo: None, FIMFile: None}

// role ties a special token to the keys that name it and to the spellings by which it is known when no key does. Of several
// spellings the first in the list counts.
type role struct {
	token     *Token
	keys      []string
	spellings []string
}

// roles lists the special tokens of v in the order in which their keys are read. Spellings are those of llama.cpp v0.7.0.
func (v *Vocab) roles() []role {
	return []role{
		{&v.BOS, []string{"bos_token_id"}, nil},
		{&v.EOS, []string{"eos_token_id"}, nil},
		{&v.EOT, []string{"eot_token_id"}, []string{"<|eot_id|>", "<|im_end|>", "<|end|>", "<end_of_turn>", "<|endoftext|>",
			"<|end_of_text|>", "<EOT>", "_<EOT>", "[EOT]", "<｜end▁of▁sentence｜>", "<end_of_utterance>"}},
		{&v.EOM, []string{"eom_token_id"}, []string{"<|eom_id|>"}},
		{&v.UNK, []string{"unknown_token_id"}, nil},
		{&v.SEP, []string{"seperator_token_id"}, nil}, // the key is spelled so
		{&v.PAD, []string{"padding_token_id"}, nil},
		{&v.MASK, []string{"mask_token_id"}, nil},
		{&v.FIMPrefix, []string{"fim_pre_token_id", "prefix_token_id"}, []string{"<|fim_prefix|>", "<fim-prefix>", "<fim_prefix>",
			"<｜fim▁begin｜>", "<PRE>", "▁<PRE>", "<|code_prefix|>", "<|prefix|>", "<|plamo:fim_prefix|>"}},
		{&v.FIMSuffix, []string{"fim_suf_token_id", "suffix_token_id"}, []string{"<|fim_suffix|>", "<fim-suffix>", "<fim_suffix>",
			"<｜fim▁hole｜>", "<SUF>", "▁<SUF>", "<|code_suffix|>", "<|suffix|>", "<|plamo:fim_suffix|>"}},
		{&v.FIMMiddle, []string{"fim_mid_token_id", "middle_token_id"}, []string{"<|fim_middle|>", "<fim-middle>", "<fim_middle>",
			"<｜fim▁end｜>", "<MID>", "▁<MID>", "<|code_middle|>", "<|middle|>", "<|plamo:fim_middle|>"}},
		{&v.FIMPad, []string{"fim_pad_token_id"}, []string{"<|fim_pad|>", "<fim-pad>", "<fim_pad>", "<PAD>", "[PAD]"}},
		{&v.FIMRepo, []string{"fim_rep_token_id"}, []string{"<|fim_repo|>", "<|repo_name|>", "<fim-repo>", "<REPO>", "<reponame>"}},
		{&v.FIMFile, []string{"fim_sep_token_id"}, []string{"<|file_sep|>", "<|plamo:file_separator|>"}},
	}
}

// endSpellings are the tokens that end generation wherever they occur.
var endSpellings = []string{"<|eot_id|>", "<|im_end|>", "<|end|>", "<|return|>", "<|call|>", "<|flush|>", "<|calls|>", "<end_of_turn>",
	"<|endoftext|>", "</s>", "<|eom_id|>", "<EOT>", "_<EOT>", "[EOT]", "[EOS]", "<|end_of_text|>", "<end_of_utterance>", "<eos>",
	"<turn|>", "<|tool_response>", "<｜end▁of▁sentence｜>", "[e~[", "<|ifm|im_end|>"}

// readSpecials settles the special tokens: the keys first, then what spellings tell.
func (l *loader) readSpecials() error {
	v := l.v
	roles := v.roles()
	for _, r := range roles {
		if !v.Valid(*r.token) { // a default of the model that this vocabulary is too small for
			*r.token = None
		}
		for _, key := range r.keys {
			if t := l.r.IntOr(key, -1); t >= 0 && t < len(v.words) {
				*r.token = Token(t)
			}
		}
	}
	v.AddBOS = l.r.BoolOr("add_bos_token", v.AddBOS) || l.forceBOS
	v.AddEOS = l.r.BoolOr("add_eos_token", v.AddEOS)
	v.AddSEP = l.r.BoolOr("add_sep_token", v.AddSEP)
	for _, t := range l.suppressed() {
		if t >= 0 && t < len(v.words) {
			v.Suppressed = append(v.Suppressed, Token(t))
		}
	}
	if err := l.r.Err(); err != nil {
		return err
	}
	for _, r := range roles {
		v.findSpelling(r)
	}
	v.markUnused()
	v.markEnds()
	v.rewriteChannels()
	v.dropFalseEnds()
	v.markStrips(l.name("general.name"), l.name("general.architecture"))
	return v.checkAdded()
}

func (l *loader) suppressed() []int {
	if !l.r.Has("suppress_tokens") {
		return nil
	}
	return l.r.Ints("suppress_tokens")
}

// name returns a key outside tokenizer.ggml in lower case.
func (l *loader) name(key string) string {
	val, _ := l.md.Get(key)
	s, _ := val.Str()
	return strings.ToLower(s)
}

func (v *Vocab) findSpelling(r role) {
	if *r.token != None {
		return
	}
	for _, s := range r.spellings {
		if t, ok := v.ids[s]; ok {
			*r.token = t
			v.words[t].attr |= Control.attr()
			return
		}
	}
}

// markUnused marks control tokens that say so themselves, such as <unused7>.
func (v *Vocab) markUnused() {
	for i := range v.words {
		if w := &v.words[i]; w.attr.has(Control) && strings.Contains(w.text, "unused") {
			w.attr |= Unused.attr()
		}
	}
}

// markEnds marks what ends generation. A token that does is a control token, whatever the file says.
func (v *Vocab) markEnds() {
	for _, s := range endSpellings {
		if t, ok := v.ids[s]; ok {
			v.words[t].attr |= attrEOG | Control.attr()
		}
	}
	for _, t := range []Token{v.FIMPad, v.FIMRepo, v.FIMFile, v.EOS, v.EOT, v.EOM} {
		if t != None {
			v.words[t].attr |= attrEOG
		}
	}
}

// rewriteChannels makes the tokens that structure an answer in the Harmony format visible, for the parser that reads it.
func (v *Vocab) rewriteChannels() {
	for _, s := range []string{"<|channel|>", "<|message|>", "<|start|>", "<|constrain|>"} {
		if t, ok := v.ids[s]; ok {
			v.words[t].attr = v.words[t].attr&attrEOG | UserDefined.attr()
		}
	}
}

// dropFalseEnds takes back ends that are none in some families: in Harmony and Solar Open <|end|> ends a message, not the
// answer, and in Gemma 4 and PLaMo </s> is the HTML tag.
func (v *Vocab) dropFalseEnds() {
	ends := func(s string) bool {
		t, ok := v.ids[s]
		return ok && v.IsEOG(t)
	}
	call := ends("<|call|>") || ends("<|calls|>")
	if ends("<|end|>") && call && (ends("<|return|>") || ends("<|flush|>")) {
		v.words[v.ids["<|end|>"]].attr = UserDefined.attr()
	}
	if ends("</s>") && (ends("<|tool_response>") || ends("<|plamo:eos|>")) {
		v.words[v.ids["</s>"]].attr = Normal.attr()
	}
}

// markStrips sets which tokens swallow white space beside them. Files do not say; llama.cpp knows by the names of models.
func (v *Vocab) markStrips(name, arch string) {
	containsAny := func(s string, subs ...string) bool {
		return slices.ContainsFunc(subs, func(sub string) bool { return strings.Contains(s, sub) })
	}
	set := func(s string, a attr) {
		if t, ok := v.ids[s]; ok {
			v.words[t].attr |= a
		}
	}
	switch {
	case containsAny(v.Pre, "jina-v2-de", "jina-v2-es", "jina-v2-code") || containsAny(arch, "nomic-bert-moe", "jina-bert-v3"):
		set("<mask>", attrLStrip)
	case containsAny(name, "phi-3", "phi3"):
		for i := range v.words {
			w := &v.words[i]
			keep := w.text == "<unk>" || w.text == "<s>" || w.text == "<|endoftext|>"
			if w.attr.has(Control, UserDefined, Unknown) && !keep {
				w.attr |= attrRStrip
			}
		}
	case containsAny(name, "modern-bert"):
		set("[MASK]", attrLStrip)
	}
}

// checkAdded refuses a file that wants a token added which it does not have.
func (v *Vocab) checkAdded() error {
	for _, c := range []struct {
		add   bool
		token Token
		name  string
	}{{v.AddBOS, v.BOS, "bos"}, {v.AddEOS, v.EOS, "eos"}} {
		if c.add && c.token == None {
			return fmt.Errorf("%s.%s_token_id is missing or out of range, but a %s token is to be added: set it, or set %s.add_%s_token to false: %w",
				keys, c.name, c.name, keys, c.name, gguf.ErrCorrupt)
		}
	}
	return nil
}
