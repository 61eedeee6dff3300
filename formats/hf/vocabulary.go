package hf

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"regexp"
	"sort"
	"strings"

	"github.com/llamakit/llamakit/formats/gguf"
)

// Kind is a token's type in tokenizer.ggml.token_type.
type Kind int32

// The kinds of tokens.
const (
	Normal      Kind = 1
	Unknown     Kind = 2
	Control     Kind = 3
	UserDefined Kind = 4
	Unused      Kind = 5
	Byte        Kind = 6
)

// Vocabulary is a tokenizer as GGUF files hold it.
type Vocabulary struct {
	Model  string // "gpt2" or "llama"
	Pre    string
	Tokens []string
	Scores []float32 // nil for "gpt2"
	Kinds  []Kind
	Merges []string // of "gpt2"

	special   map[string]int  // bos, eos, unk, ...: token numbers
	add       map[string]bool // bos, eos, sep
	prefix    *bool           // add_space_prefix
	templates []template
}

// template is a chat template; the name is "" where a folder has one only.
type template struct {
	Name string `json:"name"`
	Text string `json:"template"`
}

// specialNames are the special tokens that files name, in the order in which they are written.
var specialNames = []string{"bos", "eos", "unk", "sep", "pad", "cls", "mask", "eot"}

// ErrNoTokenizer is returned for a folder without tokenizer.json and tokenizer.model.
var ErrNoTokenizer = fmt.Errorf("no tokenizer.json and no tokenizer.model: %w", fs.ErrNotExist)

// limits of what a tokenizer may claim.
const maxVocab = 1 << 24

// Vocabulary reads the tokenizer. size is the number of rows of the embedding, to which the vocabulary is padded with unused
// tokens; 0: as many as there are.
func (f *Folder) Vocabulary(size int) (*Vocabulary, error) {
	config, err := f.tokenizerConfig()
	if err != nil {
		return nil, err
	}
	if model, ok, err := f.read("tokenizer.model"); err != nil {
		return nil, err
	} else if ok {
		return f.sentencePieceVocabulary(model, size, config)
	}
	var t tokenizerJSON
	found, err := f.readJSON("tokenizer.json", &t)
	switch {
	case err != nil:
		return nil, err
	case !found:
		return nil, fmt.Errorf("%s: %w", f.Path, ErrNoTokenizer)
	}
	v, err := t.vocabulary(size, config)
	if err == nil {
		err = f.finish(v, &t, config)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", filepath.Join(f.Path, "tokenizer.json"), err)
	}
	return v, nil
}

// vocabulary makes the token list of a tokenizer.json.
func (t *tokenizerJSON) vocabulary(size int, config *tokenizerConfig) (*Vocabulary, error) {
	if t.Model.Type != "BPE" {
		return nil, fmt.Errorf("%w tokenizer model %q, want BPE", ErrUnsupported, t.Model.Type)
	}
	v := &Vocabulary{Model: "gpt2", Merges: t.Model.Merges, add: map[string]bool{}}
	if t.Model.ByteFallback {
		v.Model, v.Pre, v.Merges = "llama", "default", nil
	} else {
		var err error
		if v.Pre, err = t.preName(); err != nil {
			return nil, err
		}
	}
	if err := v.place(t, size); err != nil {
		return nil, err
	}
	v.markAdded(t.Added)
	v.markAdded(config.tokens())
	if v.Model == "llama" {
		v.scoreByMerges(t.Model.Merges)
	}
	return v, nil
}

// tokens are the added tokens of tokenizer_config.json, by number.
func (c *tokenizerConfig) tokens() []addedToken {
	var out []addedToken
	for id, t := range c.added {
		if _, err := fmt.Sscanf(id, "%d", &t.ID); err == nil {
			out = append(out, t)
		}
	}
	sort.Slice(out, func(i, j int) bool { return out[i].ID < out[j].ID })
	return out
}

// place puts every token at its number.
func (v *Vocabulary) place(t *tokenizerJSON, size int) error {
	last := -1
	for text, id := range t.Model.Vocab {
		if id < 0 || id >= maxVocab {
			return fmt.Errorf("token %q has the number %d, want 0 to %d", text, id, maxVocab-1)
		}
		last = max(last, id)
	}
	for _, a := range t.Added {
		if a.ID < 0 || a.ID >= maxVocab {
			return fmt.Errorf("added token %q has the number %d, want 0 to %d", a.Content, a.ID, maxVocab-1)
		}
		last = max(last, a.ID)
	}
	switch {
	case last < 0:
		return errors.New("the vocabulary is empty")
	case size == 0:
		size = last + 1
	case last >= size:
		return fmt.Errorf("token number %d does not fit an embedding of %d rows", last, size)
	}
	v.pad(size)
	for text, id := range t.Model.Vocab {
		if v.Kinds[id] == Normal {
			return fmt.Errorf("tokens %q and %q have the same number %d", v.Tokens[id], text, id)
		}
		v.Tokens[id], v.Kinds[id] = text, Normal
	}
	return nil
}

