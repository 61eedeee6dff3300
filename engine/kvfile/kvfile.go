// Package kvfile reads and writes files that hold the cache of one sequence: what a model computed of its tokens.
//
// A file is only good for the model and the settings that it was written with, which its header names, and a reader takes all of
// it or nothing: the length follows from the header, and a checksum ends the file. All numbers are little-endian, but for the
// data, which is in the order of the machine.
//
//	magic    "LLKV"
//	version  u32          1
//	order    u32          1, in the order of the machine
//	model    32 bytes     identifies the model
//	types    2 × u32      of keys and values, as in GGUF
//	sizes    2 × u64      bytes of a page, bytes of a recurrent state
//	counts   2 × u32      tokens, recurrent states
//	tokens   u32 each
//	places   u32 each     the number of tokens after which a state stands, ascending
//	data                  of the tokens, page after page; then of the states
//	sum      u32          CRC-32C of all before
package kvfile

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"

	"github.com/llamakit/llamakit/engine/kv"
	"github.com/llamakit/llamakit/formats/quant"
)

// Errors of files.
var (
	ErrDamaged = errors.New("the file is no slot, or is damaged")
	ErrForeign = errors.New("the file was saved by another model or with other settings")
)

// Settings are what a file is good for.
type Settings struct {
	Model      [32]byte
	K, V       quant.Type
	PageBytes  uint64
	StateBytes uint64 // 0: the model has no recurrent state
}

// Check says what differs between the settings of a file and those of a model.
func (file Settings) Check(model Settings) error {
	switch {
	case file.Model != model.Model:
		return fmt.Errorf("%w: it is of another model", ErrForeign)
	case file.K != model.K:
		return fmt.Errorf("%w: its keys are %v, here they are %v", ErrForeign, file.K, model.K)
	case file.V != model.V:
		return fmt.Errorf("%w: its values are %v, here they are %v", ErrForeign, file.V, model.V)
	case file != model:
		return fmt.Errorf("%w: a page takes %d bytes and a state %d, here %d and %d (processors with other instructions keep f16 another way)", ErrForeign,
			file.PageBytes, file.StateBytes, model.PageBytes, model.StateBytes)
	}
	return nil
}

// Header is what stands before the data.
type Header struct {
	Settings
	Tokens []int32
	States []int // the numbers of tokens after which recurrent states stand
}

// DataBytes is the size of the data.
func (h *Header) DataBytes() uint64 {
	return uint64((len(h.Tokens)+kv.PageSize-1)/kv.PageSize)*h.PageBytes + uint64(len(h.States))*h.StateBytes
}

var (
	magic      = []byte("LLKV")
	castagnoli = crc32.MakeTable(crc32.Castagnoli)
)

const (
	version   = 1
	fixedSize = 4 + 4 + 4 + 32 + 8 + 16 + 8
	maxCount  = 1 << 24
	maxBytes  = 1 << 32 // of a page or a state
)

// Write writes a file; data must write DataBytes bytes. It returns the size of the file.
func Write(w io.Writer, h *Header, data func(w io.Writer) error) (int64, error) {
	sum := crc32.New(castagnoli)
	out := io.MultiWriter(w, sum)
	head := appendHeader(nil, h)
	if _, err := out.Write(head); err != nil {
		return 0, err
	}
	if err := data(out); err != nil {
		return 0, err
	}
	if _, err := w.Write(binary.LittleEndian.AppendUint32(nil, sum.Sum32())); err != nil {
		return 0, err
	}
	return int64(len(head)) + int64(h.DataBytes()) + 4, nil
}

func appendHeader(b []byte, h *Header) []byte {
	le := binary.LittleEndian
	b = le.AppendUint32(append(b, magic...), version)
	b = binary.NativeEndian.AppendUint32(b, 1)
	b = append(b, h.Model[:]...)
	b = le.AppendUint32(le.AppendUint32(b, uint32(h.K)), uint32(h.V))
	b = le.AppendUint64(le.AppendUint64(b, h.PageBytes), h.StateBytes)
	b = le.AppendUint32(le.AppendUint32(b, uint32(len(h.Tokens))), uint32(len(h.States)))
	for _, t := range h.Tokens {
		b = le.AppendUint32(b, uint32(t))
	}
	for _, n := range h.States {
		b = le.AppendUint32(b, uint32(n))
	}
	return b
}
