package gguf

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/llamakit/llamakit/formats/gguf"
)

// valueType is the type of a value that is written as text.
type valueType struct {
	typ, elem gguf.ValueType // elem: of an array
}

func (t valueType) String() string {
	if t.typ == gguf.TypeArray {
		return "arr[" + t.elem.String() + "]"
	}
	return t.typ.String()
}

// parseType reads "u32" or "arr[str]".
func parseType(text string) (valueType, error) {
	name, isArray := strings.CutPrefix(text, "arr[")
	if isArray {
		name, isArray = strings.CutSuffix(name, "]")
	}
	for t := gguf.TypeUint8; t.String() != "unknown"; t++ {
		switch {
		case t.String() != name || t == gguf.TypeArray:
		case isArray:
			return valueType{gguf.TypeArray, t}, nil
		case name == text:
			return valueType{typ: t}, nil
		}
	}
	return valueType{}, fmt.Errorf("%q is no type; u32, f32, bool, str and arr[str] are", text)
}

// guessType chooses a type for a new key.
func guessType(text string) valueType {
	for _, t := range []gguf.ValueType{gguf.TypeUint32, gguf.TypeInt32, gguf.TypeUint64, gguf.TypeInt64, gguf.TypeFloat32, gguf.TypeBool} {
		if _, err := parseScalar(t, text); err == nil {
			return valueType{typ: t}
		}
	}
	return valueType{typ: gguf.TypeString}
}

// parse reads a value of the type; errors say what is wanted.
func (t valueType) parse(text string) (gguf.Value, error) {
	if t.typ == gguf.TypeArray {
		return parseArray(t, text)
	}
	return parseScalar(t.typ, text)
}

// parseArray reads a JSON array of numbers, texts, or true and false.
func parseArray(t valueType, text string) (gguf.Value, error) {
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	var all []any
	if err := d.Decode(&all); err != nil || all == nil && !bytes.HasPrefix(bytes.TrimSpace([]byte(text)), []byte("[")) {
		return gguf.Value{}, fmt.Errorf("%v is written as a JSON array, such as '[1, 2]'", t)
	}
	if _, err := d.Token(); err != io.EOF {
		return gguf.Value{}, fmt.Errorf("something follows the array")
	}
	values := make([]gguf.Value, len(all))
	for i, e := range all {
		var err error
		if values[i], err = parseElement(t.elem, e); err != nil {
			return gguf.Value{}, fmt.Errorf("element %d: %w", i, err)
		}
	}
	return gguf.ArrayOf(t.elem, values), nil
}

func parseElement(t gguf.ValueType, e any) (gguf.Value, error) {
	_, isText := e.(string)
	_, isBool := e.(bool)
	switch {
	case isText == (t == gguf.TypeString) && isBool == (t == gguf.TypeBool) && t != gguf.TypeArray:
		if _, isNumber := e.(json.Number); isText || isBool || isNumber {
			return parseScalar(t, fmt.Sprint(e))
		}
	}
	return gguf.Value{}, fmt.Errorf("%.40v is no %v", e, t)
}

// parseScalar reads a value that is no array.
func parseScalar(t gguf.ValueType, text string) (gguf.Value, error) {
	var v gguf.Value
	var err error
	switch t {
	case gguf.TypeString:
		return gguf.String(text), nil
	case gguf.TypeBool:
		if text != "true" && text != "false" {
			return v, fmt.Errorf("%q is neither true nor false", text)
		}
		return gguf.Bool(text == "true"), nil
	case gguf.TypeUint8:
		v, err = number(gguf.Uint8, text, unsigned, 8)
	case gguf.TypeUint16:
		v, err = number(gguf.Uint16, text, unsigned, 16)
	case gguf.TypeUint32:
		v, err = number(gguf.Uint32, text, unsigned, 32)
	case gguf.TypeUint64:
		v, err = number(gguf.Uint64, text, unsigned, 64)
	case gguf.TypeInt8:
		v, err = number(gguf.Int8, text, signed, 8)
	case gguf.TypeInt16:
		v, err = number(gguf.Int16, text, signed, 16)
	case gguf.TypeInt32:
		v, err = number(gguf.Int32, text, signed, 32)
	case gguf.TypeInt64:
		v, err = number(gguf.Int64, text, signed, 64)
	case gguf.TypeFloat32:
		v, err = number(gguf.Float32, text, strconv.ParseFloat, 32)
	case gguf.TypeFloat64:
		v, err = number(gguf.Float64, text, strconv.ParseFloat, 64)
	default:
		return v, fmt.Errorf("values of type %v cannot be written here", t)
	}
	switch {
	case errors.Is(err, strconv.ErrRange):
		return v, fmt.Errorf("%s does not fit into %v", text, t)
	case err != nil:
		return v, fmt.Errorf("%q is no %v", text, t)
	}
	return v, nil
}

func unsigned(text string, size int) (uint64, error) { return strconv.ParseUint(text, 10, size) }
func signed(text string, size int) (int64, error)    { return strconv.ParseInt(text, 10, size) }

// number parses text as a number of size bits and makes a value of it. NaN is none.
func number[T uint8 | uint16 | uint32 | uint64 | int8 | int16 | int32 | int64 | float32 | float64, W uint64 | int64 | float64](
	value func(T) gguf.Value, text string, parse func(string, int) (W, error), size int) (gguf.Value, error) {
	n, err := parse(text, size)
	if math.IsNaN(float64(n)) {
		err = strconv.ErrSyntax
	}
	return value(T(n)), err
}
