package serverclients

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/anthropics/anthropic-sdk-go"
	anthropicparam "github.com/anthropics/anthropic-sdk-go/packages/param"
	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/packages/param"

	"github.com/llamakit/llamakit/bench/golden"
	"github.com/llamakit/llamakit/engine"
	"github.com/llamakit/llamakit/engine/chat"
)

// skill is a conversation with tools, and the answer that the demo model learnt.
type skill struct {
	Messages, Tools json.RawMessage
	Expect          string
}

// answer is what a model said, and the call that it made.
type answer struct {
	text, name string
	arguments  any
}

// expected reads an answer as the model writes it.
func expected(text string) (a answer) {
	var call struct {
		Name      string
		Arguments any
	}
	body, isCall := strings.CutPrefix(text, "<tool_call>\n")
	if isCall && json.Unmarshal([]byte(strings.TrimSuffix(body, "\n</tool_call>")), &call) == nil {
		return answer{name: call.Name, arguments: call.Arguments}
	}
	return answer{text: text}
}

// TestToolSkills asks what the demo model learnt of tools through both clients, and without constraints: with them at least as many
// answers are right.
func TestToolSkills(t *testing.T) {
	f, err := os.Open(golden.Shared(t, "models", "demo", "skills.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	url, m := startModel(t)
	ways := map[string]func(*testing.T, skill) answer{
		"no constraint": free(openAI(url, key), m),
		"openai-go":     throughOpenAI(openAI(url, key)),
		"anthropic-sdk": throughAnthropic(claude(url, key)),
	}
	right, all := map[string]int{}, 0
	for s := bufio.NewScanner(f); s.Scan(); {
		var one skill
		if err := json.Unmarshal(s.Bytes(), &one); err != nil {
			t.Fatal(err)
		}
		if len(one.Tools) == 0 {
			continue
		}
		all++
		for name, ask := range ways {
			if got := ask(t, one); reflect.DeepEqual(got, expected(one.Expect)) {
				right[name]++
			}
		}
	}
	t.Logf("right of %d: %v", all, right)
	for name := range ways {
		if n := right[name]; n < right["no constraint"] {
			t.Errorf("%s: %d answers are right, without constraints %d", name, n, right["no constraint"])
		}
	}
}

func free(client openai.Client, m *engine.Model) func(*testing.T, skill) answer {
	return func(t *testing.T, s skill) answer {
		var messages []chat.Message
		if err := json.Unmarshal(s.Messages, &messages); err != nil {
			t.Fatal(err)
		}
		prompt, _, err := m.Prompt(engine.Request{Messages: messages, Template: engine.TemplateOptions{Tools: s.Tools}})
		if err != nil {
			t.Fatal(err)
		}
		got, err := client.Completions.New(context.Background(), openai.CompletionNewParams{Model: "demo", Temperature: openai.Float(0), MaxTokens: openai.Int(200),
			Prompt: openai.CompletionNewParamsPromptUnion{OfString: openai.String(prompt)}})
		if err != nil {
			t.Fatal(err)
		}
		text := got.Choices[0].Text
		if _, after, thought := strings.Cut(text, "</think>"); thought {
			text = strings.TrimSpace(after)
		}
		return expected(text)
	}
}

func throughOpenAI(client openai.Client) func(*testing.T, skill) answer {
	return func(t *testing.T, s skill) answer {
		got, err := client.Chat.Completions.New(context.Background(), param.Override[openai.ChatCompletionNewParams](json.RawMessage(
			fmt.Sprintf(`{"model":"demo","temperature":0,"messages":%s,"tools":%s}`, s.Messages, s.Tools))))
		if err != nil {
			t.Fatal(err)
		}
		a := answer{text: got.Choices[0].Message.Content}
		for _, c := range got.Choices[0].Message.ToolCalls {
			a.name = c.Function.Name
			if err := json.Unmarshal([]byte(c.Function.Arguments), &a.arguments); err != nil {
				t.Errorf("arguments %q: %v", c.Function.Arguments, err)
			}
		}
		return a
	}
}

func throughAnthropic(client anthropic.Client) func(*testing.T, skill) answer {
	return func(t *testing.T, s skill) answer {
		got, err := client.Messages.New(context.Background(), anthropicparam.Override[anthropic.MessageNewParams](asAnthropic(t, s)))
		if err != nil {
			t.Fatal(err)
		}
		var a answer
		for _, b := range got.Content {
			switch b.Type {
			case "text":
				a.text = b.Text
			case "tool_use":
				a.name = b.Name
				if err := json.Unmarshal(b.Input, &a.arguments); err != nil {
					t.Errorf("input %s: %v", b.Input, err)
				}
			}
		}
		return a
	}
}

// asAnthropic is a skill as a request of the messages API.
func asAnthropic(t *testing.T, s skill) map[string]any {
	var messages []struct {
		Role, Content string
		ToolCalls     []struct {
			Function struct {
				Name      string
				Arguments json.RawMessage
			}
		} `json:"tool_calls"`
	}
	var tools []struct {
		Function struct {
			Name, Description string
			Parameters        json.RawMessage
		}
	}
	if json.Unmarshal(s.Messages, &messages) != nil || json.Unmarshal(s.Tools, &tools) != nil {
		t.Fatalf("%s", s.Messages)
	}
	request := map[string]any{"model": "demo", "max_tokens": 200, "temperature": 0}
	var turns, definitions []any
	for _, m := range messages {
		switch {
		case m.Role == "system":
			request["system"] = m.Content
		case m.Role == "tool":
			turns = append(turns, map[string]any{"role": "user", "content": []any{map[string]any{"type": "tool_result", "tool_use_id": "toolu_1", "content": m.Content}}})
		case len(m.ToolCalls) > 0:
			c := m.ToolCalls[0].Function
			turns = append(turns, map[string]any{"role": m.Role, "content": []any{map[string]any{"type": "tool_use", "id": "toolu_1", "name": c.Name, "input": c.Arguments}}})
		default:
			turns = append(turns, map[string]any{"role": m.Role, "content": m.Content})
		}
	}
	for _, d := range tools {
		definitions = append(definitions, map[string]any{"name": d.Function.Name, "description": d.Function.Description, "input_schema": d.Function.Parameters})
	}
	request["messages"], request["tools"] = turns, definitions
	return request
}
