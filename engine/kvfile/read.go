package kvfile

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"io"

	"github.com/llamakit/llamakit/formats/quant"
)

// File is a file of which all is known to be there.
type File struct {
	Header
	Data io.Reader // DataBytes bytes
}

// Read checks a whole file and goes back to its data. The errors are ErrDamaged and r's own.
func Read(r io.ReadSeeker) (*File, error) {
	size, err := r.Seek(0, io.SeekEnd)
	if err != nil {
		return nil, err
	}
	if _, err := r.Seek(0, io.SeekStart); err != nil {
		return nil, err
	}
	h, head, err := readHeader(r, size)
	if err != nil {
		return nil, err
	}
	if want := head + int64(h.DataBytes()) + 4; size != want {
		return nil, fmt.Errorf("%w: it has %d bytes, and its header says %d", ErrDamaged, size, want)
	}
	if err := checkSum(r, size); err != nil {
		return nil, err
	}
	if _, err := r.Seek(head, io.SeekStart); err != nil {
		return nil, err
	}
	return &File{*h, io.LimitReader(r, int64(h.DataBytes()))}, nil
}

// readHeader reads what stands before the data, size bytes at most, and returns its length.
func readHeader(r io.Reader, size int64) (h *Header, n int64, err error) {
	var b [fixedSize]byte
	if _, err := io.ReadFull(r, b[:]); err != nil {
		return nil, 0, fmt.Errorf("%w: it has %d bytes, a header takes %d", ErrDamaged, size, fixedSize)
	}
	le := binary.LittleEndian
	if !bytes.Equal(b[:4], magic) {
		return nil, 0, fmt.Errorf("%w: it does not begin with %q", ErrDamaged, magic)
	}
	if v := le.Uint32(b[4:]); v != version {
		return nil, 0, fmt.Errorf("%w: its version is %d, want %d", ErrDamaged, v, version)
	}
	if binary.NativeEndian.Uint32(b[8:]) != 1 {
		return nil, 0, fmt.Errorf("%w: its machine has another order of bytes", ErrForeign)
	}
	h = &Header{}
	copy(h.Model[:], b[12:44])
	h.K, h.V = quant.Type(le.Uint32(b[44:])), quant.Type(le.Uint32(b[48:]))
	h.PageBytes, h.StateBytes = le.Uint64(b[52:]), le.Uint64(b[60:])
	tokens, states := int64(le.Uint32(b[68:])), int64(le.Uint32(b[72:]))
	n = fixedSize + 4*(tokens+states)
	if tokens > maxCount || states > tokens || h.PageBytes > maxBytes || h.StateBytes > maxBytes || n > size {
		return nil, 0, fmt.Errorf("%w: %d tokens of %d bytes and %d states of %d are more than there can be", ErrDamaged,
			tokens, h.PageBytes, states, h.StateBytes)
	}
	list := make([]byte, 4*(tokens+states))
	if _, err := io.ReadFull(r, list); err != nil {
		return nil, 0, err
	}
	return h, n, h.setLists(list, int(tokens))
}

func (h *Header) setLists(list []byte, tokens int) error {
	h.Tokens = make([]int32, tokens)
	for i := range h.Tokens {
		h.Tokens[i] = int32(binary.LittleEndian.Uint32(list[4*i:]))
	}
	last := 0
	for list = list[4*tokens:]; len(list) > 0; list = list[4:] {
		n := int(binary.LittleEndian.Uint32(list))
		if n <= last || n > tokens {
			return fmt.Errorf("%w: a state after %d of %d tokens follows one after %d", ErrDamaged, n, tokens, last)
		}
		h.States, last = append(h.States, n), n
	}
	return nil
}

// checkSum reads everything and compares the sum at the end.
func checkSum(r io.ReadSeeker, size int64) error {
	if _, err := r.Seek(0, io.SeekStart); err != nil {
		return err
	}
	sum := crc32.New(castagnoli)
	if _, err := io.CopyN(sum, r, size-4); err != nil {
		return err
	}
	var want [4]byte
	if _, err := io.ReadFull(r, want[:]); err != nil {
		return err
	}
	if sum.Sum32() != binary.LittleEndian.Uint32(want[:]) {
		return fmt.Errorf("%w: its checksum is wrong", ErrDamaged)
	}
	return nil
}
