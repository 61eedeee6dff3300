package chat

import "encoding/json"

// Message is one turn of a conversation, as the chat APIs know it. The zero value of every field but Role is fine.
//
// Content is text, or a list when Parts is not nil. How a list meets a template that wants text, and text one that wants
// a list, is told at [Template.Render].
type Message struct {
	Role       string // "system", "user", "assistant", "tool", or what the template knows
	Content    string
	Parts      []Part // content as a list; Content is then ignored
	Reasoning  string // what the assistant thought before it answered: reasoning_content
	ToolCalls  []ToolCall
	ToolCallID string  // of a tool's result: which call it answers
	Name       string  // of a tool's result: the tool; else the speaker
	Extra      []Field // further fields, which the template sees under their names

	keys        []string // the order in which JSON had the fields
	nullContent bool     // JSON had content null
}

// Part is one element of a content list.
type Part struct {
	Type string          // "text", "image_url", "input_audio", ...
	Text string          // for Type "text"
	Raw  json.RawMessage // the whole element as JSON, for other types and for text with further fields; else nil
}

// Field is a field of a message that this package does not know.
type Field struct {
	Name  string
	Value json.RawMessage
}

// ToolCall is a call that the assistant made.
type ToolCall struct {
	ID   string
	Type string // "function" when empty
	Name string
	// Arguments is JSON: an object, whose key order is kept, or a string that holds one, as the OpenAI API writes it.
	Arguments json.RawMessage

	raw json.RawMessage // the call as it came, for fields that are not named above
}

// TextPart returns a content part that holds text.
func TextPart(text string) Part { return Part{Type: "text", Text: text} }
