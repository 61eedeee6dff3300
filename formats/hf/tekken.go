package hf

import (
	"encoding/base64"
	"fmt"
	"math"
	"slices"
	"strings"
)

// tekken is tekken.json, Mistral's own form of a byte-level BPE: tokens as bytes, in the order in which they are merged. Their numbers
// begin behind those of the special tokens.
type tekken struct {
	Config struct {
		Pattern  string `json:"pattern"`
		Size     int    `json:"default_vocab_size"`
		Specials int    `json:"default_num_special_tokens"`
	} `json:"config"`
	Vocab []struct {
		Bytes string `json:"token_bytes"`
	} `json:"vocab"`
	Special []struct {
		Rank int    `json:"rank"`
		Text string `json:"token_str"`
	} `json:"special_tokens"`
}

// maxTekkenToken bounds the bytes of a token, whose parts are searched for in a time that grows with their square.
const maxTekkenToken = 1 << 10

// oldSpecials are the special tokens of versions whose files do not list them.
var oldSpecials = []string{"<unk>", "<s>", "</s>", "[INST]", "[/INST]", "[AVAILABLE_TOOLS]", "[/AVAILABLE_TOOLS]", "[TOOL_RESULTS]", "[/TOOL_RESULTS]", "[TOOL_CALLS]", "[IMG]",
	"<pad>", "[IMG_BREAK]", "[IMG_END]", "[PREFIX]", "[MIDDLE]", "[SUFFIX]", "[SYSTEM_PROMPT]", "[/SYSTEM_PROMPT]", "[TOOL_CONTENT]"}

// tokenizer is the same as tokenizer.json has it.
func (k *tekken) tokenizer() (*tokenizerJSON, error) {
	t := &tokenizerJSON{}
	t.Model.Type, t.Model.Vocab.numbers = "BPE", map[string]int{}
	t.PreTokenizer = &preTokenizer{Type: "Split", Pattern: &pattern{Regex: k.Config.Pattern}, Behavior: "Isolated"}
	if k.Config.Specials < 0 || k.Config.Specials > min(k.Config.Size, maxGaps) || k.Config.Size > maxVocab {
		return nil, fmt.Errorf("%d special tokens among %d tokens, want at most %d among at most %d", k.Config.Specials, k.Config.Size, maxGaps, maxVocab)
	}
	k.addSpecials(t)
	ranks := map[string]int{}
	for i := range min(len(k.Vocab), k.Config.Size-k.Config.Specials) {
		data, err := base64.StdEncoding.DecodeString(k.Vocab[i].Bytes)
		if err != nil || len(data) == 0 || len(data) > maxTekkenToken {
			return nil, fmt.Errorf("token %d: %q is not 1 to %d bytes in base64", i, k.Vocab[i].Bytes[:min(40, len(k.Vocab[i].Bytes))], maxTekkenToken)
		}
		ranks[string(data)] = i
		t.Model.Vocab.numbers[byteText(string(data))] = k.Config.Specials + i
		if left, right, ok := lastMerge(ranks, string(data), i); ok {
			t.Model.Merges = append(t.Model.Merges, [2]string{byteText(left), byteText(right)})
		}
	}
	return t, nil
}

// addSpecials lists the special tokens; numbers without a text get one that no text has.
func (k *tekken) addSpecials(t *tokenizerJSON) {
	texts := slices.Clone(oldSpecials)
	if len(k.Special) > 0 {
		texts = nil
	}
	for _, s := range k.Special {
		if s.Rank < 0 || s.Rank >= k.Config.Specials {
			continue
		}
		texts = append(texts, make([]string, max(0, s.Rank+1-len(texts)))...)
		texts[s.Rank] = s.Text
	}
	for i := range k.Config.Specials {
		text := fmt.Sprintf("<SPECIAL_%d>", i)
		if i < len(texts) && texts[i] != "" {
			text = texts[i]
		}
		t.Added = append(t.Added, addedToken{ID: i, Content: text, Special: true})
	}
}

// lastMerge finds the two tokens that make one: those that merging its bytes, best first, leaves before the last merge.
func lastMerge(ranks map[string]int, text string, rank int) (left, right string, ok bool) {
	var parts []string
	for i := range len(text) {
		parts = append(parts, text[i:i+1])
	}
	for len(parts) > 2 {
		best, at := math.MaxInt, -1
		for i := range len(parts) - 1 {
			if r, known := ranks[parts[i]+parts[i+1]]; known && r < rank && r < best {
				best, at = r, i
			}
		}
		if at < 0 {
			return "", "", false
		}
		parts[at] += parts[at+1]
		parts = slices.Delete(parts, at+1, at+2)
	}
	if len(parts) < 2 {
		return "", "", false
	}
	return parts[0], parts[1], true
}

// byteText writes bytes as byte-level BPE does (GPT-2): those that print as the character of that number, the others, in order, from
// U+0100 on.
func byteText(data string) string {
	var b strings.Builder
	for i := range len(data) {
		b.WriteRune(byteRunes[data[i]])
	}
	return b.String()
}

var byteRunes = func() (out [256]rune) {
	next := rune(256)
	for c := range rune(256) {
		if c >= '!' && c <= '~' || c >= '¡' && c <= '¬' || c >= '®' {
			out[c] = c
			continue
		}
		out[c] = next
		next++
	}
	return out
}()

// tekkenVocabulary makes the vocabulary of a folder that has tekken.json and no other form.
func (f *Folder) tekkenVocabulary(size int, config *tokenizerConfig) (*Vocabulary, bool, error) {
	var k tekken
	if found, err := f.readJSON("tekken.json", &k); err != nil || !found {
		return nil, found, err
	}
	t, err := k.tokenizer()
	if err != nil {
		return nil, true, err
	}
	v, err := t.bpe(size, config)
	if err != nil {
		return nil, true, err
	}
	if err := f.finish(v, t, config); err != nil {
		return nil, true, err
	}
	for name, text := range map[string]string{"bos": "<s>", "eos": "</s>", "unk": "<unk>", "pad": "<pad>"} {
		v.setSpecial(name, slices.Index(v.Tokens, text))
	}
	v.add["bos"], v.add["eos"] = true, false
	return v, true, nil
}
