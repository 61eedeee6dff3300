package serverclients

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/anthropics/anthropic-sdk-go"
	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/responses"
	"github.com/openai/openai-go/v3/shared"
)

const (
	rain = "Is it raining in Quito?"
	sky  = `{"city": "Quito", "temperature": 31, "sky": "snowy"}`
)

var city = map[string]any{"type": "object", "properties": map[string]any{"city": map[string]any{"type": "string"}}, "required": []string{"city"}}

func TestOpenAITools(t *testing.T) {
	client, ctx := openAI(start(t), key), context.Background()
	params := question(rain)
	params.Tools = []openai.ChatCompletionToolUnionParam{openai.ChatCompletionFunctionTool(shared.FunctionDefinitionParam{
		Name: "get_weather", Description: openai.String("Get the weather in a city"), Parameters: city})}
	whole, err := client.Chat.Completions.New(ctx, params)
	if err != nil {
		t.Fatal(err)
	}
	stream := client.Chat.Completions.NewStreaming(ctx, params)
	var sum openai.ChatCompletionAccumulator
	finished := false
	for stream.Next() {
		sum.AddChunk(stream.Current())
		_, ok := sum.JustFinishedToolCall()
		finished = finished || ok
	}
	if err := stream.Err(); err != nil || !finished {
		t.Fatalf("%v, the call was finished: %v", err, finished)
	}
	for name, c := range map[string]openai.ChatCompletionChoice{"whole": whole.Choices[0], "stream": sum.Choices[0]} {
		if calls := c.Message.ToolCalls; len(calls) != 1 || calls[0].Function.Name != "get_weather" || calls[0].Function.Arguments != `{"city": "Quito"}` || calls[0].ID == "" || c.FinishReason != "tool_calls" {
			t.Fatalf("%s: %+v", name, c)
		}
	}
	params.Messages = append(params.Messages, whole.Choices[0].Message.ToParam(), openai.ToolMessage(sky, whole.Choices[0].Message.ToolCalls[0].ID))
	answer, err := client.Chat.Completions.New(ctx, params)
	if err != nil || !strings.Contains(answer.Choices[0].Message.Content, "snowy") {
		t.Errorf("%v, %+v", err, answer)
	}
}

func TestOpenAIResponseTools(t *testing.T) {
	client, ctx := openAI(start(t), key), context.Background()
	tool := responses.ToolParamOfFunction("get_weather", city, true)
	tool.OfFunction.Description = openai.String("Get the weather in a city")
	params := responses.ResponseNewParams{Model: "demo", Temperature: openai.Float(0), Tools: []responses.ToolUnionParam{tool},
		Input: responses.ResponseNewParamsInputUnion{OfInputItemList: []responses.ResponseInputItemUnionParam{
			responses.ResponseInputItemParamOfMessage(rain, responses.EasyInputMessageRoleUser)}}}
	whole, err := client.Responses.New(ctx, params)
	if err != nil {
		t.Fatal(err)
	}
	stream := client.Responses.NewStreaming(ctx, params)
	arguments := ""
	var last responses.Response
	for stream.Next() {
		switch e := stream.Current().AsAny().(type) {
		case responses.ResponseFunctionCallArgumentsDeltaEvent:
			arguments += e.Delta
		case responses.ResponseFunctionCallArgumentsDoneEvent:
			if e.Arguments != arguments {
				t.Errorf("deltas %q, done %q", arguments, e.Arguments)
			}
		case responses.ResponseCompletedEvent:
			last = e.Response
		}
	}
	if err := stream.Err(); err != nil {
		t.Fatal(err)
	}
	for name, r := range map[string]*responses.Response{"whole": whole, "stream": &last} {
		if len(r.Output) != 1 || r.Output[0].AsFunctionCall().Name != "get_weather" || r.Output[0].AsFunctionCall().Arguments != `{"city": "Quito"}` {
			t.Fatalf("%s: %s", name, r.RawJSON())
		}
	}
	call := whole.Output[0].AsFunctionCall()
	result := responses.ResponseInputItemParamOfFunctionCallOutput(sky)
	result.OfFunctionCallOutput.CallID = openai.String(call.CallID)
	params.Input.OfInputItemList = append(params.Input.OfInputItemList, responses.ResponseInputItemParamOfFunctionCall(call.Arguments, call.CallID, call.Name), result)
	answer, err := client.Responses.New(ctx, params)
	if err != nil || !strings.Contains(answer.OutputText(), "snowy") {
		t.Errorf("%v, %+v", err, answer)
	}
}

func TestAnthropicTools(t *testing.T) {
	client, ctx := claude(start(t), key), context.Background()
	tool := anthropic.ToolUnionParamOfTool(anthropic.ToolInputSchemaParam{Properties: city["properties"], Required: []string{"city"}}, "get_weather")
	tool.OfTool.Description = anthropic.String("Get the weather in a city")
	params := anthropic.MessageNewParams{Model: "demo", MaxTokens: 60, Temperature: anthropic.Float(0), Tools: []anthropic.ToolUnionParam{tool},
		Messages: []anthropic.MessageParam{anthropic.NewUserMessage(anthropic.NewTextBlock(rain))}}
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
		var input struct{ City string }
		if len(m.Content) != 1 || m.Content[0].Name != "get_weather" || json.Unmarshal(m.Content[0].Input, &input) != nil || input.City != "Quito" || m.StopReason != "tool_use" {
			t.Fatalf("%s: %+v", name, m)
		}
	}
	params.Messages = append(params.Messages, whole.ToParam(), anthropic.NewUserMessage(anthropic.NewToolResultBlock(whole.Content[0].ID, sky, false)))
	answer, err := client.Messages.New(ctx, params)
	if err != nil || len(answer.Content) != 1 || !strings.Contains(answer.Content[0].Text, "snowy") {
		t.Errorf("%v, %+v", err, answer)
	}
	params.ToolChoice = anthropic.ToolChoiceUnionParam{OfTool: &anthropic.ToolChoiceToolParam{Name: "get_weather", DisableParallelToolUse: anthropic.Bool(true)}}
	answer, err = client.Messages.New(ctx, params)
	if err != nil || answer.StopReason != "tool_use" {
		t.Errorf("%v, %+v", err, answer)
	}
}
