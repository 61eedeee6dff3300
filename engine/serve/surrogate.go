package serve

import (
	"bytes"
	"strconv"
	"unicode"
	"unicode/utf16"
)

// loneSurrogate reports an escape of half a character, such as \ud83e without its second half. No text has one, and encoding/json
// would put U+FFFD in its place: the model would see another prompt than the client believes.
func loneSurrogate(data []byte) bool {
	for {
		at := bytes.IndexByte(data, '\\')
		if at < 0 || at+1 == len(data) {
			return false
		}
		data = data[at:]
		r, ok := escape(data)
		switch {
		case !ok:
			data = data[2:]
		case !utf16.IsSurrogate(r):
			data = data[6:]
		default:
			low, _ := escape(data[6:])
			if utf16.DecodeRune(r, low) == unicode.ReplacementChar {
				return true
			}
			data = data[12:]
		}
	}
}

// escape is the value of the escape \uXXXX that data begins with.
func escape(data []byte) (r rune, ok bool) {
	if len(data) < 6 || data[1] != 'u' || data[0] != '\\' {
		return 0, false
	}
	n, err := strconv.ParseUint(string(data[2:6]), 16, 16)
	return rune(n), err == nil
}
