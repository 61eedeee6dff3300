package chat

import (
	"strings"
	"testing"
)

// splitCases are answers with what a splitter makes of them.
var splitCases = []struct {
	template string // what its source says
	prompt   string // how the rendered prompt ends
	answer   string
	content  string
	reason   string
}{
	{"", "", "Hello", "Hello", ""},
	{"", "", "  Hello \n", "  Hello \n", ""},
	{"", "", "", "", ""},
	{"", "", " \n", " \n", ""},
	{"", "", "<think>\nhm\n</think>\n\nHello", "Hello", "hm"},
	{"", "", "\n<think>hm</think>Hello ", "Hello ", "hm"},
	{"", "", "<think>a\n\nb </think> Hello", "Hello", "a\n\nb"},
	{"", "", "<think>\n\n</think>\n\nHello", "Hello", ""},
	{"", "", "<think>cut off \n", "", "cut off"},
	{"", "", "<think>cut off </thi", "", "cut off </thi"},
	{"", "", "<thi", "<thi", ""},
	{"", "", "<thinner> is no tag", "<thinner> is no tag", ""},
	{"", "", "The tag <think> opens, </think> closes", "The tag <think> opens, </think> closes", ""},
	{"", "", "<think>1 < 2 </b> </ think> </thin</think>é🦙", "é🦙", "1 < 2 </b> </ think> </thin"},
	{"", "", "<think>a</think>\n<think>b</think>\nc <think>d</think>", "c <think>d</think>", "ab"},
	{"", "", "<think>a</think>  \n", "", "a"},
	{"", "assistant\n<think>", "hm</think>Hello", "Hello", "hm"},
	{"", "assistant\n<think>\n", "\nhm\n</think>\n\nHello", "Hello", "hm"},
	{"", "assistant\n<think>\n", "</think>Hello", "Hello", ""},
	{"", "assistant\n<think>\n\n</think>\n\n", "Hello", "Hello", ""},
	{"", "what is <think>?\nassistant\n", "Hello", "Hello", ""},
	{"<seed:think>", "", "<seed:think>hm</seed:think>Hello", "Hello", "hm"},
	{"<seed:think>", "", "<think>hm</think>Hello", "<think>hm</think>Hello", ""},
	{"[THINK]", "", "[THINK]hm[/THINK]Hello", "Hello", "hm"},
	{"[THINK]", "[THINK]", "hm [/THI [/THINK]Hello", "Hello", "hm [/THI"},
	{"<|START_THINKING|>", "<|CHATBOT_TOKEN|><|START_THINKING|>", "hm<|END_THINKING|>Hello", "Hello", "hm"},
	{"<|inner_prefix|>", "", "<|inner_prefix|>hm<|inner_suffix|>Hello", "Hello", "hm"},
	{"<|channel>thought\n<channel|>", "", "<|channel>thought\nhm<channel|>Hello", "Hello", "hm"},
	{"◁think▷", "", "◁think▷hm◁/think▷Hello", "Hello", "hm"},
	{"<think> [THINK]", "", "[THINK]hm[/THINK]Hello", "Hello", "hm"},
	{"<think> [THINK]", "[THINK]", "hm</think>[/THINK]Hello", "Hello", "hm</think>"},

	{harmonyTags, "<|start|>assistant", "<|channel|>analysis<|message|>hm<|end|><|start|>assistant<|channel|>final<|message|>Hello<|return|>", "Hello", "hm"},
	{harmonyTags, "<|start|>assistant", "<|channel|>final<|message|>Hello", "Hello", ""},
	{harmonyTags, "<|start|>assistant", "<|channel|>analysis<|message|>cut o", "", "cut o"},
	{harmonyTags, "<|start|>assistant", "<|channel|>analysis<|message|>a <|en b<|end|>", "", "a <|en b"},
	{harmonyTags, "<|start|>assistant", "<|channel|>commentary<|message|>I will look.<|end|>", "I will look.", ""},
	{harmonyTags, "<|start|>assistant", "<|channel|>analysis<|message|>hm<|end|><|start|>assistant<|channel|>commentary to=functions.f <|constrain|>json<|message|>{}<|call|>",
		"<|start|>assistant<|channel|>commentary to=functions.f <|constrain|>json<|message|>{}<|call|>", "hm"},
	{harmonyTags, "<|start|>assistant", " to=functions.f<|channel|>commentary json<|message|>{}<|call|>", "<|start|>assistant<|channel|>commentary to=functions.f <|constrain|>json<|message|>{}<|call|>", ""},
	{harmonyTags, "<|start|>assistant", "No channels at all <|end|>", "No channels at all <|end|>", ""},
	{harmonyTags, "<|start|>assistant", "<|channel|>ana", "", ""},
	{harmonyTags, "<|start|>assistant", "", "", ""},
}

const harmonyTags = "<|start|><|channel|>analysis<|message|>"

