// Package serverclients drives the server with the official Go clients of OpenAI and Anthropic. It is a module of its own, so
// that the product does not depend on them: cd bench/serverclients && go test ./...
package serverclients

import (
	"context"
	"errors"
	"net/http/httptest"
	"testing"

	"github.com/anthropics/anthropic-sdk-go"
	anthropicoption "github.com/anthropics/anthropic-sdk-go/option"
	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/responses"

	"github.com/llamakit/llamakit/engine"
	"github.com/llamakit/llamakit/engine/demo"
	"github.com/llamakit/llamakit/engine/serve"
)

const (
	key     = "sk-test"
	hello   = "Hello! How can I help you?"
	thought = "Ones: 2 + 0 = 2. Tens: 1 + 3 = 4. So 42."
)

// start serves the demo model and returns the address.
func start(t *testing.T) string {
	url, _ := startModel(t)
	return url
}

func startModel(t *testing.T) (url string, m *engine.Model) {
	s, err := serve.New(serve.Options{Model: "demo", Keys: []string{key}})
	if err != nil {
		t.Fatal(err)
	}
	err = s.Load(func() (*engine.Model, error) {
		return engine.OpenBytes(context.Background(), demo.Name, demo.Model(), engine.Options{Context: 512})
	})
	if err != nil {
		t.Fatal(err)
	}
	h := httptest.NewServer(s)
	t.Cleanup(func() { h.Close(); s.Model().Close() })
	return h.URL, s.Model()
}

func openAI(url, key string) openai.Client {
	return openai.NewClient(option.WithBaseURL(url+"/v1"), option.WithAPIKey(key), option.WithMaxRetries(0))
}

func question(text string) openai.ChatCompletionNewParams {
	return openai.ChatCompletionNewParams{Model: "demo", Temperature: openai.Float(0), MaxTokens: openai.Int(60),
		Messages: []openai.ChatCompletionMessageParamUnion{openai.UserMessage(text)}}
}

func TestOpenAIChat(t *testing.T) {
	client, ctx := openAI(start(t), key), context.Background()
	answer, err := client.Chat.Completions.New(ctx, question("Hello!"))
	if err != nil {
		t.Fatal(err)
	}
	if c := answer.Choices[0]; c.Message.Content != hello || c.FinishReason != "stop" || answer.Usage.TotalTokens != 19 || answer.Model != "demo" {
		t.Errorf("answer %s", answer.RawJSON())
	}
	params := question("Hello!")
	params.N = openai.Int(2)
	params.Logprobs = openai.Bool(true)
	params.TopLogprobs = openai.Int(2)
	params.StreamOptions.IncludeUsage = openai.Bool(true)
	stream := client.Chat.Completions.NewStreaming(ctx, params)
	var sum openai.ChatCompletionAccumulator
	for stream.Next() {
		if !sum.AddChunk(stream.Current()) {
			t.Fatalf("chunk %s does not fit", stream.Current().RawJSON())
		}
	}
	if err := stream.Err(); err != nil {
		t.Fatal(err)
	}
	if len(sum.Choices) != 2 || sum.Choices[1].Message.Content != hello || len(sum.Choices[0].Logprobs.Content) != 9 || sum.Usage.CompletionTokens != 18 {
		t.Errorf("stream: %+v", sum.ChatCompletion)
	}
}

func TestOpenAICompletion(t *testing.T) {
	client, ctx := openAI(start(t), key), context.Background()
	params := openai.CompletionNewParams{Model: "demo", Temperature: openai.Float(0), MaxTokens: openai.Int(4), Logprobs: openai.Int(1),
		Prompt: openai.CompletionNewParamsPromptUnion{OfArrayOfStrings: []string{"Hello", "Hi"}}}
	answer, err := client.Completions.New(ctx, params)
	if err != nil {
		t.Fatal(err)
	}
	if c := answer.Choices; len(c) != 2 || c[0].Text != "user\nWhat is" || c[0].FinishReason != "length" || len(c[0].Logprobs.Tokens) != 4 {
		t.Errorf("answer %s", answer.RawJSON())
	}
}

func TestOpenAIEmbeddings(t *testing.T) {
	client := openAI(start(t), key)
	answer, err := client.Embeddings.New(context.Background(), openai.EmbeddingNewParams{Model: "demo",
		Input: openai.EmbeddingNewParamsInputUnion{OfArrayOfStrings: []string{"Hello", "Hi"}}})
	if err != nil {
		t.Fatal(err)
	}
	if len(answer.Data) != 2 || len(answer.Data[1].Embedding) != 256 || answer.Data[1].Index != 1 {
		t.Errorf("%d vectors, usage %+v", len(answer.Data), answer.Usage)
	}
}

