package probe

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/llamakit/llamakit/engine/vocab"
	"github.com/llamakit/llamakit/formats/gguf"
)

// Tokens are the entries of a vocabulary.
type Tokens struct {
	Vocab *vocab.Vocab // nil where the tokenizer cannot be used
	Err   error        // why

	text   []string // as the file spells them
	scores []float32
	kinds  []int
}

// Token is one entry.
type Token struct {
	ID    vocab.Token `json:"id"`
	Text  string      `json:"text"`  // as the file spells it
	Piece string      `json:"piece"` // what it stands for; may be no UTF-8
	Kind  string      `json:"type"`
	Score float32     `json:"score"`
}

// ReadTokens reads the vocabulary of a file. Entries of a tokenizer that is not known here, or that is damaged, can be
// looked at nevertheless.
func ReadTokens(md *gguf.Metadata) (*Tokens, error) {
	t := &Tokens{}
	r := md.Reader("tokenizer.ggml")
	t.text = r.Strs("tokens")
	if err := r.Err(); errors.Is(err, gguf.ErrNotFound) {
		return nil, errors.New("the file has no vocabulary (key tokenizer.ggml.tokens)")
	} else if err != nil {
		return nil, err
	}
	if r.Has("scores") {
		t.scores = r.Floats("scores")
	}
	if r.Has("token_type") {
		t.kinds = r.Ints("token_type")
	}
	if t.Vocab, t.Err = vocab.New(md); t.Err == nil {
		t.Err = r.Err()
	}
	return t, nil
}

// Len is the number of entries.
func (t *Tokens) Len() int { return len(t.text) }

// Token returns an entry.
func (t *Tokens) Token(id int) Token {
	k := Token{ID: vocab.Token(id), Text: t.text[id], Piece: t.piece(id), Kind: t.kind(id).String()}
	if id < len(t.scores) {
		k.Score = t.scores[id]
	}
	return k
}

// HasScores says whether the file has scores.
func (t *Tokens) HasScores() bool { return len(t.scores) > 0 }

func (t *Tokens) piece(id int) string {
	if t.Vocab == nil {
		return t.text[id]
	}
	return string(t.Vocab.Piece(vocab.Token(id), true))
}

func (t *Tokens) kind(id int) vocab.Kind {
	switch {
	case t.Vocab != nil:
		return t.Vocab.Kind(vocab.Token(id))
	case id < len(t.kinds) && t.kinds[id] >= 0 && t.kinds[id] <= int(vocab.Byte):
		return vocab.Kind(t.kinds[id])
	}
	return vocab.Normal
}

// query is what is looked for.
type query struct {
	text     string // in lower case; empty: anything
	pattern  *regexp.Regexp
	kind     string
	from, to int // ids, to is not among them
}

// parse reads #12 or #10-20 (ids), :control (a type), /regular expression/, or text in any case; a type may stand before
// the others.
func (t *Tokens) parse(text string) (q query, err error) {
	q.to = t.Len()
	if rest, ok := strings.CutPrefix(text, ":"); ok {
		q.kind, text, _ = strings.Cut(rest, " ")
	}
	if rest, ok := strings.CutPrefix(text, "/"); ok && rest != "" {
		q.pattern, err = regexp.Compile(strings.TrimSuffix(rest, "/"))
		return q, err
	}
	if rest, ok := strings.CutPrefix(text, "#"); ok && rest != "" {
		first, last, isRange := strings.Cut(rest, "-")
		from, err := strconv.Atoi(first)
		to := from
		if isRange && err == nil {
			to, err = strconv.Atoi(last)
		}
		if err == nil {
			q.from, q.to = max(0, min(from, t.Len())), max(0, min(to, t.Len()-1)+1)
			return q, nil
		}
	}
	q.text = strings.ToLower(text)
	return q, nil
}

// Search returns the ids of the entries that a text stands for:
//
//	the       entries with "the" in them, in any case
//	/^ing$/   those that the regular expression matches (Go's syntax)
//	#12       entry 12, and #12-20 those up to 20
//	:control  those of a type, and :control end those with "end" in them, too
//
// Both what an entry stands for and the file's spelling of it are looked at.
func (t *Tokens) Search(ctx context.Context, text string) ([]int, error) {
	q, err := t.parse(text)
	if err != nil {
		return nil, fmt.Errorf("%s", strings.ReplaceAll(err.Error(), "\n", " "))
	}
	var found []int
	for id := q.from; id < q.to; id++ {
		if id%4096 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if q.matches(t, id) {
			found = append(found, id)
		}
	}
	return found, nil
}

func (q *query) matches(t *Tokens, id int) bool {
	if q.kind != "" && !strings.HasPrefix(t.kind(id).String(), q.kind) {
		return false
	}
	text, piece := t.text[id], t.piece(id)
	if q.pattern != nil {
		return q.pattern.MatchString(piece) || q.pattern.MatchString(text)
	}
	return q.text == "" || strings.Contains(strings.ToLower(piece), q.text) || strings.Contains(strings.ToLower(text), q.text)
}
