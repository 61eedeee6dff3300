package hf

import (
	"fmt"
	"math"
	"strings"
)

// Config is config.json, read like gguf.Reader: it keeps the first key that is missing or has another type, so that a
// family reads straight through. Keys of text_config come first, as in models that also see or hear.
type Config struct {
	path   string
	values map[string]any
	err    error
}

func newConfig(path string, values map[string]any) *Config {
	merged := map[string]any{}
	for k, v := range values {
		merged[k] = v
	}
	for _, nested := range []string{"text_config", "llm_config", "language_config"} {
		if text, ok := values[nested].(map[string]any); ok {
			for k, v := range text {
				if v != nil {
					merged[k] = v
				}
			}
		}
	}
	return &Config{path: path, values: merged}
}

// Err is the first mistake.
func (c *Config) Err() error { return c.err }

func (c *Config) fail(format string, args ...any) {
	if c.err == nil {
		c.err = fmt.Errorf("%s: %s", c.path, fmt.Sprintf(format, args...))
	}
}

// find returns the first of the keys that is there and not null.
func (c *Config) find(keys ...string) (any, string) {
	for _, k := range keys {
		if v, ok := c.values[k]; ok && v != nil {
			return v, k
		}
	}
	return nil, ""
}

// Has says whether one of the keys is there.
func (c *Config) Has(keys ...string) bool {
	v, _ := c.find(keys...)
	return v != nil
}

// Int returns the integer of the first key that is there; none is a mistake.
func (c *Config) Int(keys ...string) int {
	v, key := c.find(keys...)
	if v == nil {
		c.fail("key %s is missing", strings.Join(keys, " or "))
		return 0
	}
	x, ok := v.(float64)
	if !ok || x != math.Trunc(x) || math.Abs(x) > math.MaxInt32 {
		c.fail("key %s is %v, want an integer", key, v)
		return 0
	}
	return int(x)
}

// IntOr is Int with a default for a missing key.
func (c *Config) IntOr(def int, keys ...string) int {
	if !c.Has(keys...) {
		return def
	}
	return c.Int(keys...)
}

// Float returns a number.
func (c *Config) Float(keys ...string) float64 {
	v, key := c.find(keys...)
	x, ok := v.(float64)
	switch {
	case v == nil:
		c.fail("key %s is missing", strings.Join(keys, " or "))
	case !ok:
		c.fail("key %s is %v, want a number", key, v)
	}
	return x
}

// FloatOr is Float with a default for a missing key.
func (c *Config) FloatOr(def float64, keys ...string) float64 {
	if !c.Has(keys...) {
		return def
	}
	return c.Float(keys...)
}

// Str returns a text, or "" for a missing key.
func (c *Config) Str(key string) string {
	s, _ := c.values[key].(string)
	return s
}

// Class is the model class of the transformers library, for example "Qwen3ForCausalLM".
func (c *Config) Class() string {
	list, _ := c.values["architectures"].([]any)
	if len(list) == 0 {
		c.fail("key architectures is missing")
		return ""
	}
	s, _ := list[0].(string)
	return s
}

// rope are the parameters of the rotary embedding, which stand in rope_parameters, in rope_scaling, or beside them.
func (c *Config) rope() *Config {
	merged := map[string]any{}
	for _, k := range []string{"rope_scaling", "rope_parameters"} {
		if m, ok := c.values[k].(map[string]any); ok {
			if full, ok := m["full_attention"].(map[string]any); ok {
				m = full
			}
			for name, v := range m {
				merged[name] = v
			}
		}
	}
	for name, keys := range map[string][]string{
		"rope_theta":                       {"global_rope_theta", "rope_theta", "rotary_emb_base"},
		"partial_rotary_factor":            {"partial_rotary_factor", "rope_pct"},
		"original_max_position_embeddings": {"original_max_position_embeddings"},
	} {
		if _, ok := merged[name]; !ok {
			if v, _ := c.find(keys...); v != nil {
				merged[name] = v
			}
		}
	}
	if _, ok := merged["rope_type"]; !ok {
		merged["rope_type"] = merged["type"]
	}
	return &Config{path: c.path, values: merged}
}

// slidingTheta is the rotary base of sliding layers where it differs.
func (c *Config) slidingTheta() (float64, bool) {
	if m, ok := c.values["rope_parameters"].(map[string]any); ok {
		if s, ok := m["sliding_attention"].(map[string]any); ok {
			theta, ok := s["rope_theta"].(float64)
			return theta, ok
		}
	}
	v, _ := c.find("local_rope_theta", "rope_local_base_freq", "swa_rope_theta")
	theta, ok := v.(float64)
	return theta, ok
}

// floats returns a list of numbers.
func (c *Config) floats(key string) []float32 {
	list, _ := c.values[key].([]any)
	out := make([]float32, 0, len(list))
	for _, v := range list {
		x, ok := v.(float64)
		if !ok {
			c.fail("key %s has %v among its numbers", key, v)
		}
		out = append(out, float32(x))
	}
	return out
}

// ints returns a list of integers.
func (c *Config) ints(key string) []int {
	list, _ := c.values[key].([]any)
	out := make([]int, 0, len(list))
	for _, v := range list {
		x, ok := v.(float64)
		if !ok || x != math.Trunc(x) || math.Abs(x) > math.MaxInt32 {
			c.fail("key %s has %v among its integers", key, v)
		}
		out = append(out, int(x))
	}
	return out
}

// strs returns a list of texts.
func (c *Config) strs(key string) []string {
	list, _ := c.values[key].([]any)
	out := make([]string, len(list))
	for i, v := range list {
		out[i], _ = v.(string)
	}
	return out
}

// Bool returns a truth value, or the default for a missing one.
func (c *Config) Bool(def bool, key string) bool {
	if b, ok := c.values[key].(bool); ok {
		return b
	}
	return def
}

// in is an object inside; an empty one where it is missing.
func (c *Config) in(key string) *Config {
	m, _ := c.values[key].(map[string]any)
	return &Config{path: c.path, values: m}
}