// pad makes size unused tokens.
func (v *Vocabulary) pad(size int) {
	v.Tokens, v.Kinds = make([]string, size), make([]Kind, size)
	for i := range v.Tokens {
		v.Tokens[i], v.Kinds[i] = fmt.Sprintf("[PAD%d]", i), Unused
	}
}

// markAdded sets the text and the kind of added tokens. Those beyond the vocabulary are left out, as llama.cpp does.
func (v *Vocabulary) markAdded(tokens []addedToken) {
	for _, a := range tokens {
		if a.ID < 0 || a.ID >= len(v.Tokens) {
			continue
		}
		if a.Special || looksSpecial(a.Content) {
			v.Tokens[a.ID], v.Kinds[a.ID] = a.Content, Control
		} else {
			v.Tokens[a.ID], v.Kinds[a.ID] = strings.ReplaceAll(a.Content, "▁", " "), UserDefined
		}
	}
}

var byteToken = regexp.MustCompile(`^<0x[0-9A-Fa-f]{2}>$`)

// scoreByMerges gives the tokens of a SentencePiece BPE scores in the order of its merges: what is merged first is best. Byte
// tokens get their kind. The unknown token is found by its usual name.
func (v *Vocabulary) scoreByMerges(merges []string) {
	rank := map[string]int{}
	for i, m := range merges {
		joined := strings.ReplaceAll(strings.Replace(m, " ", "", 1), "Ġ", " ")
		if _, ok := rank[joined]; !ok {
			rank[joined] = i
		}
	}
	v.Scores = make([]float32, len(v.Tokens))
	for i, text := range v.Tokens {
		r, merged := rank[text]
		switch {
		case v.Kinds[i] != Normal:
			v.Scores[i] = -1000
		case byteToken.MatchString(text):
			v.Kinds[i] = Byte
		case merged:
			v.Scores[i] = -float32(r)
		case text == "<unk>":
			v.Kinds[i] = Unknown
		default:
			v.Scores[i] = -float32(len(merges))
		}
	}
}

