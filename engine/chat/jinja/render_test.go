package jinja

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

func TestSemantics(t *testing.T) { checkRows(t, "testdata/semantics.jsonl") }

func TestRandom(t *testing.T) { checkRows(t, "testdata/random.jsonl") }

// TestErrors: what went wrong, and where.
func TestErrors(t *testing.T) {
	for _, tt := range []struct {
		source, want string
		kind         Kind
	}{
		{"a\n{% if x %}", "test:2:11: unexpected end of template: a {% endif %} is missing", SyntaxError},
		{"a\n  {{ b | nope }}", "test:2:10: No filter named 'nope'.", SyntaxError},
		{"{{ 'é' is nope }}", "test:1:11: No test named 'nope'.", SyntaxError},
		{"{% if x %}{{ y | nope }}{% endif %}{% if 1 %}{{ 1|nope }}{% endif %}", "test:1:51: No filter named 'nope'.", RuntimeError},
		{"{{ a b }}", "test:1:6: expected '}}', got 'b'", SyntaxError},
		{"{{ 'a }}", "test:1:4: the string is not closed", SyntaxError},
		{"{# a", "test:1:1: the comment is not closed with #}", SyntaxError},
		{"{% raw %}", "test:1:1: {% raw %} is not closed with {% endraw %}", SyntaxError},
		{"{{ [1) }}", "test:1:6: unexpected ')', expected ']'", SyntaxError},
		{"{% nope %}", "test:1:4: unknown tag 'nope'", SyntaxError},
		{"{% if 1 %}{% endfor %}", "test:1:14: unknown tag 'endfor'; expected elif or else or endif here", SyntaxError},
		{"{% endfor %}", "test:1:4: unknown tag 'endfor'", SyntaxError},
		{"{% include 'x' %}", "test:1:4: 'include' is not supported: a chat template stands alone and reads no files", SyntaxError},
		{"{% break %}", "test:1:4: 'break' outside a loop", SyntaxError},
		{"\n\n {{ 1 +\n none }}", "test:3:7: unsupported operand type(s) for +: 'int' and 'NoneType'", RuntimeError},
		{"{{ x.y.z }}", "test:1:6: 'x' is undefined", UndefinedError},
		{"{{ {}.a.b }}", "test:1:9: 'dict object' has no attribute 'a'", UndefinedError},
		{"{{ [].append(1) }}", "test:1:13: access to attribute 'append' of 'list' object is unsafe.", SecurityError},
		{"{{ raise_exception('No <system>, please!') }}", "test:1:19: No <system>, please!", RaisedError},
		{"{{ 'x' * 999999999 }}", "test:1:8: a value would be larger than 33554432 bytes", LimitError},
		{"{% macro m(a) %}{% endmacro %}\n{{ m(1, 2) }}", "test:2:5: macro 'm' takes not more than 1 argument(s)", RuntimeError},
	} {
		_, err := run(tt.source, nil)
		var e *Error
		if !errors.As(err, &e) || e.Error() != tt.want || e.Kind != tt.kind {
			t.Errorf("%q\n got  %v\n want %s (%s)", tt.source, err, tt.want, tt.kind)
		}
	}
}

// TestErrorItems: an error in loops tells which elements they stood at.
func TestErrorItems(t *testing.T) {
	message := NewDict()
	message.Set("role", "system")
	vars := NewDict()
	vars.Set("messages", NewList(NewDict(), message))
	tmpl, err := Parse("test", "{% for m in messages[1:] %}{% for c in 'ab' %}{{ raise_exception('no') }}{% endfor %}{% endfor %}")
	if err != nil {
		t.Fatal(err)
	}
	_, err = tmpl.Render(context.Background(), vars, nil)
	var e *Error
	if !errors.As(err, &e) || len(e.Items) != 2 || e.Items[0] != "a" || e.Items[1] != Value(message) {
		t.Errorf("error %#v, want the items 'a' and the message", err)
	}
}

