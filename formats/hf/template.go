package hf

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/llamakit/llamakit/formats/gguf"
)

// template is a chat template; the name is "" where a folder has one only.
type template struct {
	Name string `json:"name"`
	Text string `json:"template"`
}

// templates reads the chat templates: of tokenizer_config.json, which has one or a list of named ones; else
// chat_template.jinja and the named ones in additional_chat_templates; else chat_template.json.
func (f *Folder) templates(config *tokenizerConfig) ([]template, error) {
	if raw, ok := config.values["chat_template"]; ok && string(raw) != "null" {
		return parseTemplates(raw, filepath.Join(f.Path, "tokenizer_config.json"))
	}
	text, found, err := f.read("chat_template.jinja")
	if err != nil {
		return nil, err
	}
	if found {
		named, err := f.namedTemplates()
		return append([]template{{Text: string(text)}}, named...), err
	}
	var single struct {
		Template json.RawMessage `json:"chat_template"`
	}
	if found, err := f.readJSON("chat_template.json", &single); err != nil || !found || len(single.Template) == 0 {
		return nil, err
	}
	return parseTemplates(single.Template, filepath.Join(f.Path, "chat_template.json"))
}

func parseTemplates(raw json.RawMessage, path string) ([]template, error) {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return []template{{Text: text}}, nil
	}
	var list []template
	if json.Unmarshal(raw, &list) != nil {
		return nil, fmt.Errorf("%s: chat_template is neither a text nor a list of named ones", path)
	}
	return list, nil
}

// namedTemplates reads additional_chat_templates/NAME.jinja.
func (f *Folder) namedTemplates() ([]template, error) {
	const folder = "additional_chat_templates"
	entries, err := os.ReadDir(filepath.Join(f.Path, folder))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var out []template
	for _, e := range entries {
		name, isTemplate := strings.CutSuffix(e.Name(), ".jinja")
		if !isTemplate {
			continue
		}
		text, _, err := f.read(filepath.Join(folder, e.Name()))
		if err != nil {
			return nil, err
		}
		out = append(out, template{Name: name, Text: string(text)})
	}
	return out, nil
}

var notInNames = regexp.MustCompile(`[^A-Za-z0-9]`)

// setTemplates writes the templates. The one without a name, or called default, is the model's.
func (v *Vocabulary) setTemplates(md *gguf.Metadata) {
	var names []string
	for _, t := range v.templates {
		if t.Name == "" || t.Name == "default" {
			md.Set("tokenizer.chat_template", gguf.String(t.Text))
			continue
		}
		name := notInNames.ReplaceAllString(t.Name, "_")
		md.Set("tokenizer.chat_template."+name, gguf.String(t.Text))
		names = append(names, name)
	}
	if len(names) > 0 {
		md.Set("tokenizer.chat_templates", gguf.Strings(names))
	}
}
