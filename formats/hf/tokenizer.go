package hf

import (
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"sort"
	"strconv"
	"strings"
)

// addedToken is a token that stands beside the model's own vocabulary, or marks one of it.
type addedToken struct {
	ID      int    `json:"id"`
	Content string `json:"content"`
	Special bool   `json:"special"`
}

// tokenizerJSON is the part of tokenizer.json that matters here.
type tokenizerJSON struct {
	Model struct {
		Type         string    `json:"type"`
		Vocab        entries   `json:"vocab"`
		Merges       mergeList `json:"merges"`
		ByteFallback bool      `json:"byte_fallback"`
		IgnoreMerges bool      `json:"ignore_merges"`
		UnkID        *int      `json:"unk_id"` // of a unigram model
	} `json:"model"`
	Added         []addedToken  `json:"added_tokens"`
	PreTokenizer  *preTokenizer `json:"pre_tokenizer"`
	Normalizer    *preTokenizer `json:"normalizer"`
	PostProcessor *processor    `json:"post_processor"`
}

// entries are token text to number, or the list of a unigram model.
type entries struct {
	numbers map[string]int
	pieces  []scoredPiece
}

func (v *entries) UnmarshalJSON(data []byte) error {
	if len(data) > 0 && data[0] == '[' {
		return json.Unmarshal(data, &v.pieces)
	}
	return json.Unmarshal(data, &v.numbers)
}

// mergeList holds the merges, best first. Older files write "left right", newer ones pairs, whose parts may hold spaces.
type mergeList [][2]string

func (m *mergeList) UnmarshalJSON(data []byte) error {
	if json.Unmarshal(data, (*[][2]string)(m)) == nil {
		return nil
	}
	var texts []string
	if err := json.Unmarshal(data, &texts); err != nil {
		return errors.New("merges are neither texts nor pairs of texts")
	}
	*m = make(mergeList, len(texts))
	for i, text := range texts {
		left, right, ok := strings.Cut(text, " ")
		if !ok || strings.Contains(right, " ") {
			return fmt.Errorf("merge %d is %q, want two parts with a space between", i, text)
		}
		(*m)[i] = [2]string{left, right}
	}
	return nil
}

// lines writes the merges as GGUF has them, "left right". A space inside a part becomes the character that byte-level BPE
// writes for it.
func (m mergeList) lines() []string {
	out := make([]string, len(m))
	for i, pair := range m {
		out[i] = strings.ReplaceAll(pair[0], " ", "Ġ") + " " + strings.ReplaceAll(pair[1], " ", "Ġ")
	}
	return out
}

// processor is the post-processor: whether BOS and EOS are put around a text.
type processor struct {
	Type       string          `json:"type"`
	Processors []processor     `json:"processors"`
	Single     []templatePiece `json:"single"`
	Pair       []templatePiece `json:"pair"`
	CLS        [2]any          `json:"cls"` // text and number, of BertProcessing and RobertaProcessing
	SEP        [2]any          `json:"sep"`
}

type templatePiece struct {
	SpecialToken *struct {
		ID string `json:"id"`
	} `json:"SpecialToken"`
}

// template returns the TemplateProcessing step, or nil.
func (p *processor) template() *processor {
	if p == nil || p.Type == "TemplateProcessing" {
		return p
	}
	for i := range p.Processors {
		if t := p.Processors[i].template(); t != nil {
			return t
		}
	}
	return nil
}

// ends returns the special tokens that the template puts first and last; "" for none.
func (p *processor) ends() (first, last string) {
	t := p.template()
	if p != nil && (p.Type == "BertProcessing" || p.Type == "RobertaProcessing") {
		first, _ = p.CLS[0].(string)
		last, _ = p.SEP[0].(string)
		return first, last
	}
	if t == nil || len(t.Single) < 2 {
		return "", ""
	}
	if s := t.Single[0].SpecialToken; s != nil {
		first = s.ID
	}
	if s := t.Single[len(t.Single)-1].SpecialToken; s != nil {
		last = s.ID
	}
	return first, last
}

// between is the number of special tokens that stand between two texts; 0 also when that is not said.
func (p *processor) between() int {
	switch {
	case p == nil:
		return 0
	case p.Type == "BertProcessing":
		return 1
	case p.Type == "RobertaProcessing":
		return 2
	}
	texts, n := 0, 0
	if t := p.template(); t != nil {
		for _, piece := range t.Pair {
			if piece.SpecialToken == nil {
				texts++
			} else if texts == 1 {
				n++
			}
		}
	}
	return n
}

// tokenizerConfig is tokenizer_config.json.
type tokenizerConfig struct {
	found  bool
	values map[string]json.RawMessage
	old    map[string]json.RawMessage // special_tokens_map.json, where older folders have texts of special tokens
	added  []addedToken               // added_tokens_decoder, by number
}

func (f *Folder) tokenizerConfig() (*tokenizerConfig, error) {
	c := &tokenizerConfig{}
	var err error
	if c.found, err = f.readJSON("tokenizer_config.json", &c.values); err != nil {
		return nil, err
	}
	if _, err := f.readJSON("special_tokens_map.json", &c.old); err != nil {
		return nil, err
	}
	if c.added, err = decodeAdded(c.values["added_tokens_decoder"]); err != nil {
		return nil, fmt.Errorf("%s: added_tokens_decoder: %w", filepath.Join(f.Path, "tokenizer_config.json"), err)
	}
	return c, nil
}

// decodeAdded reads an object of added tokens by number.
func decodeAdded(raw json.RawMessage) ([]addedToken, error) {
	if raw == nil {
		return nil, nil
	}
	var byNumber map[string]addedToken
	if err := json.Unmarshal(raw, &byNumber); err != nil {
		return nil, err
	}
	var out []addedToken
	for key, t := range byNumber {
		id, err := strconv.Atoi(key)
		if err != nil {
			return nil, fmt.Errorf("%q is not a number", key)
		}
		t.ID = id
		out = append(out, t)
	}
	sort.Slice(out, func(i, j int) bool { return out[i].ID < out[j].ID })
	return out, nil
}

// tokens are the added tokens of tokenizer_config.json, by number.
func (c *tokenizerConfig) tokens() []addedToken { return c.added }

// token is the text of a token key, which is a text or an object with content.
func (c *tokenizerConfig) token(key string) string {
	raw, ok := c.values[key]
	if !ok {
		raw = c.old[key]
	}
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return text
	}
	var object addedToken
	_ = json.Unmarshal(raw, &object) // null and other types: no token
	return object.Content
}

// flag is the value of a boolean key; ok is false when it is missing.
func (c *tokenizerConfig) flag(key string) (value, ok bool) {
	raw, there := c.values[key]
	return value, there && json.Unmarshal(raw, &value) == nil && string(raw) != "null"
}
