package jinja

import (
	"context"
	"errors"
	"os"
	"runtime/debug"
	"strings"
	"testing"
	"time"
)

// TestHostile: whatever a template does, it ends soon with an error.
func TestHostile(t *testing.T) {
	data, err := os.ReadFile("testdata/hostile.txt")
	if err != nil {
		t.Fatal(err)
	}
	for _, source := range strings.Split(strings.TrimSpace(string(data)), "\n") {
		if strings.Contains(source, "DEEP") {
			source = "{{ " + strings.Repeat("(", 200_000)
		}
		checkHostile(t, source)
	}
}

// hostile are templates of our own, each aimed at one limit.
var hostile = []string{
	// nesting of the source
	"{{ " + strings.Repeat("(", 100_000) + "1" + strings.Repeat(")", 100_000) + " }}",
	"{{ " + strings.Repeat("[", 100_000) + strings.Repeat("]", 100_000) + " }}",
	"{{ " + strings.Repeat("{1:", 100_000) + "1" + strings.Repeat("}", 100_000) + " }}",
	"{{ " + strings.Repeat("not ", 100_000) + "1 }}",
	"{{ " + strings.Repeat("- ", 100_000) + "1 }}",
	"{{ " + strings.Repeat("1 if 1 else ", 80_000) + "1 }}",
	"{{ " + strings.Repeat("f(", 100_000) + " }}",
	"{{ " + strings.Repeat("a[", 100_000) + " }}",
	strings.Repeat("{% if 1 %}", 100_000) + strings.Repeat("{% endif %}", 9),
	strings.Repeat("{% for a in [1] %}", 50_000),
	"{% for " + strings.Repeat("(", 100_000) + "a" + strings.Repeat(")", 100_000) + " in [] %}{% endfor %}",
	// long chains, which nest to the left
	"{{ 1" + strings.Repeat(" + 1", 200_000) + " }}",
	"{{ 'a'" + strings.Repeat("|upper", 100_000) + " }}",
	"{{ a" + strings.Repeat(".b", 200_000) + " }}",
	"{{ 1" + strings.Repeat(" or 0", 100_000) + strings.Repeat(" and 1", 100_000) + " + none }}",
	"{{ 1" + strings.Repeat(" is defined", 2) + " }}",
	// nesting of values
	"{% set ns = namespace(l=[]) %}{% for i in range(99999) %}{% set ns.l = [ns.l] %}{% endfor %}{{ ns.l }}",
	"{% set ns = namespace(l=[]) %}{% for i in range(99999) %}{% set ns.l = [ns.l] %}{% endfor %}{{ ns.l|tojson }}",
	"{% set ns = namespace(l=[],m=[]) %}{% for i in range(99999) %}{% set ns.l = [ns.l] %}{% set ns.m = [ns.m] %}{% endfor %}{{ ns.l == ns.m }}",
	"{% set ns = namespace(l=[],m=[]) %}{% for i in range(99999) %}{% set ns.l = [ns.l] %}{% set ns.m = [ns.m] %}{% endfor %}{{ ns.l < ns.m }}",
	"{% set ns = namespace(l=()) %}{% for i in range(99999) %}{% set ns.l = (ns.l,) %}{% endfor %}{{ {ns.l: 1} }}",
	"{% set ns = namespace(l=()) %}{% for i in range(99999) %}{% set ns.l = (ns.l,) %}{% endfor %}{{ {}[ns.l] }}{{ 1 + '' }}",
	"{% set ns = namespace(l={}) %}{% for i in range(99999) %}{% set ns.l = {'a': ns.l} %}{% endfor %}{{ ns.l|pprint }}",
	"{% set ns = namespace() %}{% set ns.ns = ns %}{{ ns }}",
	"{% set ns = namespace(g=[1]) %}{% for i in range(99999) %}{% set ns.g = ns.g|map('string') %}{% endfor %}{{ ns.g|list }}",
	"{% set ns = namespace(g=[1]) %}{% for i in range(99999) %}{% set ns.g = ns.g|batch(1) %}{% endfor %}{{ ns.g|first }}",
	// recursion
	"{% macro f() %}{{ g() }}{% endmacro %}{% macro g() %}{{ f() }}{% endmacro %}{{ f() }}",
	"{% macro f(x=f()) %}{% endmacro %}{{ f() }}",
	"{% macro f() %}{{ caller() }}{% endmacro %}{% macro g() %}{% call f() %}{{ g() }}{% endcall %}{% endmacro %}{{ g() }}",
	"{% for x in [1] recursive %}{{ loop([x]) }}{% endfor %}",
	"{% macro f() %}{% for x in [1] recursive %}{{ f() }}{% endfor %}{% endmacro %}{{ f() }}",
	// time
	"{% for i in range(99999) %}{% for j in range(99999) %}{% endfor %}{% endfor %}",
	"{% set s = 'a' * 9999999 %}{% for i in range(99999) %}{% if s|upper == s %}{% endif %}{% endfor %}",
	"{% set s = 'a' * 9999999 %}{% for i in range(99999) %}{% if 'b' in s %}{% endif %}{% endfor %}",
	"{% set s = 'a' * 9999999 %}{% for i in range(99999) %}{{ s.count('a') }}{{ s.find('b') }}{{ s|length }}{% endfor %}",
	"{% set s = 'é' * 999999 %}{% for i in range(99999) %}{% set x = s[5] ~ s[-1] ~ s[::-1] %}{% endfor %}",
	"{% set s = 'a ' * 999999 %}{% for i in range(99999) %}{% set x = s.split() %}{% endfor %}",
	"{% set s = 'ab' * 999999 %}{% for i in range(99999) %}{% set x = s.strip('ab') %}{% endfor %}",
	"{% set l = range(99999)|list %}{% for i in range(99999) %}{% if l == l + [] %}{% endif %}{% endfor %}",
	"{% set l = range(99999)|list %}{% for i in range(99999) %}{{ -1 in l }}{% endfor %}",
	"{% set l = range(99999)|list %}{% for i in range(99999) %}{% set x = l|sort %}{% endfor %}",
	"{% set l = range(99999)|list %}{% for i in range(99999) %}{% set x = l|tojson %}{% endfor %}",
	"{% set b = 2 ** 60000 %}{% for i in range(99999) %}{% set x = b // 3 %}{{ b * 1 }}{% endfor %}",
	"{% set x = range(99999)|map('string')|join(' ')|wordcount %}{% for i in range(99999) %}{% for c in 'a' * 99999 %}{% endfor %}{% endfor %}",
	"{% set ns = namespace(l=()) %}{% for i in range(99) %}{% set ns.l = (ns.l, ns.l) %}{% endfor %}{{ {}[ns.l] }}",
	"{% set ns = namespace(l=()) %}{% for i in range(99) %}{% set ns.l = (ns.l, ns.l) %}{% endfor %}{{ ns.l|pprint }}",
	"{% set ns = namespace(l=(), m=()) %}{% for i in range(99) %}{% set ns.l = (ns.l, ns.l) %}{% set ns.m = (ns.m, ns.m) %}{% endfor %}{{ ns.l == ns.m }}",
	"{% set d = {'a' * 999999: 1} %}{% set k = 'b' * 999999 %}{% for i in range(99999) %}{% if k in d %}{% endif %}{{ d[k] }}{% endfor %}",
	"{% set k = dict([(i|string, i) for i in []]) %}",
	"{% set ns = namespace(d={}) %}{% for i in range(9999) %}{% set _ = ns.d.update({i|string: i}) %}{% endfor %}{% for i in range(99999) %}{% set _ = dict(**ns.d) %}{% endfor %}",
	"{{ " + strings.Repeat("''", 300_000) + " }}{{ 1/0 }}",
	strings.Repeat("{{ 1|nope }}", 80_000),
	"{{ f(" + strings.Repeat("a=1,", 100_000) + ") }}",
	"{% with " + strings.Repeat("a=1,", 100_000) + "b=1 %}{% endwith %}{{ 1/0 }}",
	"{% macro m() %}" + manySets + "{% endmacro %}{% for i in range(99999) %}{{ m() }}{% endfor %}",
	// size
	"{{ 'x' * 99999999 }}", "{{ [1] * 99999999 }}", "{{ (1,) * 99999999 }}", "{{ 9 * ([[]] * 9999999) }}",
	"{{ 'x'.ljust(999999999) }}", "{{ 'x'.zfill(999999999) }}", "{{ '\t'.expandtabs(999999999) }}", "{{ '{:999999999}'.format(1) }}",
	"{{ '{:.999999999f}'.format(1.5) }}", "{{ '%.999999999f' % 1.5 }}", "{{ '%*d' % (999999999, 1) }}", "{{ '%0999999999d' % 1 }}",
	"{{ [1]|tojson(indent=999999999) }}", "{{ [1]|batch(999999999, 0)|list }}", "{{ 'a\nb'|indent(' ' * 30000000)|length }}{{ 1/0 }}",
	"{{ ('a' * 30000)|replace('a', 'b' * 30000) }}", "{{ ('a' * 30000).replace('', 'b' * 30000) }}", "{{ ('b' * 30000).join('a' * 30000) }}",
	"{{ ('a,' * 9999999).split(',') }}", "{{ ('a' * 9999999)|list }}", "{{ 10 ** 99999 }}", "{{ 2 ** 65535 * 2 ** 65535 }}",
	"{% set ns = namespace(l=[1]) %}{% for i in range(99) %}{% set ns.l = ns.l + ns.l %}{% endfor %}",
	"{% set ns = namespace(l=[]) %}{% for i in range(99999) %}{% set ns.l = ns.l + ['a' * 9999] %}{% endfor %}",
	"{% set ns = namespace(l=()) %}{% for i in range(99) %}{% set ns.l = (ns.l, ns.l) %}{% endfor %}{{ ns.l }}",
	"{% for i in range(99999) %}{{ 'x' * 9999 }}{% endfor %}",
	"{% set x %}{% for i in range(99999) %}{{ 'x' * 9999 }}{% endfor %}{% endset %}",
	"{{ range(0, 9223372036854775807, 1)|list }}", "{{ range(-9223372036854775807, 9223372036854775807)|list }}",
	"{{ 'a' * 9223372036854775807 }}", "{{ [1, 2] * 4611686018427387904 }}", "{{ 'abc'|center(9223372036854775807) }}", "{{ 'a'|indent(9223372036854775807) }}",
	"{{ range(9)[::-9223372036854775808]|list ~ 1/0 }}", "{{ 'abc'[9223372036854775807:-9223372036854775808:9223372036854775807] ~ 1/0 }}",
	// the outside
	"{% extends 'x' %}", "{% from 'x' import y %}", "{% import 'x' as y %}", "{% include 'x' %}",
	"{{ ().__class__.__bases__[0].__subclasses__() }}", "{{ lipsum.__globals__['os'].popen('id').read() }}",
	"{{ namespace.__init__.__globals__ }}{{ 1/0 }}", "{{ '{0.__class__.__mro__}'.format(1) }}", "{{ ''|attr('__class__')|attr('__mro__') }}",
	"{{ [1]|map(attribute='__class__.__mro__')|list }}", "{{ cycler.__init__.__globals__.os }}", "{{ self.__init__() }}",
}

