package session

import (
	"bufio"
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
)

// History is a file of the messages that were typed, a JSON text a line.
type History struct{ Path string }

// maxHistory is how many messages are remembered.
const maxHistory = 1000

// Read returns the messages, the oldest first. A file that has grown to twice of what is remembered is written anew.
func (h History) Read() []string {
	data, err := os.ReadFile(h.Path)
	if err != nil {
		return nil
	}
	var list []string
	in := bufio.NewScanner(bytes.NewReader(data))
	in.Buffer(nil, MaxFile)
	for in.Scan() {
		var text string
		if json.Unmarshal(in.Bytes(), &text) == nil && text != "" {
			list = append(list, text)
		}
	}
	if len(list) > 2*maxHistory {
		list = list[len(list)-maxHistory:]
		var b bytes.Buffer
		for _, text := range list {
			b.Write(line(text))
		}
		_ = WriteFile(h.Path, b.Bytes()) // it is tried again next time
	}
	return list[max(0, len(list)-maxHistory):]
}

// Add appends a message: in one write, so that programs that run beside each other do not mix theirs.
func (h History) Add(text string) error {
	if err := os.MkdirAll(filepath.Dir(h.Path), 0o700); err != nil {
		return err
	}
	f, err := os.OpenFile(h.Path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(line(text))
	if closed := f.Close(); err == nil {
		err = closed
	}
	return err
}

func line(text string) []byte {
	data, _ := json.Marshal(text) // a text can always be written
	return append(data, '\n')
}
