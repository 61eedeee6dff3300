package jinja

import (
	"encoding/json"
	"fmt"
	"math"
	"sort"
)

// FromGo makes a value of what encoding/json decodes into an any, and of Go's integers, texts and json.RawMessage. Keys
// of a map are sorted. Floats without a fraction become ints, since encoding/json cannot tell 1 from 1.0.
func FromGo(v any) (Value, error) {
	switch v := v.(type) {
	case nil, bool, string, int64, *List, *Dict, Tuple:
		return v, nil
	case int:
		return int64(v), nil
	case int32:
		return int64(v), nil
	case float64:
		if v == math.Trunc(v) && math.Abs(v) < 1<<53 {
			return int64(v), nil
		}
		return v, nil
	case float32:
		return FromGo(float64(v))
	case json.Number:
		return decodeNumber(v.String())
	case json.RawMessage:
		return FromJSON(v)
	case []string:
		list := &List{}
		for _, t := range v {
			list.Items = append(list.Items, t)
		}
		return list, nil
	case []any:
		return fromSlice(v)
	case map[string]any:
		return fromMap(v)
	}
	return nil, fmt.Errorf("a template cannot use a %T", v)
}

func fromSlice(items []any) (Value, error) {
	list := &List{Items: make([]Value, len(items))}
	for i, item := range items {
		v, err := FromGo(item)
		if err != nil {
			return nil, err
		}
		list.Items[i] = v
	}
	return list, nil
}

func fromMap(m map[string]any) (Value, error) {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	d := NewDict()
	for _, k := range keys {
		v, err := FromGo(m[k])
		if err != nil {
			return nil, fmt.Errorf("%s: %w", k, err)
		}
		d.Set(k, v)
	}
	return d, nil
}