// manySets sets thousands of variables.
var manySets = func() string {
	var b strings.Builder
	for i := range 9000 {
		b.WriteString("{% set v" + itoa(i) + " = 1 %}")
	}
	return b.String()
}()

func TestHostileOwn(t *testing.T) {
	for _, source := range hostile {
		checkHostile(t, source)
	}
}

// checkHostile renders with a stack limit far below Go's own, so that deep recursion would be seen, and lenient, which
// allows more.
func checkHostile(t *testing.T, source string) {
	t.Helper()
	defer debug.SetMaxStack(debug.SetMaxStack(64 << 20))
	start := time.Now()
	tmpl, err := Parse("hostile", source)
	if err == nil {
		_, err = tmpl.Render(context.Background(), NewDict(), &Options{Lenient: true})
	}
	var e *Error
	if !errors.As(err, &e) {
		t.Errorf("%.100s\n gave %v, want an *Error", source, err)
	}
	if d := time.Since(start); d > time.Minute { // Limits bound the work; this only sees what they do not
		t.Errorf("%.100s\n took %v", source, d)
	} else if testing.Verbose() && d > 200*time.Millisecond {
		t.Logf("%v %.100s: %v", d, source, err)
	}
}

// TestCancel: a context that ends stops a rendering in the middle.
func TestCancel(t *testing.T) {
	tmpl, err := Parse("test", "{% for i in range(99999) %}{% for j in range(99999) %}{% endfor %}{% endfor %}")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
	defer cancel()
	start := time.Now()
	_, err = tmpl.Render(ctx, NewDict(), &Options{Limits: Limits{Steps: 1 << 40}})
	var e *Error
	if !errors.As(err, &e) || e.Kind != CanceledError || !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("error %v, want a CanceledError that wraps the deadline", err)
	}
	if d := time.Since(start); d > 30*time.Second {
		t.Errorf("stopped after %v", d)
	}
}
