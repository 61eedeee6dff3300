// Package asjson writes JSON for people and for jq.
package asjson

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/llamakit/llamakit/formats/gguf"
)

// Write writes v with an indent. What a terminal could obey is written as \u202e, as is what hides text: JSON itself only asks
// for that below U+0020.
func Write(w io.Writer, v any) error {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(v); err != nil {
		return err
	}
	_, err := w.Write(escape(b.Bytes()))
	return err
}

// escape escapes what is not printable; beyond ASCII that can only be within texts.
func escape(text []byte) []byte {
	var out []byte
	done := 0
	for i := 0; i < len(text); {
		if text[i] < 0x7f {
			i++
			continue
		}
		r, n := utf8.DecodeRune(text[i:])
		if s := string(r); gguf.Printable(s) != s {
			out = append(out, text[done:i]...)
			for _, unit := range utf16.Encode([]rune{r}) {
				out = fmt.Appendf(out, `\u%04x`, unit)
			}
			done = i + n
		}
		i += n
	}
	return append(out, text[done:]...)
}
