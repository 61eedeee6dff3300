package schema

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
)

type valueKind uint8

const (
	isNull valueKind = iota
	isBool
	isNumber
	isString
	isArray
	isObject
)

// value is a JSON value whose members keep their order.
type value struct {
	kind   valueKind
	yes    bool   // of isBool
	text   string // of isString, and the digits of isNumber
	items  []*value
	keys   []string
	fields map[string]*value
}

// parse reads one JSON value.
func parse(data []byte) (*value, error) {
	if len(data) > maxSize {
		return nil, fmt.Errorf("schema: %d bytes, of %d that a schema may have", len(data), maxSize)
	}
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	v, err := decode(d, 0)
	if err != nil {
		return nil, fmt.Errorf("schema: at byte %d: %w", d.InputOffset(), err)
	}
	if _, err := d.Token(); err != io.EOF {
		return nil, fmt.Errorf("schema: at byte %d: there is more after the schema", d.InputOffset())
	}
	return v, nil
}

func decode(d *json.Decoder, depth int) (*value, error) {
	if depth > maxDepth {
		return nil, errors.New("values are nested more than " + strconv.Itoa(maxDepth) + " deep")
	}
	t, err := d.Token()
	if err != nil {
		if err == io.EOF {
			err = io.ErrUnexpectedEOF
		}
		return nil, err
	}
	switch t := t.(type) {
	case bool:
		return &value{kind: isBool, yes: t}, nil
	case json.Number:
		return &value{kind: isNumber, text: t.String()}, nil
	case string:
		return &value{kind: isString, text: t}, nil
	case json.Delim:
		if t == '[' {
			return decodeArray(d, depth)
		}
		return decodeObject(d, depth)
	}
	return &value{kind: isNull}, nil
}

func decodeArray(d *json.Decoder, depth int) (*value, error) {
	v := &value{kind: isArray}
	for d.More() {
		x, err := decode(d, depth+1)
		if err != nil {
			return nil, err
		}
		v.items = append(v.items, x)
	}
	_, err := d.Token()
	return v, err
}

func decodeObject(d *json.Decoder, depth int) (*value, error) {
	v := &value{kind: isObject, fields: make(map[string]*value)}
	for d.More() {
		k, err := d.Token()
		if err != nil {
			return nil, err
		}
		x, err := decode(d, depth+1)
		if err != nil {
			return nil, err
		}
		v.put(k.(string), x)
	}
	_, err := d.Token()
	return v, err
}

func (v *value) put(key string, x *value) {
	if _, ok := v.fields[key]; !ok {
		v.keys = append(v.keys, key)
	}
	v.fields[key] = x
}

// get returns a member, or nil.
func (v *value) get(key string) *value { return v.fields[key] }

func jsonObject(members ...any) *value {
	v := &value{kind: isObject, fields: make(map[string]*value)}
	for i := 0; i < len(members); i += 2 {
		v.put(members[i].(string), members[i+1].(*value))
	}
	return v
}

func boolean(yes bool) *value { return &value{kind: isBool, yes: yes} }

func integer(n int) *value { return &value{kind: isNumber, text: strconv.Itoa(n)} }

// escapePointer makes a key a part of a JSON pointer (RFC 6901).
func escapePointer(key string) string {
	return strings.ReplaceAll(strings.ReplaceAll(key, "~", "~0"), "/", "~1")
}

func unescapePointer(part string) string {
	return strings.ReplaceAll(strings.ReplaceAll(part, "~1", "/"), "~0", "~")
}
