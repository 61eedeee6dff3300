package hf

import (
	"encoding/json"
	"fmt"
	"path/filepath"
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
		Vocab        vocabMap  `json:"vocab"`
		Merges       mergeList `json:"merges"`
		ByteFallback bool      `json:"byte_fallback"`
		IgnoreMerges bool      `json:"ignore_merges"`
	} `json:"model"`
	Added         []addedToken  `json:"added_tokens"`
	PreTokenizer  *preTokenizer `json:"pre_tokenizer"`
	Normalizer    *preTokenizer `json:"normalizer"`
	PostProcessor *processor    `json:"post_processor"`
}

// vocabMap is token text to number; unigram models have a list instead, which is left to them.
type vocabMap map[string]int

func (v *vocabMap) UnmarshalJSON(data []byte) error {
	if len(data) > 0 && data[0] != '{' {
		return nil
	}
	return json.Unmarshal(data, (*map[string]int)(v))
}

// mergeList holds merges as "left right". Newer files write pairs, whose parts may hold spaces; these become the character
// that byte-level BPE writes for a space.
type mergeList []string

func (m *mergeList) UnmarshalJSON(data []byte) error {
	if err := json.Unmarshal(data, (*[]string)(m)); err == nil {
		return nil
	}
	var pairs [][2]string
	if err := json.Unmarshal(data, &pairs); err != nil {
		return fmt.Errorf("merges are neither texts nor pairs: %w", err)
	}
	*m = make([]string, len(pairs))
	for i, p := range pairs {
		(*m)[i] = strings.ReplaceAll(p[0], " ", "Ġ") + " " + strings.ReplaceAll(p[1], " ", "Ġ")
	}
	return nil
}

// processor is the post-processor: whether BOS and EOS are put around a text.
type processor struct {
	Type       string          `json:"type"`
	Processors []processor     `json:"processors"`
	Single     []templatePiece `json:"single"`
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

// tokenizerConfig is tokenizer_config.json.
type tokenizerConfig struct {
	values map[string]json.RawMessage
	added  map[string]addedToken // added_tokens_decoder, by number
}

func (f *Folder) tokenizerConfig() (*tokenizerConfig, error) {
	c := &tokenizerConfig{}
	if _, err := f.readJSON("tokenizer_config.json", &c.values); err != nil {
		return nil, err
	}
	if raw, ok := c.values["added_tokens_decoder"]; ok {
		if err := json.Unmarshal(raw, &c.added); err != nil {
			return nil, fmt.Errorf("%s: added_tokens_decoder: %w", filepath.Join(f.Path, "tokenizer_config.json"), err)
		}
	}
	return c, nil
}

// token is the text of a token key, which is a text or an object with content.
func (c *tokenizerConfig) token(key string) string {
	var text string
	if json.Unmarshal(c.values[key], &text) == nil {
		return text
	}
	var object addedToken
	_ = json.Unmarshal(c.values[key], &object) // null and other types: no token
	return object.Content
}

// flag is the value of a boolean key; ok is false when it is missing.
func (c *tokenizerConfig) flag(key string) (value, ok bool) {
	raw, there := c.values[key]
	return value, there && json.Unmarshal(raw, &value) == nil && string(raw) != "null"
}

// looksSpecial says of tokens that some models forget to mark as special.
func looksSpecial(text string) bool {
	switch text {
	case "<pad>", "<mask>", "<2mass>", "[@BOS@]":
		return true
	}
	around := func(begin, end string) bool { return strings.HasPrefix(text, begin) && strings.HasSuffix(text, end) }
	return around("<|", "|>") || around("<｜", "｜>") || around("<unused", ">")
}
