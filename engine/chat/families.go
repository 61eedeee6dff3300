package chat

import "strings"

// tags open and close the part of an answer in which the model reasons.
type tags struct{ open, close string }

// families are the tags that model families use.
var families = []tags{
	{"<think>", "</think>"},                    // DeepSeek, Qwen, GLM, and most others
	{"<seed:think>", "</seed:think>"},          // Seed-OSS
	{"[THINK]", "[/THINK]"},                    // Mistral
	{"<|START_THINKING|>", "<|END_THINKING|>"}, // Command R7B, A
	{"<|inner_prefix|>", "<|inner_suffix|>"},   // Apertus
	{"<|channel>thought", "<channel|>"},        // Gemma 4
	{"<thinking>", "</thinking>"},              // MiroThinker
	{"◁think▷", "◁/think▷"},                    // Kimi-VL
}

// channelTag marks templates of the harmony format (gpt-oss), where an answer is several messages, each in a channel.
const channelTag = "<|channel|>"

// families are the tags that the template names; <think> when it names none, since many models reason whose template does
// not say so.
func (t *Template) families() []tags {
	var found []tags
	for _, f := range families {
		if strings.Contains(t.source, f.open) || strings.Contains(t.source, f.close) {
			found = append(found, f)
		}
	}
	if found == nil {
		found = families[:1]
	}
	return found
}

func (t *Template) usesChannels() bool {
	return strings.Contains(t.source, channelTag) && strings.Contains(t.source, "<|message|>")
}

// ReasoningTags are what the template has around a reasoning.
func (t *Template) ReasoningTags() (open, end string) {
	if t.usesChannels() {
		return channelTag + "analysis<|message|>", channelEnds[0]
	}
	f := t.families()[0]
	return f.open, f.close
}

// Tags are the texts that a Splitter looks for. Where they are control tokens of the vocabulary, the text that is pushed must
// show them nevertheless.
func (t *Template) Tags() []string {
	if t.usesChannels() {
		return append([]string{channelTag, "<|message|>", "<|start|>"}, channelEnds...)
	}
	var all []string
	for _, f := range t.families() {
		all = append(all, f.open, f.close)
	}
	return all
}
