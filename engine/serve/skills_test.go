package serve_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/llamakit/llamakit/bench/golden"
	"github.com/llamakit/llamakit/engine/serve"
)

// TestToolSkills asks what the demo model learnt of tools, with the form of calls and as plain text without: with it at least
// as many answers are right.
func TestToolSkills(t *testing.T) {
	f, err := os.Open(golden.Shared(t, "models", "demo", "skills.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	_, h := start(t, serve.Options{})
	bound, free, all := 0, 0, 0
	for s := bufio.NewScanner(f); s.Scan(); {
		var skill struct {
			Messages, Tools json.RawMessage
			Expect          string
		}
		if err := json.Unmarshal(s.Bytes(), &skill); err != nil {
			t.Fatal(err)
		}
		if len(skill.Tools) == 0 {
			continue
		}
		all++
		ask := fmt.Sprintf(`{"messages":%s,"tools":%s,"temperature":0}`, skill.Messages, skill.Tools)
		_, body := post(t, h, "/apply-template", ask)
		prompt, _ := json.Marshal(at(decode(t, body), "prompt"))
		_, body = post(t, h, "/completion", fmt.Sprintf(`{"prompt":%s,"temperature":0,"n_predict":200}`, prompt))
		if got, _ := at(decode(t, body), "content").(string); strings.HasSuffix(got, skill.Expect) {
			free++
		}
		_, body = post(t, h, "/v1/chat/completions", ask)
		answer := decode(t, body)
		got, _ := at(answer, "choices.0.message.content").(string)
		if name, arguments, _ := call(answer, "0"); name != "" {
			got += fmt.Sprintf("<tool_call>\n{\"name\": %q, \"arguments\": %s}\n</tool_call>", name, arguments)
		}
		if got == skill.Expect {
			bound++
		}
	}
	if t.Logf("right of %d: %d, without the form %d", all, bound, free); bound < free {
		t.Errorf("%d answers of %d are right, without the form %d", bound, all, free)
	}
}
