package flags

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
)

// Value is what a flag does with the text it is given.
type Value struct {
	isSwitch bool
	set      func(string) error
}

// Text stores the text.
func Text(p *string) Value {
	return Func(func(s string) error { *p = s; return nil })
}

// Func hands the text to f, whose errors follow the name of the flag.
func Func(f func(string) error) Value { return Value{set: f} }

// Int stores a decimal number between lo and hi.
func Int(p *int, lo, hi int) Value {
	return Func(func(s string) error {
		n, err := parseInt(s, lo, hi)
		if err == nil {
			*p = n
		}
		return err
	})
}

func parseInt(s string, lo, hi int) (int, error) {
	n, err := strconv.Atoi(s)
	switch {
	case err != nil && !isRangeError(err):
		return 0, fmt.Errorf("%q is not a whole number", s)
	case err != nil || n < lo || n > hi:
		return 0, fmt.Errorf("%s is outside %s", s, interval(lo, hi))
	}
	return n, nil
}

func isRangeError(err error) bool {
	e, ok := err.(*strconv.NumError)
	return ok && e.Err == strconv.ErrRange
}

func interval(lo, hi int) string {
	if hi == math.MaxInt || hi == math.MaxInt32 {
		return fmt.Sprintf("%d and up", lo)
	}
	return fmt.Sprintf("%d to %d", lo, hi)
}

// Float stores a finite number between lo and hi.
func Float(p *float32, lo, hi float64) Value {
	return Func(func(s string) error {
		x, err := parseFloat(s, lo, hi)
		if err == nil {
			*p = float32(x)
		}
		return err
	})
}

func parseFloat(s string, lo, hi float64) (float64, error) {
	x, err := strconv.ParseFloat(s, 32)
	switch {
	case math.IsNaN(x) || math.IsInf(x, 0), err != nil:
		return 0, fmt.Errorf("%q is not a finite number", s)
	case x < lo || x > hi:
		return 0, fmt.Errorf("%s is outside %g to %g", s, lo, hi)
	}
	return x, nil
}

// OneOf stores one of the choices.
func OneOf(p *string, choices ...string) Value {
	return Func(func(s string) error {
		if !slices.Contains(choices, s) {
			return fmt.Errorf("%q is none of %s", s, strings.Join(choices, ", "))
		}
		*p = s
		return nil
	})
}

// Object stores the fields of a JSON object; given again, it adds to them.
func Object(p *map[string]any) Value {
	return Func(func(s string) error {
		if err := json.Unmarshal([]byte(s), p); err != nil || *p == nil {
			return fmt.Errorf("%q is not a JSON object", s)
		}
		return nil
	})
}

// Append stores every text given, one a flag.
func Append(p *[]string) Value {
	return Func(func(s string) error { *p = append(*p, s); return nil })
}

// Switch stores true or false and needs no value.
func Switch(p *bool) Value {
	return Value{isSwitch: true, set: func(s string) error {
		on, err := parseBool(s)
		if err == nil {
			*p = on
		}
		return err
	}}
}

// SwitchOff is Switch of what p is the opposite of.
func SwitchOff(p *bool) Value {
	return Value{isSwitch: true, set: func(s string) error {
		on, err := parseBool(s)
		if err == nil {
			*p = !on
		}
		return err
	}}
}

func parseBool(s string) (bool, error) {
	switch strings.ToLower(s) {
	case "true", "1", "on", "enabled", "yes":
		return true, nil
	case "false", "0", "off", "disabled", "no":
		return false, nil
	}
	return false, fmt.Errorf("%q is neither on nor off", s)
}

// Pointer lets a set value be told from the default: *p stays nil until the flag is given.
func Pointer[T any](p **T, value func(*T) Value) Value {
	var v T
	inner := value(&v)
	return Value{isSwitch: inner.isSwitch, set: func(s string) error {
		err := inner.set(s)
		if err == nil {
			*p = &v
		}
		return err
	}}
}

// MaxFile is how much of a prompt, template or schema is read from a file or a pipe.
const MaxFile = 64 << 20

// File stores the contents of the file that is named.
func File(p *string) Value {
	return Func(func(name string) error {
		data, err := ReadFile(name)
		if err == nil {
			*p = string(data)
		}
		return err
	})
}

// ReadFile reads a file of at most MaxFile bytes.
func ReadFile(name string) ([]byte, error) {
	f, err := os.Open(name)
	if wrong := (*fs.PathError)(nil); errors.As(err, &wrong) {
		return nil, fmt.Errorf("%s: %w", name, wrong.Err)
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return ReadAll(name, f)
}

// Set hands over a text, for flags that are made of others.
func (v Value) Set(text string) error { return v.set(text) }
