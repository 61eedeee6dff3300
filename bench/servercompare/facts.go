package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// facts are what is compared of an answer.
type facts struct {
	status int
	fields map[string]bool // paths of all fields, of all events
	finish []string        // finish reasons, stop types and stop reasons, in order
	text   map[string]string
	events []string // names, without repetitions
	counts map[string]string
}

// texts are the fields whose values are put together, counts those that must be equal, finishes those that say why it ended.
var (
	texts    = []string{"content", "text", "reasoning_content", "delta", "thinking", "prompt", "piece"}
	counts   = []string{"prompt_tokens", "completion_tokens", "tokens_predicted", "tokens_evaluated", "input_tokens", "output_tokens", "n_ctx", "n_vocab", "total_slots"}
	finishes = []string{"finish_reason", "stop_type", "stop_reason", "stopping_word", "stop_sequence", "type"}
)

func extract(status int, contentType string, data []byte) facts {
	f := facts{status: status, fields: map[string]bool{}, text: map[string]string{}, counts: map[string]string{}}
	if !strings.HasPrefix(contentType, "text/event-stream") {
		f.value("", "", data)
		return f
	}
	for line := range strings.Lines(string(data)) {
		line = strings.TrimSpace(line)
		if name, ok := strings.CutPrefix(line, "event: "); ok && name != "ping" {
			if len(f.events) == 0 || f.events[len(f.events)-1] != name {
				f.events = append(f.events, name)
			}
		}
		if value, ok := strings.CutPrefix(line, "data: "); ok {
			f.value("", "", []byte(value))
		}
	}
	return f
}

// value takes a JSON value apart.
func (f *facts) value(path, name string, data []byte) {
	var fields map[string]json.RawMessage
	var items []json.RawMessage
	switch {
	case len(data) > 0 && data[0] == '{' && json.Unmarshal(data, &fields) == nil:
		for _, key := range slices.Sorted(maps.Keys(fields)) {
			inner := path + "." + key
			f.fields[inner] = true
			f.value(inner, key, fields[key])
		}
	case len(data) > 0 && data[0] == '[' && json.Unmarshal(data, &items) == nil:
		for _, item := range items {
			f.value(path+"[]", name, item)
		}
	default:
		f.leaf(path, name, string(data))
	}
}

func (f *facts) leaf(path, name, value string) {
	var text string
	if slices.Contains(texts, name) && json.Unmarshal([]byte(value), &text) == nil {
		f.text[name] += text
	}
	switch {
	case slices.Contains(counts, name):
		f.counts[path] = value
	case slices.Contains(finishes, name) && value != "null" && !(name == "type" && !strings.HasPrefix(path, ".error")):
		f.finish = append(f.finish, value)
	}
}

// note is a difference.
type note struct{ aspect, text string }

// aspects lists what differs, in order and once.
func aspects(notes []note) (out []string) {
	for _, n := range notes {
		if !slices.Contains(out, n.aspect) {
			out = append(out, n.aspect)
		}
	}
	slices.Sort(out)
	return out
}

func (f facts) differences(other facts) (notes []note) {
	add := func(aspect, format string, args ...any) {
		notes = append(notes, note{aspect, fmt.Sprintf(format, args...)})
	}
	if f.status != other.status {
		add("status", "%d, there %d", f.status, other.status)
		return notes
	}
	if missing := missingFields(f.fields, other.fields); len(missing) > 0 {
		add("fields", "missing %s", strings.Join(missing, " "))
	}
	if !slices.Equal(f.finish, other.finish) {
		add("finish", "%v, there %v", f.finish, other.finish)
	}
	if !slices.Equal(f.events, other.events) {
		add("events", "%v, there %v", f.events, other.events)
	}
	if f.status >= 400 {
		return notes // messages are worded otherwise
	}
	for _, name := range texts {
		if f.text[name] != other.text[name] {
			add("text", "%s %q, there %q", name, f.text[name], other.text[name])
		}
	}
	for _, path := range slices.Sorted(maps.Keys(other.counts)) {
		if ours, ok := f.counts[path]; ok && ours != other.counts[path] {
			add("counts", "%s %s, there %s", path, ours, other.counts[path])
		}
	}
	return notes
}

func missingFields(have, want map[string]bool) (missing []string) {
	for _, path := range slices.Sorted(maps.Keys(want)) {
		if !have[path] && !have[path[:max(0, strings.LastIndex(path, "."))]+".*"] && !slices.ContainsFunc(missing, func(m string) bool { return strings.HasPrefix(path, m+".") || strings.HasPrefix(path, m+"[") }) {
			missing = append(missing, path)
		}
	}
	return missing
}
