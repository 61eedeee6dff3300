package bench

import (
	"errors"
	"fmt"
	"io"

	"github.com/llamakit/llamakit/formats/gguf"
)

// told prints errors that were joined, a line each, but for the last one, which it returns for the caller to tell. An error that several
// tests met is told once.
func told(stderr io.Writer, err error) error {
	var list []error
	flatten(err, map[string]bool{}, &list)
	if len(list) < 2 {
		return errors.Join(list...)
	}
	for _, e := range list[:len(list)-1] {
		fmt.Fprintln(stderr, gguf.Printable(e.Error()))
	}
	return list[len(list)-1]
}

func flatten(err error, seen map[string]bool, list *[]error) {
	joined, ok := err.(interface{ Unwrap() []error })
	switch {
	case ok:
		for _, e := range joined.Unwrap() {
			flatten(e, seen, list)
		}
	case err != nil && !seen[err.Error()]:
		seen[err.Error()] = true
		*list = append(*list, err)
	}
}
