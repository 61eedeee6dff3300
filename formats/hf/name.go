package hf

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// modelName are the parts of a name such as "Llama-3.2-1B-Instruct".
type modelName struct{ full, basename, size, finetune, version string }

var (
	versionPart  = regexp.MustCompile(`(?i)^(v|iter)?\d+([.]\d+)*$`)
	typePart     = regexp.MustCompile(`(?i)^(i?q\d(_\w)*|b?fp?(16|32))$`)
	sizePart     = regexp.MustCompile(`(?i)^(([A]|\d+[x])?\d+([._]\d+)?[KMBT]\d?|small|mini|medium|large|x?xl)$`)
	activePart   = regexp.MustCompile(`(?i)^A\d+([._]\d+)?[KMBT]\d?$`)
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

// parseID cuts "owner/name".
func parseID(id string, total int64) (owner string, name modelName) {
	if strings.Contains(id, " ") {
		return "", modelName{full: id} // a sentence
	}
	owner, rest, ok := strings.Cut(id, "/")
	if !ok {
		owner, rest = "", id
	}
	if strings.HasPrefix(owner, ".") {
		owner = "" // a path
	}
	return owner, parseName(rest, total)
}

// parseName guesses the parts as llama.cpp's converter does. total is the number of parameters, by which a size is told from
// a context length; 0: not known.
func parseName(name string, total int64) modelName {
	parts := strings.FieldsFunc(name, func(r rune) bool { return r == '-' })
	kinds := make([]int, len(parts))
	numbered := false
	for i := range parts {
		parts[i], kinds[i] = classify(parts, i, total)
		numbered = numbered || kinds[i]&partSize != 0 && hasDigit(parts[i])
	}
	start := true
	for i := range kinds {
		if numbered && kinds[i]&partSize != 0 && !hasDigit(parts[i]) {
			kinds[i] &^= partSize // "mini" beside "3.8B"
		}
		switch first, _ := utf8.DecodeRuneInString(parts[i]); {
		case start && (kinds[i] == 0 && unicode.IsLetter(first) || kinds[i]&partVersion != 0):
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
	m := modelName{full: name, basename: join(parts, kinds, partBase, 0), size: join(parts, kinds, partSize, 0),
		finetune: join(parts, kinds, partFinetune, 0), version: join(parts, kinds, partVersion, partBase)}
	if m.size == "" && m.finetune == "" && m.version == "" {
		m.basename = "" // too little to tell
	}
	return m
}

func hasDigit(s string) bool { return strings.ContainsFunc(s, unicode.IsDigit) }

// join puts the parts of a kind together, sizes once each.
func join(parts []string, kinds []int, kind, not int) string {
	var out []string
	for i, k := range kinds {
		if k&kind != 0 && k&not == 0 && !(kind == partSize && slices.Contains(out, parts[i])) {
			out = append(out, parts[i])
		}
	}
	return strings.Join(out, "-")
}

// classify names the kind of part i, and spells it as usual.
func classify(parts []string, i int, total int64) (string, int) {
	switch part := parts[i]; {
	case versionPart.MatchString(part):
		return part, partVersion
	case typePart.MatchString(part):
		return strings.ToUpper(part), partType
	case i > 0 && sizePart.MatchString(part):
		part = spellSize(part)
		n, ok := sizeOf(part)
		if ok && total > 0 && farFrom(n, total) && !(i+1 < len(parts) && isActive(parts[i+1], total)) {
			return part[:len(part)-1] + strings.ToLower(part[len(part)-1:]), partFinetune // a context length
		}
		return part, partSize
	case i > 0 && finetunePart.MatchString(part):
		return part, partFinetune
	}
	return parts[i], 0
}

// farFrom says that n is no size of a model of total parameters.
func farFrom(n float64, total int64) bool {
	return max(n-float64(total), float64(total)-n) > float64(7*total/8)
}

// isActive says of a part like "A3B" that it counts the active parameters of a model whose tensors are total.
func isActive(part string, total int64) bool {
	if !activePart.MatchString(part) {
		return false
	}
	n, ok := sizeOf(spellSize(part)[1:])
	return ok && !farFrom(n, total)
}

// spellSize writes a size with a point and a capital letter; "7b1" is an older way to write 7.1B.
func spellSize(part string) string {
	part = strings.ReplaceAll(part, "_", ".")
	n := len(part)
	if last := part[n-1]; last >= '0' && last <= '9' {
		part = part[:n-2] + "." + part[n-1:] + part[n-2:n-1]
	}
	n = len(part)
	if n > 1 && unicode.IsDigit(rune(part[n-2])) && strings.Contains("kmbt", part[n-1:]) {
		part = part[:n-1] + strings.ToUpper(part[n-1:])
	}
	return part
}

// sizeOf is the number that a plain size such as "1.5B" means.
func sizeOf(part string) (float64, bool) {
	power := strings.Index(" KMBT", part[len(part)-1:])
	x, err := strconv.ParseFloat(part[:len(part)-1], 64)
	if err != nil || power < 0 {
		return 0, false
	}
	for range power {
		x *= 1000
	}
	return x, true
}

var keptWord = regexp.MustCompile(`^(v\d+(\.\d+)*|\d.*)$`)

// title capitalises the lower-case words of a name that are no version.
func title(name string) string {
	words := strings.Fields(strings.ReplaceAll(name, "-", " "))
	for i, w := range words {
		if w != strings.ToLower(w) || w == strings.ToUpper(w) || keptWord.MatchString(w) {
			continue
		}
		previous := ' '
		words[i] = strings.Map(func(r rune) rune {
			if !unicode.IsLetter(previous) {
				r, previous = unicode.ToTitle(r), r
			} else {
				previous = r
			}
			return r
		}, w)
	}
	return strings.Join(words, " ")
}
