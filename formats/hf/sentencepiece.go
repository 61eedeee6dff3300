package hf

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
)

// piece is one entry of a SentencePiece model.
type piece struct {
	text  string
	score float32
	kind  int // 1 normal, 2 unknown, 3 control, 4 user defined, 5 unused, 6 byte
}

// sentencePiece is the part of a tokenizer.model file that matters here.
type sentencePiece struct {
	pieces         []piece
	modelType      int // 1 unigram, 2 BPE
	addDummyPrefix bool
}

var errTorn = errors.New("the file is cut or is not a SentencePiece model")

// parseSentencePiece reads the protocol buffer ModelProto (sentencepiece_model.proto): field 1 pieces, 2 trainer_spec,
// 3 normalizer_spec.
func parseSentencePiece(data []byte) (*sentencePiece, error) {
	m := &sentencePiece{modelType: 1, addDummyPrefix: true}
	err := fields(data, func(number int, v value) error {
		switch number {
		case 1:
			p := piece{kind: 1}
			if err := fields(v.bytes, p.field); err != nil {
				return fmt.Errorf("piece %d: %w", len(m.pieces), err)
			}
			m.pieces = append(m.pieces, p)
		case 2:
			return fields(v.bytes, func(number int, v value) error {
				if number == 3 {
					m.modelType = int(v.number)
				}
				return nil
			})
		case 3:
			return fields(v.bytes, func(number int, v value) error {
				if number == 3 {
					m.addDummyPrefix = v.number != 0
				}
				return nil
			})
		}
		return nil
	})
	if err == nil && len(m.pieces) == 0 {
		err = errTorn
	}
	return m, err
}

func (p *piece) field(number int, v value) error {
	switch number {
	case 1:
		p.text = string(v.bytes)
	case 2:
		p.score = math.Float32frombits(uint32(v.number))
	case 3:
		p.kind = int(v.number)
	}
	return nil
}

// value is a field's value: bytes of a length-delimited field, else a number.
type value struct {
	bytes  []byte
	number uint64
}

// fields calls visit for each field of a message (protobuf wire format).
func fields(data []byte, visit func(number int, v value) error) error {
	for len(data) > 0 {
		key, n := binary.Uvarint(data)
		if n <= 0 {
			return errTorn
		}
		data = data[n:]
		v, size, ok := fieldValue(int(key&7), data)
		if !ok {
			return errTorn
		}
		data = data[size:]
		if err := visit(int(key>>3), v); err != nil {
			return err
		}
	}
	return nil
}

// fieldValue reads a value of a wire type: 0 varint, 1 eight bytes, 2 length-delimited, 5 four bytes.
func fieldValue(wire int, data []byte) (v value, size int, ok bool) {
	switch wire {
	case 0:
		v.number, size = binary.Uvarint(data)
		return v, size, size > 0
	case 1:
		if len(data) < 8 {
			return v, 0, false
		}
		return value{number: binary.LittleEndian.Uint64(data)}, 8, true
	case 5:
		if len(data) < 4 {
			return v, 0, false
		}
		return value{number: uint64(binary.LittleEndian.Uint32(data))}, 4, true
	case 2:
		n, head := binary.Uvarint(data)
		if head <= 0 || n > uint64(len(data)-head) {
			return v, 0, false
		}
		return value{bytes: data[head : head+int(n)]}, head + int(n), true
	}
	return v, 0, false
}
