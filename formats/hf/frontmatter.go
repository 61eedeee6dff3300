package hf

import (
	"strings"
)

// frontMatter reads the YAML block at the head of a README, in the subset that model cards use: texts, block texts, and lists of
// texts in both notations. What is nested deeper is left out. A text is a list of one.
func frontMatter(readme string) map[string][]string {
	readme = strings.ReplaceAll(strings.TrimPrefix(readme, "\ufeff"), "\r\n", "\n")
	rest, ok := strings.CutPrefix(readme, "---\n")
	block, _, closed := strings.Cut("\n"+rest, "\n---")
	if !ok || !closed {
		return nil
	}
	r := &yamlReader{lines: strings.Split(strings.ReplaceAll(block, "\t", "  "), "\n"), out: map[string][]string{}}
	for len(r.lines) > 0 {
		r.entry()
	}
	return r.out
}

type yamlReader struct {
	lines []string
	out   map[string][]string
}

func (r *yamlReader) next() string {
	line := r.lines[0]
	r.lines = r.lines[1:]
	return line
}

// entry reads one key at the left margin, with all lines that belong to it.
func (r *yamlReader) entry() {
	line := r.next()
	key, value, ok := strings.Cut(line, ":")
	if !ok || key == "" || key != strings.TrimSpace(key) || strings.HasPrefix(key, "#") || strings.HasPrefix(key, "-") {
		return
	}
	value = scalar(value)
	switch key = unquote(key); {
	case value == "":
		r.out[key] = r.items()
	case value[0] == '|' || value[0] == '>':
		r.out[key] = []string{r.blockText(value[0] == '|')}
	case value[0] == '[':
		for !strings.HasSuffix(value, "]") && len(r.lines) > 0 {
			value += " " + scalar(r.next())
		}
		r.out[key] = flowList(value)
	default:
		r.out[key] = []string{unquote(value)}
	}
}

// belongs says whether the next line belongs to the key before it: it is indented, empty, or an item of a list.
func (r *yamlReader) belongs() bool {
	return len(r.lines) > 0 && (r.lines[0] == "" || r.lines[0][0] == ' ' || r.lines[0][0] == '#' || strings.HasPrefix(r.lines[0], "- "))
}

// items reads the lines of a block list. Items that are not texts are left out.
func (r *yamlReader) items() []string {
	var out []string
	depth := -1
	for r.belongs() {
		line := r.next()
		item, ok := strings.CutPrefix(strings.TrimSpace(line), "- ")
		indent := len(line) - len(strings.TrimLeft(line, " "))
		if !ok || depth >= 0 && indent != depth {
			continue
		}
		depth = indent
		if item = scalar(item); item != "" && (item[0] == '"' || item[0] == '\'' || !strings.Contains(item, ": ") && !strings.HasSuffix(item, ":")) {
			out = append(out, unquote(item))
		}
	}
	return out
}

// blockText reads the indented lines after | or >.
func (r *yamlReader) blockText(keepLines bool) string {
	var lines []string
	for r.belongs() {
		lines = append(lines, strings.TrimSpace(r.next()))
	}
	sep := " "
	if keepLines {
		sep = "\n"
	}
	return strings.TrimSpace(strings.Join(lines, sep))
}

// flowList reads "[a, b]".
func flowList(s string) []string {
	var out []string
	for _, item := range strings.Split(strings.Trim(s, "[] "), ",") {
		if item = unquote(strings.TrimSpace(item)); item != "" {
			out = append(out, item)
		}
	}
	return out
}

// scalar takes blanks and a comment off a value.
func scalar(s string) string {
	s = strings.TrimSpace(s)
	if s != "" && s[0] != '"' && s[0] != '\'' {
		if strings.HasPrefix(s, "#") {
			return ""
		}
		s, _, _ = strings.Cut(s, " #")
	}
	return strings.TrimSpace(s)
}

func unquote(s string) string {
	if len(s) >= 2 && (s[0] == '"' || s[0] == '\'') {
		if end := strings.LastIndexByte(s, s[0]); end > 0 {
			return s[1:end]
		}
	}
	return s
}
