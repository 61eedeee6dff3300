package probe

import (
	"fmt"
	"strings"

	"github.com/llamakit/llamakit/formats/gguf"
	"github.com/llamakit/llamakit/tui/cells"
)

// TypeText is the type as llama.cpp's logs have it: "u32", "arr[str,4096]".
func TypeText(v gguf.Value) string {
	if v.Type() == gguf.TypeArray {
		return fmt.Sprintf("arr[%v,%d]", v.Elem(), v.Len())
	}
	return v.Type().String()
}

// ValueText is the value on one printable line, cut to width cells; 0 cuts nothing.
func ValueText(v gguf.Value, width int) string {
	var b strings.Builder
	writeValue(&b, v, width*8, false)
	if width == 0 {
		return b.String()
	}
	return cells.Truncate(b.String(), width)
}

// writeValue stops soon after limit bytes, so that a long array costs no more than what is shown of it. No cell takes more
// than 8 bytes; 0 is no limit.
func writeValue(b *strings.Builder, v gguf.Value, limit int, quoted bool) {
	text, isText := v.Str()
	switch {
	case isText:
		if limit > 0 {
			text = text[:min(len(text), limit)]
		}
		text = gguf.Printable(text)
		if quoted {
			text = `"` + strings.ReplaceAll(text, `"`, `\"`) + `"`
		}
		b.WriteString(text)
	case v.Type() == gguf.TypeArray:
		writeArray(b, v, limit)
	default:
		fmt.Fprint(b, v.Any())
	}
}

func writeArray(b *strings.Builder, v gguf.Value, limit int) {
	b.WriteByte('[')
	for i, e := range v.All() {
		if i > 0 {
			b.WriteString(", ")
		}
		if limit > 0 && b.Len() > limit {
			b.WriteString("…")
			break
		}
		writeValue(b, e, limit, true)
	}
	b.WriteByte(']')
}
