package source

import (
	"io"

	"github.com/llamakit/llamakit/tui/client"
)

// Read reads a stream as Generate does.
func Read(r io.Reader) {
	a := &reply{server: &Server{client: &client.Client{}, pieces: map[int32]Token{}}}
	for data, err := range lines(r) {
		if err != nil {
			return
		}
		if _, err := a.read(data); err != nil {
			return
		}
	}
}
