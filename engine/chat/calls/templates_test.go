package calls_test

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/llamakit/llamakit/bench/golden"
	"github.com/llamakit/llamakit/engine"
	"github.com/llamakit/llamakit/engine/chat"
	"github.com/llamakit/llamakit/engine/chat/calls"
	"github.com/llamakit/llamakit/engine/demo"
	"github.com/llamakit/llamakit/engine/vocab"
)

const (
	toolsJSON = `[{"type": "function", "function": {"name": "get_weather", "description": "Get the weather", "parameters": ` + weatherSchema + `}},
		{"type": "function", "function": {"name": "add", "description": "Adds", "parameters": ` + addSchema + `}}]`
	weatherSchema = `{"type": "object", "properties": {"city": {"type": "string", "maxLength": 8}, "days": {"type": "integer", "minimum": 0, "maximum": 99}}, "required": ["city", "days"], "additionalProperties": false}`
	addSchema     = `{"type": "object", "properties": {"a": {"type": "integer", "maximum": 99, "minimum": 0}}, "required": ["a"], "additionalProperties": false}`
)

var tools = []calls.Tool{{Name: "get_weather", Parameters: []byte(weatherSchema)}, {Name: "add", Parameters: []byte(addSchema)}}

// conversation has two calls at once, their results, an answer, and another question.
var conversation = chat.Input{AddGenerationPrompt: true, Tools: json.RawMessage(toolsJSON), BOS: "<s>", EOS: "</s>", Messages: []chat.Message{
	{Role: "user", Content: "Question1"},
	{Role: "assistant", ToolCalls: []chat.ToolCall{
		{ID: "call_abc", Name: "get_weather", Arguments: json.RawMessage(`"{\"city\": \"Quito\", \"days\": 3}"`)},
		{ID: "call_def", Name: "add", Arguments: json.RawMessage(`{"a": 41}`)}}},
	{Role: "tool", ToolCallID: "call_def", Content: "Result2"},
	{Role: "tool", ToolCallID: "call_abc", Content: "Result1"},
	{Role: "assistant", Content: "Answer1"},
	{Role: "user", Content: "Question2"}}}

// TestTemplates: a template that shows a format is known to be of it, and shows the conversation so.
func TestTemplates(t *testing.T) {
	for _, f := range calls.Formats() {
		tmpl, err := chat.Parse(f.Jinja())
		if err != nil {
			t.Fatal(f.Name, err)
		}
		if got := tmpl.CallFormat().Name; got != f.Name {
			t.Errorf("a template of %s is taken for %s:\n%s", f.Name, got, f.Jinja())
		}
		text, err := tmpl.Render(context.Background(), conversation)
		if want := f.Text([]calls.Call{{Name: "get_weather", ID: "call_abc", Arguments: []byte(`{"city": "Quito", "days": 3}`)}, {Name: "add", ID: "call_def", Arguments: []byte(`{"a": 41}`)}}); err != nil || !strings.Contains(text, want) {
			t.Errorf("%s: %v, %q lacks %q", f.Name, err, text, want)
		}
	}
}

// TestForced lets a model that knows none of the formats call a tool in each: what it must write is read as a call.
func TestForced(t *testing.T) {
	for _, f := range calls.Formats() {
		m := open(t, f)
		content, list, s, err := answer(t, m, f, calls.Options{Required: true, Single: true}, "")
		arguments := strings.TrimPrefix(strings.TrimPrefix(list, "get_weather"), "add")
		if err != nil || content != "" || s.Calls() != 1 || s.Broken > 0 || !json.Valid([]byte(arguments)) {
			t.Errorf("%s: %v, text %q, calls %q", f.Name, err, content, list)
		}
	}
}

// TestLazy writes given answers in each format: free until a call begins, and then held to the tools.
func TestLazy(t *testing.T) {
	call := calls.Call{Name: "add", ID: "abcdefg12", Arguments: []byte(`{"a": 41}`)}
	for _, f := range calls.Formats() {
		m := open(t, f)
		right := f.Answer(call)
		for _, script := range []string{right, strings.Replace(right, "41", "142", 1), strings.Replace(right, "41", "true", 1)} {
			content, list, _, err := answer(t, m, f, calls.Options{}, script)
			if script == right && (err != nil || content != "" || list != `add{"a": 41}`) {
				t.Errorf("%s, %q: %v, text %q, calls %q", f.Name, script, err, content, list)
			}
			if script != right && err == nil {
				t.Errorf("%s: %q passes", f.Name, script)
			}
		}
	}
}

// open is the demo model with a template of a format.
func open(t *testing.T, f *calls.Format) *engine.Model {
	m, err := engine.OpenBytes(context.Background(), demo.Name, demo.Model(), engine.Options{Context: 512, Threads: 1, Template: f.Jinja()})
	if err != nil {
		t.Fatal(f.Name, err)
	}
	t.Cleanup(func() { m.Close() })
	return m
}

