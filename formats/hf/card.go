package hf

import (
	"encoding/json"
	"fmt"
	"math"
	"path/filepath"
	"sort"
	"strings"

	"github.com/llamakit/llamakit/formats/gguf"
)

// Card are the general.* keys of a file: what the model is called and where it comes from.
type Card struct {
	values map[string]any // without "general."; text, []string or float64
	vocab  bool
}

// samplingKeys are the fields of generation_config.json that recommend how to sample.
var samplingKeys = map[string]string{"sequence": "sequence", "top_k": "top_k", "top_p": "top_p", "min_p": "min_p",
	"xtc_probability": "xtc_probability", "xtc_threshold": "xtc_threshold", "temperature": "temp", "penalty_last_n": "penalty_last_n",
	"penalty_repeat": "penalty_repeat", "mirostat": "mirostat", "mirostat_tau": "mirostat_tau", "mirostat_eta": "mirostat_eta"}

// Card gathers the keys: from the folder's name, its README.md, generation_config.json, and the options, later ones winning.
func (f *Folder) Card(n parameterCount, o Options) (*Card, error) {
	c := &Card{values: map[string]any{}, vocab: o.VocabOnly}
	folder, err := filepath.Abs(f.Path)
	if err != nil {
		return nil, err
	}
	readme, _, err := f.read("README.md")
	if err != nil {
		return nil, err
	}
	c.fromFrontMatter(frontMatter(string(readme)))
	c.fromName(filepath.Base(folder), n.total)
	var generation map[string]any
	if _, err := f.readJSON("generation_config.json", &generation); err != nil {
		return nil, err
	}
	for from, to := range samplingKeys {
		if v, ok := generation[from]; ok && v != nil {
			c.values["sampling."+to] = v
		}
	}
	for k, v := range o.Override {
		c.values[strings.TrimPrefix(k, "general.")] = v
	}
	if o.Name != "" {
		c.values["name"] = o.Name
	}
	if _, ok := c.values["size_label"]; !ok && n.total > 0 {
		c.values["size_label"] = n.label()
	}
	return c, nil
}

// cardKeys are the fields of a README's front matter that become keys of the same meaning.
var cardKeys = map[string]string{"license": "license", "license_name": "license.name", "license_link": "license.link",
	"name": "name", "model_name": "name", "author": "author", "model_author": "author", "model_creator": "author",
	"version": "version", "organization": "organization", "description": "description", "finetune": "finetune", "basename": "basename",
	"size_label": "size_label"}

func (c *Card) fromFrontMatter(card map[string][]string) {
	for from, to := range cardKeys {
		if v := card[from]; len(v) == 1 {
			c.values[to] = v[0]
		}
	}
	for to, keys := range map[string][]string{"tags": {"tags", "pipeline_tag"}, "languages": {"languages", "language"}} {
		var list []string
		for _, k := range keys {
			list = append(list, card[k]...)
		}
		if len(list) > 0 {
			c.values[to] = list
		}
	}
	for to, key := range map[string]string{"base_model": "base_model", "dataset": "datasets"} {
		for i, id := range card[key] {
			c.reference(fmt.Sprintf("%s.%d.", to, i), id)
		}
		if n := len(card[key]); n > 0 {
			c.values[to+".count"] = float64(n)
		}
	}
}

// reference describes another model or a data set, usually by its "owner/name".
func (c *Card) reference(prefix, id string) {
	owner, name, ok := strings.Cut(id, "/")
	if !ok || strings.Contains(id, "://") {
		c.values[prefix+"name"] = id
		return
	}
	parts := parseName(name, 0)
	c.values[prefix+"name"] = title(name)
	c.values[prefix+"organization"] = title(owner)
	if parts.version != "" {
		c.values[prefix+"version"] = parts.version
	}
	c.values[prefix+"repo_url"] = "https://huggingface.co/" + id
}

// fromName reads the folder's name, where nothing better is known.
func (c *Card) fromName(folder string, total int64) {
	parts := parseName(folder, total)
	for key, v := range map[string]string{"name": title(folder), "basename": parts.basename, "finetune": parts.finetune,
		"version": parts.version, "size_label": parts.size} {
		if _, ok := c.values[key]; !ok && v != "" {
			c.values[key] = v
		}
	}
}

// frontMatter reads the YAML block at the head of a README: texts, and lists in both notations. Anything nested is left out.
func frontMatter(readme string) map[string][]string {
	out := map[string][]string{}
	rest, ok := strings.CutPrefix(strings.ReplaceAll(readme, "\r\n", "\n"), "---\n")
	block, _, closed := strings.Cut(rest, "\n---")
	if !ok || !closed {
		return out
	}
	key := ""
	for line := range strings.Lines(block) {
		line = strings.TrimRight(line, " \n")
		name, value, isKey := strings.Cut(line, ":")
		switch item, isItem := strings.CutPrefix(strings.TrimSpace(line), "- "); {
		case isItem && key != "":
			if !strings.Contains(item, ": ") {
				out[key] = append(out[key], unquote(item))
			}
		case isKey && name != "" && name == strings.TrimSpace(name):
			key = name
			out[key] = flowList(strings.TrimSpace(value))
		default:
			key = ""
		}
	}
	return out
}

