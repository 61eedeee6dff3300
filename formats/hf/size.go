package hf

import (
	"fmt"
	"math"
	"strings"
	"unicode"
)

// parameterCount counts values: all, and those of experts.
type parameterCount struct {
	total, expert int64
	experts       int
}

func (n *parameterCount) add(p *planned) {
	elements := int64(1)
	for _, d := range p.shape {
		elements *= int64(d)
	}
	n.total += elements
	if strings.Contains(p.name, "_exps.") && len(p.shape) == 3 {
		n.experts = p.shape[2]
		n.expert += elements
	}
}

// label is a model's size as people write it: "0.6B"; for experts their number and what one of them makes with the rest, "8x7B".
func (n parameterCount) label() string {
	if n.experts > 0 {
		return fmt.Sprintf("%dx%s", n.experts, rounded(n.total-n.expert+n.expert/int64(n.experts)))
	}
	return rounded(n.total)
}

// rounded writes a count with at least two digits and a letter.
func rounded(n int64) string {
	x, letter := float64(n)/1e3, "K"
	for _, u := range []struct {
		from   float64
		letter string
	}{{1e12, "T"}, {1e9, "B"}, {1e6, "M"}} {
		if float64(n) >= u.from {
			x, letter = float64(n)/u.from, u.letter
			break
		}
	}
	digits := len(strings.TrimLeft(fmt.Sprintf("%.0f", math.RoundToEven(x)), "0"))
	return fmt.Sprintf("%.*f%s", max(2-digits, 0), x, letter)
}

// FileName is llama.cpp's name for a file: Basename-Size-Finetune-Version-Encoding.gguf.
func (c *Card) FileName(encoding string) string {
	text := func(key string) string {
		s, _ := c.values[key].(string)
		return s
	}
	name := text("basename")
	if name == "" {
		name = text("name")
	}
	parts := []string{name, text("size_label"), text("finetune"), text("version"), encoding}
	if c.vocab {
		parts = []string{name, "", text("finetune"), text("version"), "vocab"}
	}
	var out []string
	for _, p := range parts {
		if p = strings.Trim(strings.Map(inFileName, p), "-"); p != "" {
			out = append(out, p)
		}
	}
	return strings.Join(out, "-") + ".gguf"
}

// inFileName makes a dash of what a part of a file's name should not hold.
func inFileName(r rune) rune {
	if r == '/' || r == '\\' || unicode.IsSpace(r) || !unicode.IsPrint(r) {
		return '-'
	}
	return r
}