// answer generates, or follows a script, and reads the answer.
func answer(t *testing.T, m *engine.Model, f *calls.Format, o calls.Options, script string) (content, list string, s calls.Splitter, err error) {
	form, err := f.Compile(tools, o)
	if err != nil {
		t.Fatal(f.Name, err)
	}
	r := engine.Request{Messages: []chat.Message{{Role: "user", Content: "Weather?"}}, Calls: form, Sampling: m.DefaultSampling(), MaxTokens: 400,
		Template: engine.TemplateOptions{Thinking: engine.ThinkingOff}}
	if script != "" {
		r.Script = m.Vocab().Encode(script, vocab.EncodeOptions{ParseSpecial: true})
		r.MaxTokens = len(r.Script)
	}
	s = form.Splitter()
	for e, err := range m.Generate(context.Background(), r) {
		if err != nil {
			return content, list, s, err
		}
		text, deltas := s.Push(e.Text)
		content += text
		for _, d := range deltas {
			list += d.Name + d.Arguments
		}
	}
	return content + s.Flush(), list, s, nil
}

// TestGoldenTemplates: the formats of public templates, and a conversation through each.
func TestGoldenTemplates(t *testing.T) {
	for _, line := range strings.Split(strings.TrimSpace(goldenFormats), "\n") {
		format, files, _ := strings.Cut(strings.TrimSpace(line), ": ")
		for _, file := range strings.Split(files, ", ") {
			source, err := os.ReadFile(golden.Shared(t, "golden", "templates", file+".jinja"))
			if err != nil {
				t.Fatal(err)
			}
			tmpl, err := chat.Parse(string(source))
			if err != nil {
				t.Fatal(file, err)
			}
			if got := tmpl.CallFormat().Name; got != format {
				t.Errorf("%s: %s, want %s", file, got, format)
			}
			if file == "MiroThinker" { // it assigns to the messages of assistants, which Jinja2 refuses
				continue
			}
			in := conversation
			if strings.Contains(file, "r-plus") { // wants a description of every argument
				in.Tools = bytes.ReplaceAll(in.Tools, []byte(`"type": "string"`), []byte(`"description": "d", "type": "string"`))
				in.Tools = bytes.ReplaceAll(in.Tools, []byte(`"type": "integer"`), []byte(`"description": "d", "type": "integer"`))
			}
			text, err := tmpl.Render(context.Background(), in)
			if err != nil {
				t.Errorf("%s: %v", file, err)
				continue
			}
			for _, want := range []string{"Question1", "get_weather", "Quito", "3", "add", "41", "Result1", "Result2", "Answer1", "Question2", "Get the weather"} {
				if !strings.Contains(text, want) {
					t.Errorf("%s: %q is lost in\n%s", file, want, text)
				}
			}
		}
	}
}

const goldenFormats = `
	hermes: Bielik-11B-v3.0-Instruct, HuggingFaceTB-SmolLM3-3B, MiMo-VL, NousResearch-Hermes-2-Pro-Llama-3-8B-tool_use, NousResearch-Hermes-3-Llama-3.1-8B-tool_use, Qwen-QwQ-32B, Qwen-Qwen2.5-7B-Instruct, Qwen-Qwen3-0.6B, Reka-Edge, google-gemma-2-2b-it, llama-cpp-rwkv-world, microsoft-Phi-3.5-mini-instruct
	qwen3-coder: NVIDIA-Nemotron-3-Nano-30B-A3B-BF16, Qwen3-Coder, Qwen3.5-4B, StepFun3.5-Flash, stepfun-ai-Step-3.5-Flash
	seed-oss: ByteDance-Seed-OSS
	glm-4.5: GLM-4.6
	glm-4.7: GLM-4.7-Flash, GLM-5.2
	deepseek-v3.2: deepseek-ai-DeepSeek-V3.2
	deepseek-v4: deepseek-ai-DeepSeek-V4
	deepseek-v3: deepseek-ai-DeepSeek-R1-Distill-Llama-8B, deepseek-ai-DeepSeek-R1-Distill-Qwen-32B, llama-cpp-deepseek-r1
	deepseek-v3.1: deepseek-ai-DeepSeek-V3.1
	kimi-k2: Kimi-K2-Instruct, Kimi-K2-Thinking, moonshotai-Kimi-K2
	mistral-v3: mistralai-Mistral-Nemo-Instruct-2407
	mistral-small-3.2: Mistral-Small-3.2-24B-Instruct-2506
	mistral-v11: mistralai-Ministral-3-14B-Reasoning-2512, unsloth-mistral-Devstral-Small-2507
	command-r7b: Cohere2MoE, CohereForAI-c4ai-command-r7b-12-2024-tool_use
	command-r-plus: CohereForAI-c4ai-command-r-plus-tool_use
	functionary-v3.1: meetkai-functionary-medium-v3.1
	functionary-v3.2: meetkai-functionary-medium-v3.2
	firefunction-v2: fireworks-ai-llama-3-firefunction-v2
	granite-3: ibm-granite-granite-3.3-2B-Instruct
	apriel: Apriel-1.6-15b-Thinker-fixed, unsloth-Apriel-1.5
	apertus: Apertus-8B-Instruct
	mirothinker: MiroThinker
	lfm2: LFM2-8B-A1B, LFM2.5-Instruct
	gemma-4: google-gemma-4-31B-it, google-gemma-4-31B-it-interleaved
	gigachat-3: GigaChat3-10B-A1.8B
	gigachat-3.1: GigaChat3.1-10B-A1.8B
	gpt-oss: openai-gpt-oss-120b
	llama-3: meta-llama-Llama-3.1-8B-Instruct, meta-llama-Llama-3.2-3B-Instruct, meta-llama-Llama-3.3-70B-Instruct
`
