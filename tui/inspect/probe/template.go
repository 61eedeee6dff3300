package probe

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"github.com/llamakit/llamakit/engine/chat"
	"github.com/llamakit/llamakit/engine/vocab"
	"github.com/llamakit/llamakit/formats/gguf"
)

const templateKey = "tokenizer.chat_template"

// Template is a chat template of a file.
type Template struct {
	Name   string // "default", or what follows the key's name
	Source string
}

// Templates returns the templates of a file, the default one first.
func Templates(md *gguf.Metadata) (list []Template) {
	for key, v := range md.All() {
		name, ok := strings.CutPrefix(key, templateKey)
		source, isText := v.Str()
		switch {
		case !ok || !isText:
		case name == "":
			list = append([]Template{{"default", source}}, list...)
		case name[0] == '.':
			list = append(list, Template{name[1:], source})
		}
	}
	return list
}

// Conversation is one that templates are tried on.
type Conversation struct {
	Name  string
	About string
	input chat.Input
}

var weatherTool = json.RawMessage(`[{"type": "function", "function": {"name": "weather", "description": "The weather of a city", "parameters": ` +
	`{"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}}}]`)

// Conversations are the samples.
var Conversations = []Conversation{
	{"question", "one question", chat.Input{Messages: []chat.Message{{Role: "user", Content: "Why is the sky blue?"}}}},
	{"turns", "a system message and several turns", chat.Input{Messages: []chat.Message{
		{Role: "system", Content: "You are a helpful assistant."}, {Role: "user", Content: "Why is the sky blue?"},
		{Role: "assistant", Content: "Air scatters blue light the most.", Reasoning: "Rayleigh scattering."}, {Role: "user", Content: "And at sunset?"}}}},
	{"tools", "a tool, a call of it and its result", chat.Input{Tools: weatherTool, Messages: []chat.Message{
		{Role: "user", Content: "How is the weather in Paris?"},
		{Role: "assistant", ToolCalls: []chat.ToolCall{{ID: "call00001", Name: "weather", Arguments: json.RawMessage(`{"city": "Paris"}`)}}},
		{Role: "tool", ToolCallID: "call00001", Name: "weather", Content: "Sunny, 21 °C"}}}},
}

// SampleNames are the names of Conversations.
func SampleNames() (names []string) {
	for _, c := range Conversations {
		names = append(names, c.Name)
	}
	return names
}

// Sample is the conversation of a name, with the usual special tokens.
func Sample(name string) chat.Input {
	i := slices.Index(SampleNames(), name)
	return Conversations[i].Input(nil)
}

// Input is the conversation as a template takes it, with the special tokens of a vocabulary, which may be nil.
func (c Conversation) Input(v *vocab.Vocab) chat.Input {
	in := c.input
	in.AddGenerationPrompt = true
	in.BOS, in.EOS = "<s>", "</s>"
	if v != nil {
		in.BOS, in.EOS = v.Text(v.BOS), v.Text(v.EOS)
	}
	return in
}

// Render renders a sample through a template.
func Render(ctx context.Context, source string, c Conversation, v *vocab.Vocab) (string, error) {
	t, err := chat.Parse(source)
	if err != nil {
		return "", err
	}
	return t.Render(ctx, c.Input(v))
}