// TestSplitter pushes every answer whole, byte by byte, and cut at every two places; the result is always the same.
func TestSplitter(t *testing.T) {
	for _, tt := range splitCases {
		tmpl := mustParse(t, tt.template+" {# a template #}")
		split := func(pieces ...string) (content, reason string) {
			s := tmpl.Splitter(tt.prompt)
			for _, p := range pieces {
				c, r := s.Push(p)
				content, reason = content+c, reason+r
			}
			c, r := s.Flush()
			return content + c, reason + r
		}
		check := func(pieces ...string) {
			t.Helper()
			if c, r := split(pieces...); c != tt.content || r != tt.reason {
				t.Errorf("%q after %q as %q:\n got  content %q, reasoning %q\n want content %q, reasoning %q", tt.answer, tt.prompt, pieces, c, r, tt.content, tt.reason)
			}
		}
		check(tt.answer)
		check(strings.Split(tt.answer, "")...)
		for i := range tt.answer {
			for j := i; j <= len(tt.answer); j++ {
				check(tt.answer[:i], tt.answer[i:j], tt.answer[j:])
			}
		}
	}
}

// TestSplitterPrompt: text that cannot be part of a tag comes out at once.
func TestSplitterPrompt(t *testing.T) {
	s := mustParse(t, "x").Splitter("<think>")
	for _, step := range []struct{ push, content, reason string }{
		{"Let", "", "Let"}, {" me ", "", " me"}, {"see", "", " see"}, {" </", "", ""}, {"b>", "", " </b>"}, {"</think>", "", ""},
		{"\n\n", "", ""}, {"So", "So", ""}, {" <", " <", ""}, {"think>", "think>", ""},
	} {
		if c, r := s.Push(step.push); c != step.content || r != step.reason {
			t.Errorf("Push(%q) gave %q, %q, want %q, %q", step.push, c, r, step.content, step.reason)
		}
	}
}

// TestSplitterFor: an answer that goes on with a message begins where that ended.
func TestSplitterFor(t *testing.T) {
	ask := Message{Role: "user", Content: "what does <think> do?"}
	for _, tt := range []struct {
		file    string
		last    Message
		content string
		reason  string
	}{
		{"thinking.jinja", Message{Reasoning: "Let"}, "So", " me"},
		{"thinking.jinja", Message{Content: "<think>\nLet"}, "So", " me"},
		{"thinking.jinja", Message{Reasoning: "hm", Content: "Well,"}, " me</think>So", ""},
		{"chatml.jinja", Message{Content: "<think>\nLet"}, "So", " me"},
		{"chatml.jinja", Message{Content: "Well,"}, " me</think>So", ""},
		{"chatml.jinja", Message{Parts: []Part{TextPart("<think>Let")}}, "So", " me"},
	} {
		tmpl := parseFile(t, tt.file)
		tt.last.Role = "assistant"
		in := Input{Messages: []Message{ask, tt.last}, ContinueFinalMessage: true}
		s := tmpl.SplitterFor(in, render(t, tmpl, in))
		content, reason := s.Push(" me</think>So")
		c, r := s.Flush()
		if content+c != tt.content || reason+r != tt.reason {
			t.Errorf("%s after %+v: %q, %q, want %q, %q", tt.file, tt.last, content+c, reason+r, tt.content, tt.reason)
		}
	}
	tmpl := parseFile(t, "thinking.jinja")
	in := Input{Messages: []Message{ask}, AddGenerationPrompt: true}
	if _, r := tmpl.SplitterFor(in, render(t, tmpl, in)).Push("hm "); r != "hm" {
		t.Errorf("a prompt that ends with a tag: reasoning %q", r)
	}
}

func TestTags(t *testing.T) {
	for source, want := range map[string]string{
		"x": "<think> </think>", "[THINK]": "[THINK] [/THINK]", "</seed:think> <think>": "<think> </think> <seed:think> </seed:think>",
		harmonyTags: "<|channel|> <|message|> <|start|> <|end|> <|call|> <|return|>",
	} {
		if got := strings.Join(mustParse(t, source).Tags(), " "); got != want {
			t.Errorf("%s: tags %q, want %q", source, got, want)
		}
	}
}

// FuzzSplitter: no text is lost but tags and the white space around reasoning, and cuts make no difference.
func FuzzSplitter(f *testing.F) {
	for _, tt := range splitCases {
		f.Add(tt.template, tt.prompt, tt.answer, uint(3))
	}
	f.Fuzz(func(t *testing.T, source, prompt, answer string, cut uint) {
		tmpl := &Template{source: source}
		whole, pieces := tmpl.Splitter(prompt), tmpl.Splitter(prompt)
		c1, r1 := whole.Push(answer)
		c, r := whole.Flush()
		c1, r1 = c1+c, r1+r
		at := int(cut % uint(len(answer)+1))
		c2, r2 := pieces.Push(answer[:at])
		c, r = pieces.Push(answer[at:])
		c2, r2 = c2+c, r2+r
		c, r = pieces.Flush()
		c2, r2 = c2+c, r2+r
		if c1 != c2 || r1 != r2 {
			t.Errorf("%q: whole %q, %q; cut at %d %q, %q", answer, c1, r1, at, c2, r2)
		}
		if len(c1)+len(r1) > len(answer) && !strings.Contains(answer, "to=") {
			t.Errorf("%q became longer: %q, %q", answer, c1, r1)
		}
	})
}
