package quantize

import (
	"fmt"
	"os"
	"regexp"
	"strconv"
	"strings"

	"github.com/llamakit/llamakit/formats/gguf"
	"github.com/llamakit/llamakit/formats/mixture"
	"github.com/llamakit/llamakit/formats/quant"
	"github.com/llamakit/llamakit/tools/internal/flags"
)

// settings are what the command line says about what to make.
type settings struct {
	file     mixture.FileType
	pure     bool
	leaveOut bool // output.weight stays as it is
	output   *quant.Type
	embed    *quant.Type
	rules    []rule
	prune    []int // layers to leave out, sorted
	override []override
	matrix   string // file of the importance matrix
	requant  bool
	strict   bool
	split    bool // as many shards as the input has
}

// onlyCopy reports whether no tensor changes its type.
func (s *settings) onlyCopy() bool { return s.file.Name == mixture.Copy }

// rule gives tensors whose name matches a type.
type rule struct {
	pattern *regexp.Regexp
	typ     quant.Type
}

// parseRule reads NAME=TYPE; the name is a regular expression that may match anywhere.
func parseRule(text string) (rule, error) {
	name, typ, ok := strings.Cut(text, "=")
	if !ok || name == "" || typ == "" {
		return rule{}, fmt.Errorf("%q is not of the form NAME=TYPE", text)
	}
	t, err := parseTensorType(typ)
	if err != nil {
		return rule{}, err
	}
	pattern, err := regexp.Compile(strings.ToLower(name))
	if err != nil {
		return rule{}, fmt.Errorf("%q is not a pattern: %w", name, err)
	}
	return rule{pattern, t}, nil
}

// readRules reads a file of rules separated by white space.
func readRules(path string) ([]rule, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var rules []rule
	for _, word := range strings.Fields(string(data)) {
		r, err := parseRule(word)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		rules = append(rules, r)
	}
	return rules, nil
}

// ruleFor returns the type that the first matching rule gives.
func (s *settings) ruleFor(name string) (quant.Type, bool) {
	for _, r := range s.rules {
		if r.pattern.MatchString(name) {
			return r.typ, true
		}
	}
	return 0, false
}

// parseLayers reads a list of layer numbers.
func parseLayers(text string) ([]int, error) {
	var layers []int
	for _, word := range strings.Split(text, ",") {
		n, err := strconv.Atoi(strings.TrimSpace(word))
		if err != nil || n < 0 {
			return nil, fmt.Errorf("%q is not a layer number", word)
		}
		layers = append(layers, n)
	}
	return layers, nil
}

// override sets a key of the metadata.
type override struct {
	key   string
	value gguf.Value
}

// parseOverride reads KEY=TYPE:VALUE. Integers are written as u32, as llama.cpp does.
func parseOverride(text string) (override, error) {
	key, rest, ok := strings.Cut(text, "=")
	kind, value, ok2 := strings.Cut(rest, ":")
	if !ok || !ok2 || key == "" || len(key) > 127 {
		return override{}, fmt.Errorf("%q is not of the form KEY=TYPE:VALUE (int, float, bool or str)", text)
	}
	v, err := overrideValue(kind, value)
	if err != nil {
		return override{}, fmt.Errorf("%q: %w", text, err)
	}
	return override{key, v}, nil
}

func overrideValue(kind, value string) (gguf.Value, error) {
	switch kind {
	case "int":
		n, err := strconv.ParseInt(value, 10, 64)
		if n < 0 {
			n = -n
		}
		if err != nil || n > 1<<32-1 {
			return gguf.Value{}, fmt.Errorf("%q is not an integer of 32 bits", value)
		}
		return gguf.Uint32(uint32(n)), nil
	case "float":
		f, err := strconv.ParseFloat(value, 32)
		if err != nil {
			return gguf.Value{}, fmt.Errorf("%q is not a number", value)
		}
		return gguf.Float32(float32(f)), nil
	case "bool":
		if value != "true" && value != "false" {
			return gguf.Value{}, fmt.Errorf("%q is neither true nor false", value)
		}
		return gguf.Bool(value == "true"), nil
	case "str":
		if len(value) > 127 {
			return gguf.Value{}, fmt.Errorf("%d bytes are more than the 127 that llama.cpp takes", len(value))
		}
		return gguf.String(value), nil
	}
	return gguf.Value{}, fmt.Errorf("type %q is none of int, float, bool, str", kind)
}

// typeFlag reads a tensor type.
func typeFlag(p **quant.Type) flags.Value {
	return flags.Func(func(text string) error {
		t, err := parseTensorType(text)
		if err == nil {
			*p = &t
		}
		return err
	})
}

// parseTensorType reads a tensor type for a flag.
func parseTensorType(text string) (quant.Type, error) {
	t, err := quant.ParseType(text)
	if err == nil && !t.CanEncode() {
		err = fmt.Errorf("%s cannot be written", t)
	}
	if err != nil {
		return 0, fmt.Errorf("%q is not a type that tensors can be written in (q4_K, q6_K, iq4_xs, q8_0, f16, ...)", text)
	}
	return t, nil
}
