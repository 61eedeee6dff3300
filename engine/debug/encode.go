package debug

import (
	"bytes"
	"encoding/json"
)

// Encode writes v as the JSON fields of an Input have it, with <, > and & as they are: a list of chat.Message for Messages.
func Encode(v any) (json.RawMessage, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return bytes.TrimSpace(b.Bytes()), err
}
