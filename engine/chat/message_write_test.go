package chat

import (
	"encoding/json"
	"reflect"
	"testing"
)

// TestMessageIsWrittenAsRead reads what was written, and writes it again.
func TestMessageIsWrittenAsRead(t *testing.T) {
	for _, m := range []Message{
		{Role: "user", Content: "a < b & \"c\" 日本"},
		{Role: "assistant", Content: "42", Reasoning: "because"},
		{Role: "assistant", ToolCalls: []ToolCall{{ID: "call_1", Name: "add", Arguments: json.RawMessage(`{"b": 2, "a": 1}`)}}},
		{Role: "tool", Content: "{}", ToolCallID: "call_1", Name: "add"},
		{Role: "user", Parts: []Part{TextPart("one"), {Type: "image_url", Raw: json.RawMessage(`{"type":"image_url","image_url":{"url":"x"}}`)}}},
		{Role: "user", Extra: []Field{{"content", json.RawMessage("5")}}},
		{Role: "user", Content: "x", Extra: []Field{{"weight", json.RawMessage("0")}}},
	} {
		first, err := json.Marshal(m)
		if err != nil {
			t.Fatal(err)
		}
		var read Message
		if err := json.Unmarshal(first, &read); err != nil {
			t.Fatalf("%s: %v", first, err)
		}
		if second, _ := json.Marshal(read); string(second) != string(first) {
			t.Errorf("written %s, then %s", first, second)
		}
		if read.Role != m.Role || read.Text() != m.Text() || read.Reasoning != m.Reasoning || read.ToolCallID != m.ToolCallID || !reflect.DeepEqual(read.Extra, m.Extra) {
			t.Errorf("%s is read as %+v", first, read)
		}
		if len(m.ToolCalls) > 0 && (len(read.ToolCalls) != 1 || read.ToolCalls[0].Object() != `{"b": 2, "a": 1}`) {
			t.Errorf("calls of %s: %+v", first, read.ToolCalls)
		}
	}
}
