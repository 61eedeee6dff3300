package source

import "io"

// Read reads a stream as Generate does.
func Read(r io.Reader) {
	a := &reply{server: &Server{pieces: map[int32]Token{}}}
	for data, err := range lines(r) {
		if err != nil {
			return
		}
		if _, err := a.read(data); err != nil {
			return
		}
	}
}
