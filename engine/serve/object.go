package serve

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"unicode/utf8"
)

// object is a JSON object whose fields are read one by one into typed variables. A field that is missing or null leaves
// its variable alone. The first field of a wrong type or out of its range is kept in err; what is read after it is of no use.
// Fields that nobody reads are ignored, as the APIs grow.
type object struct {
	path   string // of the object, with a dot at its end; "" for the body
	fields map[string]json.RawMessage
	err    error
}

// parseObject reads an object. A key that comes twice is an error: two readers could take two different values.
func parseObject(path string, data []byte) (*object, error) {
	o := &object{path: path, fields: map[string]json.RawMessage{}}
	if !json.Valid(data) {
		return nil, syntax(data, json.Unmarshal(data, new(json.RawMessage)))
	}
	if kind := kindOf(data); kind != "an object" {
		return nil, badRequest("%s must be a JSON object, got %s", o.self(), kind)
	}
	for key, value := range members(data) {
		name := ""
		_ = json.Unmarshal(key, &name) // it is valid
		if _, twice := o.fields[name]; twice {
			return nil, badRequest("field '%s%s' is given twice", path, printableName(name))
		}
		o.fields[name] = value
	}
	return o, nil
}

// printableName bounds a name that a stranger chose.
func printableName(name string) string {
	if len(name) > 40 {
		name = name[:40] + "..."
	}
	return strconv.QuoteToGraphic(name)[1 : len(strconv.QuoteToGraphic(name))-1]
}

// syntax says where a text stops being JSON.
func syntax(data []byte, err error) error {
	s, ok := err.(*json.SyntaxError)
	if !ok {
		return badRequest("the body is not JSON: %v", err)
	}
	if int(s.Offset) >= len(data) && bytes.HasPrefix([]byte(s.Error()), []byte("unexpected end")) {
		return badRequest("the body is not JSON: it ends early, after %d bytes", len(data))
	}
	before := data[:max(0, min(int(s.Offset), len(data))-1)]
	line := 1 + bytes.Count(before, []byte{'\n'})
	column := 1 + utf8.RuneCount(before[bytes.LastIndexByte(before, '\n')+1:])
	return badRequest("the body is not JSON: line %d, column %d: %v", line, column, s)
}

// kindOf names the type of a JSON value.
func kindOf(data []byte) string {
	data = bytes.TrimSpace(data)
	if len(data) == 0 {
		return "nothing"
	}
	switch data[0] {
	case '{':
		return "an object"
	case '[':
		return "an array"
	case '"':
		return "a string"
	case 't', 'f':
		return "a boolean"
	case 'n':
		return "null"
	}
	return "a number"
}

func (o *object) self() string {
	if o.path == "" {
		return "the body"
	}
	return "field '" + o.path[:len(o.path)-1] + "'"
}

func (o *object) fail(name, format string, args ...any) {
	if o.err == nil {
		o.err = badRequest("field '%s%s' %s", o.path, name, fmt.Sprintf(format, args...))
	}
}

// raw is the value of a field that is there and not null.
func (o *object) raw(name string) (json.RawMessage, bool) {
	data, ok := o.fields[name]
	return data, ok && !bytes.Equal(data, []byte("null"))
}

// has reports whether a field is there and not null.
func (o *object) has(name string) bool {
	_, ok := o.raw(name)
	return ok
}

// read decodes a field into to; want says what it must be.
func (o *object) read(name, want string, to any) bool {
	data, ok := o.raw(name)
	if !ok || o.err != nil {
		return false
	}
	if json.Unmarshal(data, to) != nil {
		o.fail(name, "must be %s, got %s", want, kindOf(data))
		return false
	}
	return true
}

func (o *object) str(name string, to *string) { o.read(name, "a string", to) }
func (o *object) bool(name string, to *bool)  { o.read(name, "a boolean", to) }

func (o *object) strs(name string, to *[]string) {
	var list []*string
	if !o.read(name, "an array of strings", &list) {
		return
	}
	*to = []string{}
	for _, s := range list {
		if s == nil {
			o.fail(name, "must be an array of strings, got a null in it")
			return
		}
		*to = append(*to, *s)
	}
}

// int reads a whole number from lo to hi.
func (o *object) int(name string, to *int, lo, hi int64) bool {
	var n json.Number
	if data, ok := o.raw(name); !ok || kindOf(data) == "a string" { // json.Number would take a string
		if ok {
			o.fail(name, "must be a whole number, got a string")
		}
		return false
	}
	if !o.read(name, "a whole number", &n) {
		return false
	}
	x, err := n.Int64()
	if err != nil { // 1e3 and 5.0 are whole numbers too
		f, _ := n.Float64()
		if f != math.Trunc(f) {
			o.fail(name, "must be a whole number, got %.30s", n)
			return false
		}
		x = int64(max(-1<<62, min(f, 1<<62)))
	}
	if x < lo || x > hi {
		o.fail(name, "is %.30s, want %d to %d", n, lo, hi)
		return false
	}
	*to = int(x)
	return true
}

// float reads a finite number.
func (o *object) float(name string, to *float32) {
	var x float64
	if !o.read(name, "a number", &x) {
		return
	}
	if math.Abs(x) > math.MaxFloat32 {
		o.fail(name, "is %g, which is too large", x)
		return
	}
	*to = float32(x)
}

// object reads an object within this one; nil when it is missing.
func (o *object) object(name string) *object {
	data, ok := o.raw(name)
	if !ok || o.err != nil {
		return nil
	}
	if kindOf(data) != "an object" {
		o.fail(name, "must be an object, got %s", kindOf(data))
		return nil
	}
	inner, err := parseObject(o.path+name+".", data)
	if err != nil {
		o.err = err
		return nil
	}
	return inner
}

// array reads the elements of an array; ok is false when the field is missing.
func (o *object) array(name string) (items []json.RawMessage, ok bool) {
	data, ok := o.raw(name)
	if !ok || o.err != nil {
		return nil, false
	}
	if kindOf(data) != "an array" {
		o.fail(name, "must be an array, got %s", kindOf(data))
		return nil, false
	}
	return slices.Collect(elements(data)), true
}

// adopt takes over the error of an object within this one.
func (o *object) adopt(inner *object) {
	if o.err == nil && inner != nil {
		o.err = inner.err
	}
}
