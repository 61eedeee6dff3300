package embed

import (
	"encoding/binary"
	"fmt"
	"io"
	"strings"
)

// npy is NumPy's file of one array, version 1.0 (https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html): a magic,
// a description in Python's spelling that ends at a multiple of 64 bytes, and the values.
type npy struct {
	w     io.Writer
	rows  int
	begun bool
}

func (n *npy) vector(_ string, v []float32) error {
	if !n.begun {
		n.begun = true
		if err := n.header(len(v)); err != nil {
			return err
		}
	}
	return binary.Write(n.w, binary.LittleEndian, v)
}

func (n *npy) header(width int) error {
	const magic = "\x93NUMPY\x01\x00"
	text := fmt.Sprintf("{'descr': '<f4', 'fortran_order': False, 'shape': (%d, %d), }", n.rows, width)
	text += strings.Repeat(" ", 63-(len(magic)+2+len(text))%64) + "\n"
	_, err := io.WriteString(n.w, magic+string(binary.LittleEndian.AppendUint16(nil, uint16(len(text))))+text)
	return err
}

func (n *npy) end() error { return nil }
