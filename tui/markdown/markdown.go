// Package markdown draws Markdown that a model wrote, block by block, for a terminal.
//
// Split finds the blocks of a text that are finished while the rest still comes; Renderer.Lines draws one. The text is
// foreign: whatever it says, the result holds no escape sequence but colours that this package chose, no line is wider
// than asked, and what looks like HTML is shown as it was written.
package markdown

import (
	"bytes"
	"html"
	"regexp"
	"strings"

	"github.com/charmbracelet/glamour/ansi"
	"github.com/muesli/termenv"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/util"

	"github.com/llamakit/llamakit/tui/cells"
	"github.com/llamakit/llamakit/tui/printable"
)

// maxBlock is the largest block that is drawn as Markdown, in bytes. Beyond it a frame would take too long (the
// highlighter does about 200 KB/s): code is drawn in pieces, any other block is shown as it was written.
const maxBlock = 3 << 10

// Renderer draws blocks at one width.
type Renderer struct {
	width int
	md    goldmark.Markdown
}

// New makes a renderer for lines of width cells. With colours off the marks of emphasis stay.
func New(width int, colours bool) *Renderer {
	width = max(width, 4)
	options := ansi.Options{WordWrap: width, PreserveNewLines: true, ColorProfile: termenv.ANSI, ChromaFormatter: "terminal16", Styles: coloured()}
	if !colours {
		options.ColorProfile, options.ChromaFormatter, options.Styles = termenv.Ascii, "noop", plain()
	}
	md := goldmark.New(goldmark.WithParser(newParser()), goldmark.WithExtensions(extension.GFM))
	// Set last: the extensions bring renderers of their own, for HTML.
	md.SetRenderer(renderer.NewRenderer(renderer.WithNodeRenderers(util.Prioritized(ansi.NewRenderer(options), 1000))))
	return &Renderer{width: width, md: md}
}

// newParser is CommonMark's parser without HTML, which would be dropped from the text.
func newParser() parser.Parser {
	return parser.NewParser(
		parser.WithBlockParsers(without(parser.DefaultBlockParsers(), parser.NewHTMLBlockParser())...),
		parser.WithInlineParsers(without(parser.DefaultInlineParsers(), parser.NewRawHTMLParser())...),
		parser.WithParagraphTransformers(parser.DefaultParagraphTransformers()...),
	)
}

func without(list []util.PrioritizedValue, unwanted any) []util.PrioritizedValue {
	var out []util.PrioritizedValue
	for _, v := range list {
		if v.Value != unwanted {
			out = append(out, v)
		}
	}
	return out
}

// Lines draws a block.
func (r *Renderer) Lines(block string) []string {
	if len(block) > maxBlock {
		if lines, ok := r.longCode(block); ok {
			return lines
		}
		return cells.Wrap(printable.Text(block), r.width)
	}
	return r.draw(block)
}

func (r *Renderer) draw(block string) []string {
	block = printable.Text(block)
	var out bytes.Buffer
	if err := r.md.Convert([]byte(disarm(tighten(expand(block)))), &out); err != nil {
		return cells.Wrap(block, r.width)
	}
	var lines []string
	for line := range strings.SplitSeq(out.String(), "\n") {
		lines = append(lines, cells.Chop(trimBlanks(onlyColours(line)), r.width)...)
	}
	return trimLines(lines)
}

// expand replaces tabs, whose width Markdown and terminals see differently.
func expand(block string) string {
	if !strings.Contains(block, "\t") {
		return block
	}
	lines := strings.Split(block, "\n")
	for i := range lines {
		lines[i] = cells.ExpandTabs(lines[i])
	}
	return strings.Join(lines, "\n")
}

var numericReference = regexp.MustCompile(`&#[xX]?[0-9a-fA-F]+;?`)

// disarm keeps references such as &#27; from becoming control codes: they are shown as written.
func disarm(block string) string {
	return numericReference.ReplaceAllStringFunc(block, func(ref string) string {
		if char := html.UnescapeString(ref); printable.Line(char) != char {
			return "&amp;" + ref[1:]
		}
		return ref
	})
}

var colour = regexp.MustCompile(`\x1b\[[0-9;]*m`)

// onlyColours shows every control code of a drawn line but the colours.
func onlyColours(line string) string {
	var b strings.Builder
	done := 0
	for _, at := range colour.FindAllStringIndex(line, -1) {
		b.WriteString(printable.Line(line[done:at[0]]))
		b.WriteString(line[at[0]:at[1]])
		done = at[1]
	}
	b.WriteString(printable.Line(line[done:]))
	return b.String()
}

var trailing = regexp.MustCompile(`( |\x1b\[[0-9;]*m)+$`)

// trimBlanks removes the blanks that the renderer fills a line with. If there were colours among them, they end here.
func trimBlanks(line string) string {
	at := trailing.FindStringIndex(line)
	if at == nil {
		return line
	}
	if strings.Contains(line, "\x1b") {
		return line[:at[0]] + "\x1b[0m"
	}
	return line[:at[0]]
}

// trimLines removes the empty lines at both ends.
func trimLines(lines []string) []string {
	for len(lines) > 0 && cells.Width(lines[0]) == 0 {
		lines = lines[1:]
	}
	for len(lines) > 0 && cells.Width(lines[len(lines)-1]) == 0 {
		lines = lines[:len(lines)-1]
	}
	return lines
}
