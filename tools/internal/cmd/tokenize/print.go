package tokenize

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/llamakit/llamakit/engine/vocab"
	"github.com/llamakit/llamakit/formats/gguf"
)

// print shows the tokens of a text; an error of a buffered w shows when it is flushed.
func (o *options) print(w io.Writer, v *vocab.Vocab, text string) error {
	opt := vocab.EncodeOptions{AddSpecial: !o.noBOS, ParseSpecial: !o.noSpecials}
	tokens := v.Encode(text, opt)
	switch {
	case o.json:
		return o.printJSON(w, v, tokens, v.Locate(text, tokens, opt))
	case o.ids:
		fmt.Fprintf(w, "[%s]\n", strings.Trim(strings.ReplaceAll(fmt.Sprint(tokens), " ", ", "), "[]"))
	default:
		for i, t := range tokens {
			fmt.Fprintf(w, "%6d -> '%s'\n", t, o.paint(i, v.Kind(t), gguf.Printable(string(v.Piece(t, true)))))
		}
	}
	if o.count {
		fmt.Fprintf(w, "Total number of tokens: %d\n", len(tokens))
	}
	return nil
}

// row is a token in JSON. A piece that is no UTF-8 by itself is given as bytes, too.
type row struct {
	ID     vocab.Token `json:"id"`
	Piece  string      `json:"piece"`
	Bytes  []int       `json:"bytes,omitempty"`
	Kind   string      `json:"kind"`
	Offset int         `json:"offset"` // in the text
	Length int         `json:"length"` // 0: does not come from the text
}

func (o *options) printJSON(w io.Writer, v *vocab.Vocab, tokens []vocab.Token, at []vocab.Range) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	for i, t := range tokens {
		piece := v.Piece(t, true)
		r := row{ID: t, Piece: string(piece), Kind: v.Kind(t).String(), Offset: at[i].From, Length: at[i].To - at[i].From}
		if !utf8.Valid(piece) {
			for _, b := range piece {
				r.Bytes = append(r.Bytes, int(b))
			}
		}
		if err := enc.Encode(r); err != nil {
			return err
		}
	}
	if o.count {
		return enc.Encode(map[string]int{"count": len(tokens)})
	}
	return nil
}

// Colours of pieces: two grounds in turn show where spaces belong, and a third marks tokens that are no text. Black on
// these can be read whatever the terminal's own ground is.
const (
	evenPiece    = "\x1b[30;46m"
	oddPiece     = "\x1b[30;47m"
	specialPiece = "\x1b[30;43m"
	plain        = "\x1b[0m"
)

// paint colours the i-th piece.
func (o *options) paint(i int, kind vocab.Kind, piece string) string {
	switch {
	case !o.colours:
		return piece
	case kind == vocab.Control || kind == vocab.Unknown:
		return specialPiece + piece + plain
	case i%2 == 1:
		return oddPiece + piece + plain
	}
	return evenPiece + piece + plain
}
