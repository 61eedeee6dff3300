package flags

import (
	"strconv"
	"strings"
)

// escapes are llama.cpp's, beside \\xHH.
var escapes = map[byte]byte{'n': '\n', 'r': '\r', 't': '\t', '\'': '\'', '"': '"', '\\': '\\'}

// Unescape resolves the escapes that llama.cpp resolves in prompts; other backslashes stay.
func Unescape(s string) string {
	if !strings.Contains(s, `\`) {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' || i+1 == len(s) {
			b.WriteByte(s[i])
			continue
		}
		if c, ok := escapes[s[i+1]]; ok {
			b.WriteByte(c)
			i++
		} else if n, ok := hexByte(s[i+1:]); ok {
			b.WriteByte(n)
			i += 3
		} else {
			b.WriteByte(s[i])
		}
	}
	return b.String()
}

// hexByte reads xHH at the beginning of s.
func hexByte(s string) (byte, bool) {
	if len(s) < 3 || s[0] != 'x' {
		return 0, false
	}
	n, err := strconv.ParseUint(s[1:3], 16, 8)
	return byte(n), err == nil
}
