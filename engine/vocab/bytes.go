package vocab

import "strconv"

// GPT-2 spells each byte as a character that can be seen: those from '!' to '~', '¡' to '¬' and '®' to 'ÿ' stand for
// themselves, and the others, in order, for the characters from U+0100 on. A space becomes "Ġ", a line feed "Ċ".
var spellings, spelled = makeAlphabet()

const alphabetEnd = 0x144 // one past the last character of the alphabet

func makeAlphabet() (spellings [256]string, spelled [alphabetEnd]int16) {
	for i := range spelled {
		spelled[i] = -1
	}
	next := rune(0x100)
	for b := range 256 {
		r := rune(b)
		if !(r >= '!' && r <= '~' || r >= '¡' && r <= '¬' || r >= '®' && r <= 'ÿ') {
			r = next
			next++
		}
		spellings[b], spelled[r] = string(r), int16(b)
	}
	return spellings, spelled
}

// byteSpelling returns how byte-level vocabularies write b.
func byteSpelling(b byte) string { return spellings[b] }

// appendBytes appends the bytes that s spells. A character that is no spelling stands for itself (llama.cpp writes
// "[UNK_BYTE_0x...]" in its place).
func appendBytes(dst []byte, s string) []byte {
	for i := 0; i < len(s); {
		r, n := decodeRune(s[i:])
		if r < alphabetEnd && spelled[r] >= 0 {
			dst = append(dst, byte(spelled[r]))
		} else {
			dst = append(dst, s[i:i+n]...)
		}
		i += n
	}
	return dst
}

const hexDigits = "0123456789ABCDEF"

// byteName returns <0xNN>, the name of a byte token in SentencePiece vocabularies.
func byteName(b byte) string { return "<0x" + string([]byte{hexDigits[b>>4], hexDigits[b&15]}) + ">" }

// nameByte is the reverse of byteName, with digits in either case.
func nameByte(s string) (byte, bool) {
	if len(s) != 6 || s[:3] != "<0x" || s[5] != '>' {
		return 0, false
	}
	n, err := strconv.ParseUint(s[3:5], 16, 8)
	return byte(n), err == nil
}
