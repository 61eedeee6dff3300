package embed

import (
	"fmt"
	"strings"

	"github.com/llamakit/llamakit/engine"
	"github.com/llamakit/llamakit/engine/vocab"
	"github.com/llamakit/llamakit/tools/internal/flags"
	"github.com/llamakit/llamakit/tools/internal/run"
)

// input is one text with its tokens.
type input struct {
	text   string
	tokens []engine.Token
}

// texts takes the texts from the one place that the command line names.
func (o *options) texts() ([]string, error) {
	sources := 0
	for _, given := range []bool{len(o.operands) > 0, o.prompt != nil, o.file != ""} {
		if given {
			sources++
		}
	}
	switch {
	case sources > 1:
		return nil, run.Usagef("give texts in one way: as arguments, with -p, with -f, or on standard input")
	case o.separator == "" || o.pairs == "":
		return nil, run.Usagef("a separator cannot be empty")
	case len(o.operands) > 0:
		return o.operands, nil
	}
	text, err := o.text()
	if err != nil {
		return nil, err
	}
	if o.separator == "\n" {
		text = strings.ReplaceAll(text, "\r\n", "\n")
	}
	if text = strings.TrimSuffix(text, o.separator); text == "" {
		return nil, fmt.Errorf("there is no text; give some as arguments, with -p, with -f, or on standard input")
	}
	return strings.Split(text, o.separator), nil
}

func (o *options) text() (string, error) {
	switch {
	case o.prompt != nil && o.escape:
		return flags.Unescape(*o.prompt), nil
	case o.prompt != nil:
		return *o.prompt, nil
	case o.file != "":
		data, err := flags.ReadFile(o.file)
		return string(data), err
	}
	data, err := flags.ReadAll("standard input", o.stdin)
	return string(data), err
}

// tokens tokenizes the texts as the model wants them.
func (o *options) tokens(m *engine.Model, texts []string) ([]input, error) {
	v, longest := m.Vocab(), m.Longest()
	if v == nil {
		return nil, fmt.Errorf("the model has no tokenizer that is known here")
	}
	inputs := make([]input, len(texts))
	for i, text := range texts {
		tokens, err := o.encode(m, text)
		switch {
		case err != nil:
			return nil, fmt.Errorf("text %d: %w", i+1, err)
		case len(tokens) == 0:
			return nil, fmt.Errorf("text %d is empty", i+1)
		case len(tokens) > longest && o.truncate:
			last := tokens[len(tokens)-1] // the end of a text, where models have a token for it
			tokens = append(tokens[:longest-1:longest-1], last)
		case len(tokens) > longest:
			return nil, fmt.Errorf("text %d has %d tokens, the model takes %d; shorten it, or cut all such texts with --truncate", i+1, len(tokens), longest)
		}
		inputs[i] = input{text, tokens}
	}
	return inputs, nil
}

func (o *options) encode(m *engine.Model, text string) ([]engine.Token, error) {
	if m.Pooling() != engine.PoolingRank {
		return m.Vocab().Encode(text, vocab.EncodeOptions{AddSpecial: true, ParseSpecial: true}), nil
	}
	query, document, found := strings.Cut(text, o.pairs)
	if !found {
		return nil, fmt.Errorf("no %q between a query and a document, which a reranker takes", o.pairs)
	}
	return m.RankPrompt(query, document)
}
