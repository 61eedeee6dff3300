package hf

import (
	"slices"
)

// specialNames are the special tokens that files name, in the order in which they are written. The last four are for text in
// the middle of a file (CodeLlama).
var specialNames = []string{"bos", "eos", "eot", "unk", "sep", "pad", "cls", "mask", "prefix", "suffix", "middle"}

// finish finds the special tokens, whether they are added to a text, and the chat templates.
func (f *Folder) finish(v *Vocabulary, t *tokenizerJSON, config *tokenizerConfig) error {
	v.special = map[string]int{}
	texts := config.specialTexts()
	v.fillTexts(texts)
	v.ends(t.PostProcessor, texts, config.found)
	for _, name := range []string{"bos", "eos", "sep"} {
		if on, ok := config.flag("add_" + name + "_token"); ok {
			v.add[name] = on
		}
	}
	if _, ok := v.add["bos"]; !ok && slices.Contains([]string{"llama-bpe", "tekken"}, v.Pre) {
		v.add["bos"] = false // with these names llama.cpp puts BOS first unless it is told otherwise
	}
	v.findSpecial(texts, config.tokens(), t.Added)
	if f.Config != nil {
		for _, name := range specialNames {
			if id, ok := f.Config.values[name+"_token_id"].(float64); ok {
				v.setSpecial(name, int(id))
			}
		}
	}
	if on, ok := config.flag("add_prefix_space"); ok && v.Model == "llama" {
		v.prefix = &on
	}
	var err error
	v.templates, err = f.templates(config)
	return err
}

// specialTexts are the texts of the special tokens: of tokenizer_config.json, or of special_tokens_map.json in older folders.
// cls and sep stand for bos and eos where a model has no others.
func (c *tokenizerConfig) specialTexts() map[string]string {
	texts := map[string]string{}
	for _, name := range specialNames {
		texts[name] = c.token(name + "_token")
	}
	for name, other := range map[string]string{"bos": "cls", "eos": "sep"} {
		if texts[name] == "" {
			texts[name] = texts[other]
		}
	}
	return texts
}

// ends reads from the post-processor which tokens are put round a text. A model may close a text with another token than the
// one that its configuration calls eos: then this one is eos, and that one ends a turn (eot).
func (v *Vocabulary) ends(p *processor, texts map[string]string, configured bool) {
	first, last := p.ends()
	if first != "" {
		if !configured {
			texts["bos"] = first
		}
		v.add["bos"] = first == texts["bos"] || first == texts["cls"]
	}
	if last != "" {
		if last != texts["eos"] {
			texts["eos"], texts["eot"] = last, texts["eos"]
		}
		v.add["eos"] = true
	}
	if n := p.between(); n > 0 && last != "" { // between two texts stands the end of the first, and SEP where there is more
		v.add["sep"] = n > 1
	}
}

// findSpecial looks special tokens up by their texts: among the added tokens, else among control tokens, else among all.
func (v *Vocabulary) findSpecial(texts map[string]string, lists ...[]addedToken) {
	number := map[string]int{}
	for i, text := range v.Tokens {
		if v.Kinds[i] == Control || v.Kinds[i] == Unknown {
			number[text] = i
		}
	}
	for _, list := range lists {
		for _, a := range list {
			number[a.Content] = a.ID
		}
	}
	for _, name := range specialNames {
		text := texts[name]
		if text == "" {
			continue
		}
		id, ok := number[text]
		if !ok {
			id = slices.Index(v.Tokens, text)
		}
		v.setSpecial(name, id)
	}
}

// setSpecial keeps the first number that fits.
func (v *Vocabulary) setSpecial(name string, id int) {
	if _, set := v.special[name]; !set && id >= 0 && id < len(v.Tokens) {
		v.special[name] = id
	}
}