func TestOpenAIResponses(t *testing.T) {
	client, ctx := openAI(start(t), key), context.Background()
	params := responses.ResponseNewParams{Model: "demo", Temperature: openai.Float(0),
		Input: responses.ResponseNewParamsInputUnion{OfString: openai.String("What is 12 + 30?")}}
	answer, err := client.Responses.New(ctx, params)
	if err != nil {
		t.Fatal(err)
	}
	if answer.OutputText() != "12 + 30 = 42" || answer.Status != "completed" || answer.Output[0].Type != "reasoning" {
		t.Errorf("answer %s", answer.RawJSON())
	}
	stream := client.Responses.NewStreaming(ctx, params)
	text, last := "", ""
	for n := int64(0); stream.Next(); n++ {
		e := stream.Current()
		if e.SequenceNumber != n {
			t.Errorf("event %s has number %d, want %d", e.Type, e.SequenceNumber, n)
		}
		if last = e.Type; e.Type == "response.output_text.delta" {
			text += e.AsResponseOutputTextDelta().Delta
		}
	}
	if err := stream.Err(); err != nil || text != "12 + 30 = 42" || last != "response.completed" {
		t.Errorf("stream: %q, last event %s, %v", text, last, err)
	}
}

func TestOpenAIErrors(t *testing.T) {
	url, ctx := start(t), context.Background()
	client := openAI(url, key)
	for name, c := range map[string]struct {
		ask  func() error
		code int
	}{
		"key": {func() error {
			other := openAI(url, "wrong")
			_, err := other.Models.List(ctx)
			return err
		}, 401},
		"no messages": {func() error {
			_, err := client.Chat.Completions.New(ctx, openai.ChatCompletionNewParams{Model: "demo", Messages: []openai.ChatCompletionMessageParamUnion{}})
			return err
		}, 400},
		"no such model": {func() error { _, err := client.Models.Get(ctx, "other"); return err }, 404},
	} {
		var e *openai.Error
		if err := c.ask(); !errors.As(err, &e) || e.StatusCode != c.code || e.Message == "" {
			t.Errorf("%s: %v, want code %d", name, err, c.code)
		}
	}
	if m, err := client.Models.Get(ctx, "demo"); err != nil || m.ID != "demo" {
		t.Errorf("the model: %v, %v", m, err)
	}
}

func claude(url, key string) anthropic.Client {
	return anthropic.NewClient(anthropicoption.WithBaseURL(url), anthropicoption.WithAPIKey(key), anthropicoption.WithMaxRetries(0))
}

func TestAnthropicMessages(t *testing.T) {
	client, ctx := claude(start(t), key), context.Background()
	params := anthropic.MessageNewParams{Model: "demo", MaxTokens: 60, Temperature: anthropic.Float(0),
		Messages: []anthropic.MessageParam{anthropic.NewUserMessage(anthropic.NewTextBlock("What is 12 + 30?"))}}
	whole, err := client.Messages.New(ctx, params)
	if err != nil {
		t.Fatal(err)
	}
	stream := client.Messages.NewStreaming(ctx, params)
	var sum anthropic.Message
	for stream.Next() {
		if err := sum.Accumulate(stream.Current()); err != nil {
			t.Fatal(err)
		}
	}
	if err := stream.Err(); err != nil {
		t.Fatal(err)
	}
	for name, m := range map[string]*anthropic.Message{"whole": whole, "stream": &sum} {
		if len(m.Content) != 2 || m.Content[0].Thinking != thought || m.Content[1].Text != "12 + 30 = 42" || m.StopReason != "end_turn" || m.Usage.OutputTokens != 42 {
			t.Errorf("%s: %+v", name, m)
		}
	}
	count, err := client.Messages.CountTokens(ctx, anthropic.MessageCountTokensParams{Model: "demo", Messages: params.Messages})
	if err != nil || count.InputTokens != 18 {
		t.Errorf("count %+v, %v", count, err)
	}
}

func TestAnthropicErrors(t *testing.T) {
	url, ctx := start(t), context.Background()
	params := anthropic.MessageNewParams{Model: "demo", MaxTokens: 5, Messages: []anthropic.MessageParam{}}
	for k, code := range map[string]int{"wrong": 401, key: 400} {
		client := claude(url, k)
		var e *anthropic.Error
		if _, err := client.Messages.New(ctx, params); !errors.As(err, &e) || e.StatusCode != code {
			t.Errorf("key %s: %v, want code %d", k, err, code)
		}
	}
}
