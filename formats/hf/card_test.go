package hf

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/llamakit/llamakit/formats/gguf"
)

const readme = "\ufeff---\n" + `# a comment: not a key
license: apache-2.0  # said so
license_name: "Apache: 2"
language:
- en
- no
- "zh-Hans"
tags: [chat, 'two words',
  tiny]
pipeline_tag: text-generation
model_creator: Somebody
description: >-
  A model
  for tests.
base_model:
  - Qwen/Qwen3-0.6B-v2
  - https://huggingface.co/meta-llama/Llama-3.2-1B
  - https://example.org/x
datasets: a-b/c-set
model-index:
  - name: nested
    results:
      - task: x
empty:
---
# Not this: heading
name: no
`

func TestFrontMatter(t *testing.T) {
	want := map[string][]string{"license": {"apache-2.0"}, "license_name": {"Apache: 2"}, "language": {"en", "no", "zh-Hans"},
		"tags": {"chat", "two words", "tiny"}, "pipeline_tag": {"text-generation"}, "model_creator": {"Somebody"},
		"description": {"A model for tests."}, "base_model": {"Qwen/Qwen3-0.6B-v2", "https://huggingface.co/meta-llama/Llama-3.2-1B", "https://example.org/x"},
		"datasets": {"a-b/c-set"}, "model-index": nil, "empty": nil}
	for _, text := range []string{readme, strings.ReplaceAll(readme, "\n", "\r\n")} {
		if got := frontMatter(text); !reflect.DeepEqual(got, want) {
			t.Errorf("%q\nwant %q", got, want)
		}
	}
	for _, s := range []string{"", "---", "---\na: b\n", "# Title\n---\na: b\n---\n", "x"} {
		if got := frontMatter(s); len(got) != 0 {
			t.Errorf("%q gives %q, want nothing", s, got)
		}
	}
}

// card lists the general.* keys of a folder.
func card(t *testing.T, content files, n parameterCount, o Options) string {
	t.Helper()
	c, err := folder(t, content).Card(n, o)
	if err != nil {
		t.Fatal(err)
	}
	md := gguf.NewMetadata()
	c.Set(md)
	var b strings.Builder
	for k, v := range md.All() {
		fmt.Fprintf(&b, "%s=%v\n", strings.TrimPrefix(k, "general."), v.Any())
	}
	return b.String() + c.FileName("F16")
}

func TestCard(t *testing.T) {
	got := card(t, files{"README.md": readme, "generation_config.json": object{"top_k": 20, "temperature": 0.5, "do_sample": true, "top_p": nil}},
		parameterCount{total: 1_000_000}, Options{})
	want := `type=model
name=Tiny 1M Instruct
author=Somebody
finetune=Instruct
basename=Tiny
size_label=1M
base_model.0.name=Qwen3 0.6B v2
base_model.0.organization=Qwen
base_model.0.repo_url=https://huggingface.co/Qwen/Qwen3-0.6B-v2
base_model.0.version=v2
base_model.1.name=Llama 3.2 1B
base_model.1.organization=Meta Llama
base_model.1.repo_url=https://huggingface.co/meta-llama/Llama-3.2-1B
base_model.2.repo_url=https://example.org/x
base_model.count=3
dataset.0.name=C Set
dataset.0.organization=A B
dataset.0.repo_url=https://huggingface.co/a-b/c-set
dataset.count=1
description=A model for tests.
languages=[en no zh-Hans]
license=apache-2.0
license.name=Apache: 2
sampling.temp=0.5
sampling.top_k=20
tags=[chat two words tiny text-generation]
Tiny-1M-Instruct-F16.gguf`
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// TestCardOrder says who wins: options, then the model card, then the remembered name, then the folder's.
func TestCardOrder(t *testing.T) {
	remembered := object{"_name_or_path": "acme/Rocket-7B-Chat"}
	got := card(t, files{"config.json": remembered, "README.md": "---\nname: Card\n---\n", "generation_config.json": "{"}, parameterCount{},
		Options{Override: map[string]any{"general.author": "Me", "general.size_label": nil, "general.tags": list{"x"}, "general.sampling.top_k": 3.0,
			"general.base_models": list{object{"name": "B"}}}})
	want := "type=model\nname=Card\nauthor=Me\norganization=Acme\nfinetune=Chat\nbasename=Rocket\nbase_model.0.name=B\nbase_model.count=1\nsampling.top_k=3\n" +
		"tags=[x]\nRocket-Chat-F16.gguf"
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	path := object{"_name_or_path": "/home/me/models/Rocket-7B"}
	if got := card(t, files{"config.json": path}, parameterCount{}, Options{Name: "Mine / \x1b[2J", VocabOnly: true}); !strings.HasPrefix(got, "type=model\nname=Mine / \x1b[2J\nfinetune=") ||
		!strings.HasSuffix(got, "\nTiny-Instruct-vocab.gguf") {
		t.Errorf("got\n%s", got)
	}
	for _, key := range []string{"general.architecture", "llama.block_count", "general.author"} {
		if _, err := folder(t, files{}).Card(parameterCount{}, Options{Override: map[string]any{key: true}}); err == nil || !strings.Contains(err.Error(), key) {
			t.Errorf("%s: error %v, want one that names it", key, err)
		}
	}
	if _, err := ReadOverride([]byte("[]")); err == nil {
		t.Error("a list is no object of keys")
	}
}
