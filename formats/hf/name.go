package hf

import (
	"regexp"
	"strings"
	"unicode"
)

// modelName are the parts of a folder's name such as "Llama-3.2-1B-Instruct".
type modelName struct{ basename, size, finetune, version string }

var (
	versionPart  = regexp.MustCompile(`(?i)^(v|iter)?\d+([.]\d+)*$`)
	typePart     = regexp.MustCompile(`(?i)^(i?q\d(_\w)*|b?fp?(16|32))$`)
	sizePart     = regexp.MustCompile(`(?i)^(([A]|\d+[x])?\d+([._]\d+)?[KMBT]\d?|small|mini|medium|large|x?xl)$`)
	finetunePart = regexp.MustCompile(`(?i)^(chat|instruct|vision|lora)$`)
)

// Kinds of parts of a name.
const (
	partBase = 1 << iota
	partSize
	partFinetune
	partVersion
	partType
)

// parseName guesses the parts as llama.cpp's converter does. total is the number of parameters, by which a size is told from
// a context length; 0: not known.
func parseName(name string, total int64) modelName {
	if strings.Contains(name, " ") {
		return modelName{}
	}
	parts := strings.FieldsFunc(name, func(r rune) bool { return r == '-' })
	kinds := make([]int, len(parts))
	for i := range parts {
		parts[i], kinds[i] = classify(parts[i], i, total)
	}
	numbered := false
	for i, k := range kinds {
		numbered = numbered || k&partSize != 0 && strings.ContainsFunc(parts[i], unicode.IsDigit)
	}
	start := true
	for i := range kinds {
		if numbered && kinds[i]&partSize != 0 && !strings.ContainsFunc(parts[i], unicode.IsDigit) {
			kinds[i] &^= partSize
		}
		switch {
		case start && (kinds[i] == 0 && unicode.IsLetter(rune(parts[i][0])) || kinds[i]&partVersion != 0):
			kinds[i] |= partBase
		case kinds[i] == 0:
			start = false
			kinds[i] = partFinetune
		default:
			start = false
		}
	}
	for i := len(kinds) - 1; i >= 0 && kinds[i]&partBase != 0 && kinds[i] != partBase; i-- {
		kinds[i] &^= partBase
	}
	join := func(kind, not int) string {
		var out []string
		for i, k := range kinds {
			if k&kind != 0 && k&not == 0 {
				out = append(out, parts[i])
			}
		}
		return strings.Join(out, "-")
	}
	m := modelName{join(partBase, 0), join(partSize, 0), join(partFinetune, 0), join(partVersion, partBase)}
	if m.size == "" && m.finetune == "" && m.version == "" {
		m.basename = "" // too little to tell
	}
	return m
}

// classify names the kind of part i; sizes are spelled with a capital letter.
func classify(part string, i int, total int64) (string, int) {
	switch {
	case versionPart.MatchString(part):
		return part, partVersion
	case typePart.MatchString(part):
		return strings.ToUpper(part), partType
	case i > 0 && sizePart.MatchString(part):
		if n, ok := sizeOf(part); ok && total > 0 && max(n-float64(total), float64(total)-n) > float64(7*total/8) {
			return part[:len(part)-1] + strings.ToLower(part[len(part)-1:]), partFinetune // a context length
		}
		if strings.ContainsFunc(part, unicode.IsDigit) {
			part = strings.ReplaceAll(part, "_", ".")
			part = part[:len(part)-1] + strings.ToUpper(part[len(part)-1:])
		}
		return part, partSize
	case i > 0 && finetunePart.MatchString(part):
		return part, partFinetune
	}
	return part, 0
}

var plainSize = regexp.MustCompile(`^(\d+)([._](\d+))?([KMBTkmbt])$`)

// sizeOf is the number that a plain size such as "1.5B" means.
func sizeOf(part string) (float64, bool) {
	m := plainSize.FindStringSubmatch(part)
	if m == nil {
		return 0, false
	}
	x := 0.0
	for _, d := range m[1] {
		x = 10*x + float64(d-'0')
	}
	scale := 0.1
	for _, d := range m[3] {
		x += scale * float64(d-'0')
		scale /= 10
	}
	for range strings.Index("KMBT", strings.ToUpper(m[4])) + 1 {
		x *= 1000
	}
	return x, true
}

// title capitalises the lower-case words of a name.
func title(name string) string {
	words := strings.Fields(strings.ReplaceAll(name, "-", " "))
	for i, w := range words {
		if w == strings.ToLower(w) && unicode.IsLetter(rune(w[0])) && !versionPart.MatchString(w) {
			words[i] = strings.ToUpper(w[:1]) + w[1:]
		}
	}
	return strings.Join(words, " ")
}
