package chat_test

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/llamakit/llamakit/engine/chat"
)

func Example() {
	t, err := chat.Parse("") // a model without a template
	if err != nil {
		fmt.Println(err)
		return
	}
	text, err := t.Render(context.Background(), chat.Input{
		Messages:            []chat.Message{{Role: "system", Content: "Be brief."}, {Role: "user", Content: "What is GGUF?"}},
		AddGenerationPrompt: true,
	})
	fmt.Print(text, err)
	// Output:
	// <|im_start|>system
	// Be brief.<|im_end|>
	// <|im_start|>user
	// What is GGUF?<|im_end|>
	// <|im_start|>assistant
	// <nil>
}

func ExampleTemplate_Splitter() {
	t, err := chat.Parse("")
	if err != nil {
		fmt.Println(err)
		return
	}
	s := t.Splitter("<|im_start|>assistant\n")
	for _, piece := range []string{"<th", "ink>\nA file format", ".\n</thi", "nk>\n\nGGUF holds", " models."} {
		content, reasoning := s.Push(piece)
		fmt.Printf("%q %q\n", content, reasoning)
	}
	// Output:
	// "" ""
	// "" "A file format"
	// "" "."
	// "GGUF holds" ""
	// " models." ""
}

func ExampleTemplate_Render_tools() {
	t, err := chat.Parse("{% for tool in tools %}{{ tool | tojson }}\n{% endfor %}")
	if err != nil {
		fmt.Println(err)
		return
	}
	text, err := t.Render(context.Background(), chat.Input{
		Messages: []chat.Message{{Role: "user", Content: "Hi"}},
		Tools:    json.RawMessage(`[{"name": "find", "description": "a<b && c>d", "args": {"z": 1, "a": 2}}]`),
	})
	fmt.Print(text, err)
	// Output:
	// {"name": "find", "description": "a<b && c>d", "args": {"z": 1, "a": 2}}
	// <nil>
}
