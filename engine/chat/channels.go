package chat

import (
	"regexp"
	"strings"
)

// channels splits an answer in the harmony format of gpt-oss, https://cookbook.openai.com/articles/openai-harmony:
//
//	<|channel|>analysis<|message|>reasoning<|end|><|start|>assistant<|channel|>final<|message|>content<|return|>
//
// The prompt ends with <|start|>assistant. A message in the channel analysis is reasoning, in any other content. One to a
// tool (to=functions.name, in the header, at several places) stays as it is, with its header in one form, for who reads calls.
type channels struct {
	held   string
	header string // of the message that is open, up to and with <|message|>
	state  channelState
}

type channelState int

const (
	inHeader channelState = iota
	inBody
	inPlain // the answer is not in the format
)

var channelEnds = []string{"<|end|>", "<|call|>", "<|return|>"}

func (c *channels) push(text string) (content, reasoning string) {
	c.held += text
	var out [2]strings.Builder // content, reasoning
	for c.step(&out) {
	}
	return out[0].String(), out[1].String()
}

// step takes one header or body, or what is certain of it; false when more text is needed.
func (c *channels) step(out *[2]strings.Builder) bool {
	switch c.state {
	case inHeader:
		return c.takeHeader(out)
	case inBody:
		return c.takeBody(out)
	}
	out[0].WriteString(c.held)
	c.held = ""
	return false
}

func (c *channels) takeHeader(out *[2]strings.Builder) bool {
	if !c.maybeHeader() {
		c.state = inPlain
		return true
	}
	const end = "<|message|>"
	at := strings.Index(c.held, end)
	if at < 0 {
		return false
	}
	c.header, c.held = c.held[:at+len(end)], c.held[at+len(end):]
	c.state = inBody
	if to := recipient.FindStringSubmatch(c.header); to != nil {
		out[0].WriteString("<|start|>assistant<|channel|>commentary to=" + to[1] + " <|constrain|>json<|message|>")
	}
	return true
}

// recipient is in the header of a message to a tool.
var recipient = regexp.MustCompile(`to=([^\s<]+)`)

// maybeHeader reports that the held text is, or may become, the beginning of a header.
func (c *channels) maybeHeader() bool {
	rest := strings.TrimLeft(c.held, white)
	for _, begin := range []string{channelTag, "<|start|>", "<|message|>", "to="} {
		if strings.HasPrefix(rest, begin) || strings.HasPrefix(begin, rest) {
			return true
		}
	}
	return false
}

func (c *channels) toTool() bool { return recipient.MatchString(c.header) }

// part is 1 for reasoning, 0 for content.
func (c *channels) part() int {
	_, channel, _ := strings.Cut(c.header, channelTag)
	if strings.HasPrefix(strings.TrimLeft(channel, white), "analysis") && !c.toTool() {
		return 1
	}
	return 0
}

func (c *channels) takeBody(out *[2]strings.Builder) bool {
	first, length, keep := -1, 0, 0
	for _, end := range channelEnds {
		if at := strings.Index(c.held, end); at >= 0 && (first < 0 || at < first) {
			first, length = at, len(end)
		}
		keep = max(keep, overlap(c.held, end))
	}
	if first < 0 {
		first = len(c.held) - keep
		out[c.part()].WriteString(c.held[:first])
		c.held = c.held[first:]
		return false
	}
	out[c.part()].WriteString(c.held[:first])
	if c.toTool() {
		out[0].WriteString(c.held[first : first+length])
	}
	c.held, c.state = c.held[first+length:], inHeader
	return true
}

// flush ends the stream. A header without its message is dropped.
func (c *channels) flush() (content, reasoning string) {
	held := c.held
	c.held = ""
	switch {
	case c.state == inHeader:
		return "", ""
	case c.state == inBody && c.part() == 1:
		return "", held
	}
	return held, ""
}
