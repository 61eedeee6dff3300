package debug

import (
	"bytes"
	"encoding/json"

	"github.com/llamakit/llamakit/engine/chat"
)

// EncodeMessages writes a conversation as the chat APIs have it: Input.Messages.
func EncodeMessages(list []chat.Message) (json.RawMessage, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(list)
	return bytes.TrimSpace(b.Bytes()), err
}