// flowList reads "a", or "[a, b]".
func flowList(s string) []string {
	switch {
	case s == "" || s == "|" || s == ">":
		return nil
	case strings.HasPrefix(s, "[") && strings.HasSuffix(s, "]"):
		var out []string
		for _, item := range strings.Split(s[1:len(s)-1], ",") {
			if item = unquote(strings.TrimSpace(item)); item != "" {
				out = append(out, item)
			}
		}
		return out
	}
	return []string{unquote(s)}
}

func unquote(s string) string {
	if len(s) >= 2 && (s[0] == '"' || s[0] == '\'') && s[len(s)-1] == s[0] {
		return s[1 : len(s)-1]
	}
	return s
}

// Set writes the keys, sorted but for those that people look for first.
func (c *Card) Set(md *gguf.Metadata) {
	kind := "model"
	if c.vocab {
		kind = "vocab"
	}
	md.Set("general.type", gguf.String(kind))
	keys := make([]string, 0, len(c.values))
	for k := range c.values {
		keys = append(keys, k)
	}
	first := map[string]int{"name": -7, "author": -6, "version": -5, "organization": -4, "finetune": -3, "basename": -2, "size_label": -1}
	sort.Slice(keys, func(i, j int) bool {
		if first[keys[i]] != first[keys[j]] {
			return first[keys[i]] < first[keys[j]]
		}
		return keys[i] < keys[j]
	})
	for _, k := range keys {
		if v, ok := cardValue(k, c.values[k]); ok {
			md.Set("general."+k, v)
		}
	}
}

// wholeNumbers are keys whose value is an integer.
var wholeNumbers = map[string]bool{"sampling.top_k": true, "sampling.penalty_last_n": true, "sampling.mirostat": true}

// cardValue is a key's value as GGUF has it; null and objects have none.
func cardValue(key string, v any) (gguf.Value, bool) {
	switch v := v.(type) {
	case string:
		return gguf.String(v), true
	case []string:
		return gguf.Strings(v), true
	case []any:
		list := make([]string, len(v))
		for i, x := range v {
			list[i] = fmt.Sprint(x)
		}
		return gguf.Strings(list), true
	case float64:
		switch {
		case wholeNumbers[key]:
			return gguf.Int32(int32(v)), true
		case strings.HasSuffix(key, ".count"):
			return gguf.Uint32(uint32(v)), true
		}
		return gguf.Float32(float32(v)), true
	}
	return gguf.Value{}, false
}

func (c *Card) text(key string) string {
	s, _ := c.values[key].(string)
	return s
}

// FileName is llama.cpp's name for a file: Basename-Size-Finetune-Version-Encoding.gguf.
func (c *Card) FileName(encoding string) string {
	name := c.text("basename")
	if name == "" {
		name = c.text("name")
	}
	parts := []string{name, c.text("size_label"), c.text("finetune"), c.text("version"), encoding}
	if c.vocab {
		parts = []string{name, "", c.text("finetune"), c.text("version"), "vocab"}
	}
	var out []string
	for _, p := range parts {
		if p = strings.Trim(strings.NewReplacer(" ", "-", "/", "-", "\\", "-").Replace(p), "-"); p != "" {
			out = append(out, p)
		}
	}
	return strings.Join(out, "-") + ".gguf"
}

// parameterCount counts values: all, and those of experts.
type parameterCount struct {
	total, expert int64
	experts       int
}

func (n *parameterCount) add(p *planned) {
	elements := int64(1)
	for _, d := range p.shape {
		elements *= int64(d)
	}
	n.total += elements
	if strings.Contains(p.name, "_exps.") {
		n.experts = p.shape[len(p.shape)-1]
		n.expert += elements
	}
}

// label is a model's size as people write it: "0.6B", "8x7B".
func (n parameterCount) label() string {
	if n.experts > 0 {
		return fmt.Sprintf("%dx%s", n.experts, rounded(n.total-n.expert+n.expert/int64(n.experts)))
	}
	return rounded(n.total)
}

// rounded writes a count with two digits and a letter.
func rounded(n int64) string {
	x, letter := float64(n)/1e3, "K"
	for _, u := range []struct {
		above  float64
		letter string
	}{{1e12, "T"}, {1e9, "B"}, {1e6, "M"}} {
		if float64(n) > u.above {
			x, letter = float64(n)/u.above, u.letter
			break
		}
	}
	digits := len(strings.TrimLeft(fmt.Sprintf("%.0f", math.RoundToEven(x)), "0"))
	return fmt.Sprintf("%.*f%s", max(2-digits, 0), x, letter)
}

// ReadOverride reads a JSON file of general.* keys for Options.Override.
func ReadOverride(data []byte) (map[string]any, error) {
	var out map[string]any
	if err := json.Unmarshal(data, &out); err != nil {
		return nil, fmt.Errorf("want a JSON object of general.* keys: %w", err)
	}
	return out, nil
}