// sentencePieceVocabulary makes the token list of a tokenizer.model, with the tokens that other files add.
func (f *Folder) sentencePieceVocabulary(data []byte, size int, config *tokenizerConfig) (*Vocabulary, error) {
	path := filepath.Join(f.Path, "tokenizer.model")
	m, err := parseSentencePiece(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if m.modelType != 2 {
		return nil, fmt.Errorf("%s: %w SentencePiece model of type %d, want 2 (BPE)", path, ErrUnsupported, m.modelType)
	}
	v := &Vocabulary{Model: "llama", Pre: "default", add: map[string]bool{}}
	added := map[string]int{}
	if _, err := f.readJSON("added_tokens.json", &added); err != nil {
		return nil, err
	}
	if size == 0 {
		size = len(m.pieces)
		for _, id := range added {
			size = max(size, min(id, maxVocab-1)+1)
		}
	}
	v.pad(size)
	v.Scores = make([]float32, size)
	for i := range v.Scores {
		v.Scores[i] = -10000
	}
	for i, p := range m.pieces[:min(size, len(m.pieces))] {
		v.Tokens[i], v.Scores[i], v.Kinds[i] = p.text, p.score, Kind(p.kind)
		if p.kind < 1 || p.kind > 6 {
			return nil, fmt.Errorf("%s: piece %d is of type %d, want 1 to 6", path, i, p.kind)
		}
	}
	for text, id := range added {
		if id >= 0 && id < size {
			v.Tokens[id], v.Scores[id], v.Kinds[id] = text, -1000, UserDefined
		}
	}
	v.markAdded(config.tokens())
	for _, t := range config.tokens() {
		if t.ID >= 0 && t.ID < size {
			v.Scores[t.ID] = -1000
		}
	}
	var t tokenizerJSON // for the ends and the numbers of special tokens
	if _, err := f.readJSON("tokenizer.json", &t); err != nil {
		return nil, err
	}
	if !m.addDummyPrefix {
		v.prefix = new(bool)
	}
	return v, f.finish(v, &t, config)
}

// finish finds the special tokens, whether they are added, and the chat templates.
func (f *Folder) finish(v *Vocabulary, t *tokenizerJSON, config *tokenizerConfig) error {
	v.special = map[string]int{}
	eos := config.token("eos_token")
	first, last := t.PostProcessor.ends()
	if bos := config.token("bos_token"); first != "" {
		v.add["bos"] = first == bos || first == config.token("cls_token")
	}
	texts := map[string]string{}
	for _, name := range specialNames {
		texts[name] = config.token(name + "_token")
		if on, ok := config.flag("add_" + name + "_token"); ok && (name == "bos" || name == "eos" || name == "sep") {
			v.add[name] = on
		}
	}
	if last != "" && last != eos && eos != "" { // the template closes a text with another token than the one that ends a turn
		texts["eos"], texts["eot"] = last, eos
		v.add["eos"] = true
	} else if last != "" {
		if _, set := v.add["eos"]; !set {
			v.add["eos"] = true
		}
	}
	v.findSpecial(t, config, texts)
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

// findSpecial looks special tokens up by their texts, among the added tokens first.
func (v *Vocabulary) findSpecial(t *tokenizerJSON, config *tokenizerConfig, texts map[string]string) {
	number := map[string]int{}
	for i, text := range v.Tokens {
		if v.Kinds[i] == Control || v.Kinds[i] == Unknown {
			number[text] = i
		}
	}
	for _, a := range append(config.tokens(), t.Added...) {
		number[a.Content] = a.ID
	}
	for _, name := range specialNames {
		if id, ok := number[texts[name]]; ok && texts[name] != "" {
			v.setSpecial(name, id)
		}
	}
}

// setSpecial keeps the first number that fits.
func (v *Vocabulary) setSpecial(name string, id int) {
	if _, set := v.special[name]; !set && id >= 0 && id < len(v.Tokens) {
		v.special[name] = id
	}
}

// templates reads chat_template.jinja, or the template of tokenizer_config.json, which may be a list of named ones.
func (f *Folder) templates(config *tokenizerConfig) ([]template, error) {
	raw, ok := config.values["chat_template"]
	if !ok || string(raw) == "null" {
		text, found, err := f.read("chat_template.jinja")
		if err != nil || !found {
			return nil, err
		}
		return []template{{Text: string(text)}}, nil
	}
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return []template{{Text: text}}, nil
	}
	var list []template
	if err := json.Unmarshal(raw, &list); err != nil {
		return nil, fmt.Errorf("%s: chat_template is neither a text nor a list of named ones", filepath.Join(f.Path, "tokenizer_config.json"))
	}
	return list, nil
}

// Set writes the keys tokenizer.*.
func (v *Vocabulary) Set(md *gguf.Metadata) {
	md.Set("tokenizer.ggml.model", gguf.String(v.Model))
	md.Set("tokenizer.ggml.pre", gguf.String(v.Pre))
	md.Set("tokenizer.ggml.tokens", gguf.Strings(v.Tokens))
	if v.Scores != nil {
		md.Set("tokenizer.ggml.scores", gguf.Float32s(v.Scores))
	}
	kinds := make([]int32, len(v.Kinds))
	for i, k := range v.Kinds {
		kinds[i] = int32(k)
	}
	md.Set("tokenizer.ggml.token_type", gguf.Int32s(kinds))
	if len(v.Merges) > 0 {
		md.Set("tokenizer.ggml.merges", gguf.Strings(v.Merges))
	}
	v.setSpecials(md)
	v.setTemplates(md)
}

// keyNames are special tokens whose key is spelled otherwise.
var keyNames = map[string]string{"unk": "unknown", "sep": "seperator", "pad": "padding"}

func (v *Vocabulary) setSpecials(md *gguf.Metadata) {
	for _, name := range specialNames {
		if id, ok := v.special[name]; ok {
			key := name
			if long, ok := keyNames[name]; ok {
				key = long
			}
			md.Set("tokenizer.ggml."+key+"_token_id", gguf.Uint32(uint32(id)))
		}
	}
	for _, name := range []string{"bos", "eos", "sep"} {
		if on, ok := v.add[name]; ok {
			md.Set("tokenizer.ggml.add_"+name+"_token", gguf.Bool(on))
		}
	}
	if v.prefix != nil {
		md.Set("tokenizer.ggml.add_space_prefix", gguf.Bool(*v.prefix))
	}
}

func (v *Vocabulary) setTemplates(md *gguf.Metadata) {
	var names []string
	for _, t := range v.templates {
		if t.Name == "" || t.Name == "default" {
			md.Set("tokenizer.chat_template", gguf.String(t.Text))
			continue
		}
		name := regexp.MustCompile(`[^a-z0-9_]+`).ReplaceAllString(strings.ToLower(t.Name), "_")
		md.Set("tokenizer.chat_template."+name, gguf.String(t.Text))
		names = append(names, name)
	}
	if len(names) > 0 {
		md.Set("tokenizer.chat_templates", gguf.Strings(names))
	}
}
