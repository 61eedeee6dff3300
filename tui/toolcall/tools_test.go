package toolcall

import (
	"context"
	"encoding/json"
	"errors"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/llamakit/llamakit/engine/chat"
)

func TestParse(t *testing.T) {
	for text, want := range map[string]string{
		`[{"type": "function", "function": {"name": "a"}}, {"name": "b", "parameters": {}}]`: "a b",
		`{"name": "c"}`:                 "c",
		`[]`:                            "",
		`{"x": 1}`:                      "",
		`[{"function": {}}]`:            "",
		`[{"name": "a"}, {"name":"a"}]`: "",
		`nothing`:                       "",
	} {
		tools, err := Parse([]byte(text))
		if got := strings.Join(tools.Names, " "); got != want || (err == nil) != (want != "") {
			t.Errorf("%s: %q, %v", text, got, err)
		}
		var list []struct{ Function struct{ Name string } }
		if err == nil && (json.Unmarshal(tools.JSON, &list) != nil || list[0].Function.Name != tools.Names[0]) {
			t.Errorf("%s becomes %s", text, tools.JSON)
		}
	}
	tools, _ := Parse([]byte(`{"name": "add"}`))
	for _, setting := range []string{"add", "=x", "add=", "other=x"} {
		if tools.Answer(setting) == nil {
			t.Errorf("%q is taken", setting)
		}
	}
}

func TestCalls(t *testing.T) {
	calls, cut := Calls([]chat.CallDelta{{Index: 0, Name: "a"}, {Index: 0, Arguments: `{"x":`}, {Index: 0, Arguments: `1}`}, {Index: 1, Name: "b"},
		{Index: 1, Arguments: `{"cut`}, {Index: 7, Name: "no"}, {Index: -1}}, []chat.Message{{ToolCalls: make([]chat.ToolCall, 2)}, {}, {ToolCalls: make([]chat.ToolCall, 1)}})
	if len(calls) != 1 || calls[0].ID != "call_4" || string(calls[0].Arguments) != `{"x":1}` || cut != "b" {
		t.Errorf("%+v, %q", calls, cut)
	}
}

func TestRun(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("commands are written for sh")
	}
	tools := Tools{Commands: map[string]string{"echo": "cat; echo", "fail": "echo reason >&2; exit 3", "slow": "sleep 60 | sleep 60", "big": "yes | head -c 1000000"}}
	call := func(name string) (string, bool, error) {
		return tools.Run(t.Context(), chat.ToolCall{Name: name, Arguments: json.RawMessage(`{"a": "日"}`)})
	}
	if out, ok, err := call("echo"); out != `{"a": "日"}` || !ok || err != nil {
		t.Errorf("%q, %v, %v", out, ok, err)
	}
	if out, ok, err := call("fail"); out != "error: exit status 3\nreason" || !ok || err != nil {
		t.Errorf("%q, %v, %v", out, ok, err)
	}
	if out, _, _ := call("big"); len(out) > maxOutput || len(out) < maxOutput-2 {
		t.Errorf("%d bytes", len(out))
	}
	if _, ok, err := call("none"); ok || err != nil {
		t.Error("a tool without a command ran")
	}
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, ok, err := tools.Run(ctx, chat.ToolCall{Name: "slow"}); !ok || !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("stopped: %v", err)
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(`[{"type": "function", "function": {"name": "a", "parameters": {}}}, {"name": "b"}]`))
	f.Add([]byte(`{"name": 1}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		tools, err := Parse(data)
		if err != nil {
			return
		}
		if again, err := Parse(tools.JSON); err != nil || strings.Join(again.Names, "\n") != strings.Join(tools.Names, "\n") {
			t.Fatalf("%s becomes %s: %v", data, tools.JSON, err)
		}
	})
}
