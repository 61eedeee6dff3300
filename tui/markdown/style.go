package markdown

import (
	"github.com/charmbracelet/glamour/ansi"
	"github.com/charmbracelet/glamour/styles"
)

// coloured is the style on a terminal with colours. It takes only colours of the terminal's own palette, and of these
// only such as can be read on light and on dark ground, so that nobody has to ask the terminal for its background.
func coloured() ansi.StyleConfig {
	const blue, magenta, cyan = "4", "5", "6"
	s := plain()
	s.Emph = ansi.StylePrimitive{Italic: ptr(true)}
	s.Strong = ansi.StylePrimitive{Bold: ptr(true)}
	s.Strikethrough = ansi.StylePrimitive{CrossedOut: ptr(true)}
	s.Heading.Bold, s.Heading.Color = ptr(true), ptr(blue)
	for _, h := range []*ansi.StyleBlock{&s.H1, &s.H2, &s.H3, &s.H4, &s.H5, &s.H6} {
		h.Prefix = ""
	}
	s.H1.Underline = ptr(true)
	s.BlockQuote.Faint, s.BlockQuote.IndentToken = ptr(true), ptr("│ ")
	s.Code = ansi.StyleBlock{StylePrimitive: ansi.StylePrimitive{Color: ptr(magenta)}}
	s.Link = ansi.StylePrimitive{Color: ptr(cyan), Underline: ptr(true)}
	s.LinkText = ansi.StylePrimitive{Bold: ptr(true)}
	s.HorizontalRule = ansi.StylePrimitive{Format: "\n──────\n", Faint: ptr(true)}
	s.CodeBlock.Chroma = &ansi.Chroma{
		Keyword:             ansi.StylePrimitive{Color: ptr("#000080")},
		KeywordType:         ansi.StylePrimitive{Color: ptr("#008080")},
		NameFunction:        ansi.StylePrimitive{Color: ptr("#008080")},
		NameBuiltin:         ansi.StylePrimitive{Color: ptr("#008080")},
		LiteralString:       ansi.StylePrimitive{Color: ptr("#008000")},
		LiteralStringEscape: ansi.StylePrimitive{Color: ptr("#800080")},
		LiteralNumber:       ansi.StylePrimitive{Color: ptr("#800080")},
		GenericDeleted:      ansi.StylePrimitive{Color: ptr("#800000")},
		GenericInserted:     ansi.StylePrimitive{Color: ptr("#008000")},
		Comment:             ansi.StylePrimitive{Color: ptr("#808080")},
	}
	return s
}

// plain is the style without colours.
func plain() ansi.StyleConfig {
	s := styles.NoTTYStyleConfig
	s.Document = ansi.StyleBlock{}
	s.CodeBlock.Margin = ptr(uint(2))
	return s
}

func ptr[T any](v T) *T { return &v }