func TestLimits(t *testing.T) {
	for _, tt := range []struct {
		source, want string
		limits       Limits
	}{
		{"{% for i in range(100) %}{% endfor %}", "does not end within 50 steps", Limits{Steps: 50}},
		{"{{ 'x' * 11 }}", "the output is longer than 10 bytes", Limits{Output: 10}},
		{"{{ 'x' * 11 }}", "a value would be larger than 10 bytes", Limits{Size: 10}},
		{"{{ [1, 2] }}", "a value would be larger than 31 bytes", Limits{Size: 31}},
		{"{% for i in 'abcdef' %}{% set x = 'x' * 9 %}{% endfor %}", "more than 50 bytes of values", Limits{Memory: 50}},
		{"{{ [[[[[[1]]]]]] }}", "nested more than 5 deep", Limits{Depth: 5}},
	} {
		tmpl, err := Parse("test", tt.source)
		if err != nil {
			t.Fatal(err)
		}
		_, err = tmpl.Render(context.Background(), NewDict(), &Options{Limits: tt.limits})
		var e *Error
		if !errors.As(err, &e) || e.Kind != LimitError || !strings.Contains(e.Message, tt.want) {
			t.Errorf("%s\n gave %v, want %q", tt.source, err, tt.want)
		}
	}
	if _, err := Parse("big", strings.Repeat("x", maxSource+1)); err == nil {
		t.Error("a template of more than 1 MiB was accepted")
	}
}

// TestLenient: what transformers' sandbox refuses, and templates do all the same.
func TestLenient(t *testing.T) {
	for _, tt := range []struct{ source, want string }{
		{"{% set l = [1] %}{% set _ = l.append(2) %}{{ l }}{{ l.pop() }}{{ l }}", "[1, 2]2[1]"},
		{"{% set l = [3, 1] %}{{ l.extend([2]) }}{{ l.insert(0, 9) }}{{ l }}{{ l.sort() }}{{ l }}{{ l.reverse() }}{{ l }}", "NoneNone[9, 3, 1, 2]None[1, 2, 3, 9]None[9, 3, 2, 1]"},
		{"{% set l = [1, 2, 1] %}{{ l.remove(1) }}{{ l }}{{ l.pop(0) }}{{ l }}{{ l.clear() }}{{ l }}", "None[2, 1]2[1]None[]"},
		{"{% set d = {'a': 1} %}{{ d.update({'b': 2}, c=3) }}{{ d }}{{ d.pop('a') }}{{ d.pop('x', 5) }}{{ d.setdefault('q', 7) }}{{ d }}{{ d.popitem() }}", "None{'a': 1, 'b': 2, 'c': 3}157{'b': 2, 'c': 3, 'q': 7}('q', 7)"},
		{"{{ undefined_thing | tojson }} {{ [x] | tojson }}", "null [null]"},
		{"{{ [1, 2] | map('string') | tojson }} {{ {'a': 1}.keys() | tojson }}", `["1", "2"] ["a"]`},
	} {
		tmpl, err := Parse("test", tt.source)
		if err != nil {
			t.Fatal(err)
		}
		got, err := tmpl.Render(context.Background(), NewDict(), &Options{Lenient: true})
		if err != nil || got != tt.want {
			t.Errorf("%s\n got  %q, %v\n want %q", tt.source, got, err, tt.want)
		}
		if _, err := tmpl.Render(context.Background(), NewDict(), nil); err == nil {
			t.Errorf("%s\n renders without Lenient", tt.source)
		}
	}
}

