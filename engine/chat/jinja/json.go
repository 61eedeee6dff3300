package jinja

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"math/big"
	"strings"
)

// maxJSONDepth bounds the nesting of JSON that becomes a value.
const maxJSONDepth = 500

// FromJSON reads one JSON value, keeping the order of keys. Numbers without fraction and exponent are ints of any size.
func FromJSON(data []byte) (Value, error) {
	dec := json.NewDecoder(strings.NewReader(string(data)))
	dec.UseNumber()
	v, err := decodeValue(dec, 0)
	if err != nil {
		return nil, jsonError(err, dec.InputOffset())
	}
	if _, err := dec.Token(); err != io.EOF {
		return nil, fmt.Errorf("json: offset %d: more text after the value", dec.InputOffset())
	}
	return v, nil
}

func jsonError(err error, offset int64) error {
	if errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	return fmt.Errorf("json: offset %d: %w", offset, err)
}

func decodeValue(dec *json.Decoder, depth int) (Value, error) {
	if depth > maxJSONDepth {
		return nil, fmt.Errorf("nested more than %d deep", maxJSONDepth)
	}
	tok, err := dec.Token()
	if err != nil {
		return nil, err
	}
	switch tok := tok.(type) {
	case json.Delim:
		if tok == '{' {
			return decodeDict(dec, depth)
		}
		return decodeList(dec, depth)
	case json.Number:
		return decodeNumber(tok.String())
	}
	return tok, nil // string, bool, nil
}

func decodeList(dec *json.Decoder, depth int) (Value, error) {
	list := &List{Items: []Value{}}
	for dec.More() {
		v, err := decodeValue(dec, depth+1)
		if err != nil {
			return nil, err
		}
		list.Items = append(list.Items, v)
	}
	_, err := dec.Token()
	return list, err
}

func decodeDict(dec *json.Decoder, depth int) (Value, error) {
	dict := NewDict()
	for dec.More() {
		key, err := dec.Token()
		if err != nil {
			return nil, err
		}
		v, err := decodeValue(dec, depth+1)
		if err != nil {
			return nil, err
		}
		dict.Set(key.(string), v)
	}
	_, err := dec.Token()
	return dict, err
}

func decodeNumber(text string) (Value, error) {
	if !strings.ContainsAny(text, ".eE") {
		if len(text) > maxBits/4 {
			return nil, fmt.Errorf("an integer of %d digits is too long", len(text))
		}
		n, ok := new(big.Int).SetString(text, 10)
		if !ok {
			return nil, fmt.Errorf("bad number %q", text)
		}
		return fromBig(n), nil
	}
	f, err := json.Number(text).Float64()
	if err != nil && !math.IsInf(f, 0) { // 1e999 is infinity, as in Python
		return nil, err
	}
	return f, nil
}
