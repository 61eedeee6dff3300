package calls

import (
	"fmt"
	"strings"
)

// Jinja is a small chat template of a model that writes the format: turns in angle brackets, tools as JSON, and calls as the
// picture shows them.
func (f *Format) Jinja() string {
	p := &f.pictures[0]
	text := func(s string) string { return fmt.Sprintf("{{ %q }}", s) }
	picture := func(list []piece, values map[string]string) (out string) {
		for _, one := range list {
			if one.literal != "" {
				out += text(one.literal)
			} else {
				out += values[one.field]
			}
		}
		return out
	}
	id := "{{ c.id }}"
	if f.ids == numberID {
		id = "{{ loop.index0 }}"
	}
	values := map[string]string{"name": "{{ c.function.name }}", "id": id, "key": "{{ k }}"}
	arguments := "{{ c.function.arguments | tojson }}"
	if p.key != nil {
		key, value := picture(p.key, values), "{{ value(v) }}"
		if p.textKey != nil {
			key = "{% if v is string %}" + picture(p.textKey, values) + "{% else %}" + key + "{% endif %}"
		}
		arguments = "{% for k, v in c.function.arguments.items() %}" + key + value + text(p.after) + "{% if not loop.last %}" + text(p.comma) + "{% endif %}{% endfor %}"
	}
	value := "{% macro value(v) %}{{ v if v is string else v | tojson }}{% endmacro %}"
	if p.key != nil && !p.tags {
		quote := f.pictures[0].style.Quote
		if quote == "" {
			quote = `"`
		}
		value = "{% macro value(v) %}{% if v is string %}" + text(quote) + "{{ v }}" + text(quote) + "{% else %}{{ v | string }}{% endif %}{% endmacro %}"
	}
	call := picture(p.head, values) + arguments + picture(pieces(p.tail), values)
	return strings.Join([]string{value, "{% if tools %}<tools>{{ tools | tojson }}</tools>{% endif %}",
		"{% for m in messages %}<{{ m.role }}>{{ m.content }}",
		"{% if m.tool_calls %}" + text(f.open) + "{% for c in m.tool_calls %}" + call + "{% if not loop.last %}" + text(f.between) + "{% endif %}{% endfor %}" + text(f.close) + "{% endif %}",
		"</{{ m.role }}>{% endfor %}{% if add_generation_prompt %}<assistant>" + text(f.prompt) + "{% endif %}"}, "")
}

// Answer is an answer with calls, behind what the prompt has of it.
func (f *Format) Answer(list ...Call) string {
	if f.Raw {
		return strings.TrimPrefix(f.Text(list), f.prompt)
	}
	return f.answered(&f.pictures[0], list)
}