// TestConcurrent: one template, many renderings at once, each with its own variables.
func TestConcurrent(t *testing.T) {
	tmpl, err := Parse("test", "{% macro m(x, k=1) %}{{ x }}{{ kwargs }}{{ caller() }}{% endmacro %}{% for i in range(n) %}{% call m(i, a=n, **{'b': 2}) %}c{% endcall %}{% endfor %}{% set n = n + 1 %}{{ n }}")
	if err != nil {
		t.Fatal(err)
	}
	render := func(n int) string {
		vars := NewDict()
		vars.Set("n", int64(n))
		text, err := tmpl.Render(context.Background(), vars, nil)
		if err != nil {
			t.Error(err)
		}
		return text
	}
	want := []string{}
	for n := range 8 {
		want = append(want, render(n))
	}
	var wg sync.WaitGroup
	for n := range 8 {
		wg.Go(func() {
			for range 50 {
				if got := render(n); got != want[n] {
					t.Errorf("n=%d gave %q, want %q", n, got, want[n])
				}
			}
		})
	}
	wg.Wait()
}

func TestUsesClock(t *testing.T) {
	for source, want := range map[string]bool{
		"{{ strftime_now('%d %b %Y') }}":                      false,
		"{{ strftime_now('%d %b %Y %H:%M:%S') }}":             true,
		"{{ strftime_now('%-d %%H %j') }}":                    false,
		"{{ strftime_now('%c') }}":                            true,
		"{{ strftime_now('%-H') }}":                           true,
		"{{ strftime_now(format) }}":                          true,
		"{% set f = strftime_now %}{{ f('%Y') }}":             true,
		"{{ strftime_now is defined }}":                       true, // it might be passed on from there
		"{{ strftime_now('%Y') }}{{ strftime_now('%H') }}":    true,
		"{{ date_string }} {{ '%H' }}":                        false,
		"{% if x %}{{ strftime_now('%Y-%m-%d') }}{% endif %}": false,
	} {
		tmpl, err := Parse("test", source)
		if err != nil {
			t.Fatal(err)
		}
		if got := tmpl.UsesClock(); got != want {
			t.Errorf("%s: UsesClock is %v", source, got)
		}
	}
}

// TestClock: the clock is read once, so that a rendering cannot straddle a second.
func TestClock(t *testing.T) {
	tmpl, err := Parse("test", "{{ strftime_now('%s.%f') }} {{ strftime_now('%s.%f') }}")
	if err != nil {
		t.Fatal(err)
	}
	before := time.Now()
	text, err := tmpl.Render(context.Background(), NewDict(), nil)
	if err != nil {
		t.Fatal(err)
	}
	first, second, _ := strings.Cut(text, " ")
	if first != second {
		t.Errorf("two readings of the clock: %q", text)
	}
	seconds, err := strconv.ParseFloat(first, 64)
	if now := float64(before.Unix()); err != nil || seconds < now || seconds > now+60 {
		t.Errorf("the clock says %q, want about %v", first, now)
	}
}

func TestFromJSON(t *testing.T) {
	for _, tt := range []struct{ source, want string }{
		{`{"z": 1, "a": [1.0, 1e2, null, true, "x"], "big": 12345678901234567890}`, "{'z': 1, 'a': [1.0, 100.0, None, True, 'x'], 'big': 12345678901234567890}"},
		{`{"a": 1, "a": 2}`, "{'a': 2}"},
		{`[]`, "[]"}, {`"\ud83d\ude00"`, "😀"}, {`-0`, "0"}, {`-0.0`, "-0.0"}, {`1e999`, "inf"},
	} {
		v, err := FromJSON([]byte(tt.source))
		if err != nil {
			t.Errorf("%s: %v", tt.source, err)
			continue
		}
		vars := NewDict()
		vars.Set("v", v)
		tmpl, _ := Parse("test", "{{ v }}")
		if got, err := tmpl.Render(context.Background(), vars, nil); err != nil || got != tt.want {
			t.Errorf("%s\n got  %q, %v\n want %q", tt.source, got, err, tt.want)
		}
	}
	for _, source := range []string{"", "{", "[1,", "{1:2}", "1 2", "nope", `{"a" 1}`, strings.Repeat("[", 3000), strings.Repeat(`{"a":`, 100000), strings.Repeat("1", 1<<20)} {
		if v, err := FromJSON([]byte(source)); err == nil {
			t.Errorf("%.20q gave %v, want an error", source, v)
		}
	}
}
