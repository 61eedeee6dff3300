package chat

import (
	"context"
	"fmt"
	"strings"
	"testing"
)

// BenchmarkRender renders conversations of several lengths; parsing is done once and not measured.
func BenchmarkRender(b *testing.B) {
	for _, file := range []string{"chatml.jinja", "thinking.jinja", "headers.jinja"} {
		tmpl := parseFile(b, file)
		for _, turns := range []int{1, 10, 100} {
			in := Input{AddGenerationPrompt: true, Tools: probeTools, Now: testNow}
			for range turns {
				in.Messages = append(in.Messages, Message{Role: "user", Content: strings.Repeat("question ", 50)},
					Message{Role: "assistant", Content: strings.Repeat("answer ", 100)})
			}
			b.Run(fmt.Sprintf("template=%s/turns=%d", strings.TrimSuffix(file, ".jinja"), turns), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					if _, err := tmpl.Render(context.Background(), in); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

// BenchmarkParse parses a template and finds out its capabilities, as loading a model does.
func BenchmarkParse(b *testing.B) {
	source := parseFile(b, "thinking.jinja").Source()
	for b.Loop() {
		if _, err := Parse(source); err != nil {
			b.Fatal(err)
		}
	}
}
