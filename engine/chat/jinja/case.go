package jinja

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// upper and lower are Unicode's full mappings where one character becomes several, which Go's strings lack.
func upper(t string) string {
	if isASCII(t) {
		return strings.ToUpper(t)
	}
	var b strings.Builder
	for _, r := range t {
		if full, ok := specialUpper[r]; ok {
			b.WriteString(full)
		} else {
			b.WriteRune(unicode.ToUpper(r))
		}
	}
	return b.String()
}

func lower(t string) string {
	if isASCII(t) {
		return strings.ToLower(t)
	}
	var b strings.Builder
	for i, r := range t {
		switch r {
		case 'İ':
			b.WriteString("i\u0307")
		case 'Σ':
			b.WriteRune(finalSigma(t, i))
		default:
			b.WriteRune(unicode.ToLower(r))
		}
	}
	return b.String()
}

// finalSigma: a capital sigma at the end of a word has another lower case.
func finalSigma(t string, i int) rune {
	before, _ := utf8.DecodeLastRuneInString(strings.TrimRightFunc(t[:i], isCaseIgnorable))
	after, _ := utf8.DecodeRuneInString(strings.TrimLeftFunc(t[i+len("Σ"):], isCaseIgnorable))
	if isCased(before) && !isCased(after) {
		return 'ς'
	}
	return 'σ'
}

func isCaseIgnorable(r rune) bool {
	return unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf, unicode.Lm, unicode.Sk) || strings.ContainsRune("'.:·’", r)
}

func isCased(r rune) bool {
	return unicode.IsUpper(r) || unicode.IsLower(r) || unicode.IsTitle(r)
}

func isASCII(t string) bool {
	for i := range len(t) {
		if t[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// title upper-cases what follows a character without case; capitalize the first character. The rest is lower-cased.
func title(t string) string {
	var b strings.Builder
	cased := false
	for _, r := range t {
		if cased {
			b.WriteString(lower(string(r)))
		} else {
			b.WriteString(titleRune(r))
		}
		cased = isCased(r)
	}
	return b.String()
}

func capitalize(t string) string {
	r, n := utf8.DecodeRuneInString(t)
	if n == 0 {
		return ""
	}
	return titleRune(r) + lower(t[n:])
}

func titleRune(r rune) string {
	full, special := specialUpper[r]
	if t := unicode.ToTitle(r); t != r || !special {
		return string(t)
	}
	first, n := utf8.DecodeRuneInString(full)
	return string(first) + lower(full[n:])
}

func swapCase(t string) string {
	var b strings.Builder
	for _, r := range t {
		if unicode.IsUpper(r) {
			b.WriteString(lower(string(r)))
		} else {
			b.WriteString(upper(string(r)))
		}
	}
	return b.String()
}

// isLower and isUpper: there is a cased character and none of the other case.
func isLower(t string) bool { return isCase(t, unicode.IsLower) }
func isUpper(t string) bool { return isCase(t, unicode.IsUpper) }

func isCase(t string, ok func(rune) bool) bool {
	found := false
	for _, r := range t {
		if isCased(r) {
			if !ok(r) {
				return false
			}
			found = true
		}
	}
	return found
}

// isTitle: upper case only after characters without case, lower case only after cased ones.
func isTitle(t string) bool {
	found, cased := false, false
	for _, r := range t {
		switch {
		case unicode.IsUpper(r) || unicode.IsTitle(r):
			if cased {
				return false
			}
			found, cased = true, true
		case unicode.IsLower(r):
			if !cased {
				return false
			}
		default:
			cased = false
		}
	}
	return found
}
