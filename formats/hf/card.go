package hf

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/llamakit/llamakit/formats/gguf"
)

// Card are the general.* keys of a file: what the model is called, where it comes from, how to sample from it.
type Card struct {
	values map[string]any // without "general."; text, []string, float64, or int for a count
	vocab  bool
	notes  []string
}

// Card gathers the keys from the model card (the front matter of README.md), the name that config.json remembers, the folder's
// name and generation_config.json: what an earlier one says stands. The options win over all.
func (f *Folder) Card(n parameterCount, o Options) (*Card, error) {
	c := &Card{values: map[string]any{}, vocab: o.VocabOnly}
	readme, _, err := f.read("README.md")
	if err != nil {
		return nil, err
	}
	c.fromFrontMatter(frontMatter(string(readme)))
	if f.Config != nil {
		if id := f.Config.Str("_name_or_path"); strings.Count(id, "/") <= 1 {
			c.fromName(id, n.total) // not a path on somebody's machine
		}
	}
	folder, err := filepath.Abs(f.Path)
	if err != nil {
		return nil, err
	}
	c.fromName(filepath.Base(folder), n.total)
	c.fromGeneration(f)
	if err := c.override(o.Override); err != nil {
		return nil, err
	}
	if o.Name != "" {
		c.values["name"] = o.Name
	}
	if n.total > 0 {
		c.set("size_label", n.label())
	}
	return c, nil
}

// set gives a key a value unless it has one.
func (c *Card) set(key string, v any) {
	if _, there := c.values[key]; !there && v != "" {
		c.values[key] = v
	}
}

// cardKeys are the fields of a model card that become keys, the preferred ones first.
var cardKeys = [][2]string{
	{"name", "name"}, {"author", "author"}, {"version", "version"}, {"organization", "organization"}, {"description", "description"},
	{"finetune", "finetune"}, {"basename", "basename"}, {"size_label", "size_label"}, {"source.url", "url"}, {"source.doi", "doi"},
	{"source.uuid", "uuid"}, {"source.repo_url", "repo_url"},
	{"name", "model_name"}, {"author", "model_author"}, {"version", "model_version"}, {"organization", "model_organization"},
	{"description", "model_description"}, {"finetune", "model_finetune"}, {"basename", "model_basename"},
	{"size_label", "model_size_label"}, {"source.url", "model_url"}, {"source.doi", "model_doi"}, {"source.uuid", "model_uuid"},
	{"source.repo_url", "model_repo_url"}, {"author", "model_creator"}, {"basename", "model_type"},
	{"license.name", "license_name"}, {"license.link", "license_link"},
}

// cardLists are the fields that are lists, or become a part of one.
var cardLists = [][2]string{{"tags", "tags"}, {"tags", "pipeline_tag"}, {"languages", "languages"}, {"languages", "language"}}

func (c *Card) fromFrontMatter(card map[string][]string) {
	for _, k := range cardKeys {
		if v := card[k[1]]; len(v) == 1 {
			c.set(k[0], v[0])
		}
	}
	if v := card["license"]; len(v) > 0 {
		c.set("license", strings.Join(v, ","))
	}
	for _, k := range cardLists {
		if v := card[k[1]]; len(v) > 0 {
			list, _ := c.values[k[0]].([]string)
			c.values[k[0]] = append(slices.Clone(list), v...)
		}
	}
	c.references("base_model", card, "base_model", "base_models", "base_model_sources")
	c.references("dataset", card, "datasets", "dataset", "dataset_sources")
}

// references describes other models or data sets.
func (c *Card) references(to string, card map[string][]string, keys ...string) {
	for _, key := range keys {
		if list := card[key]; len(list) > 0 {
			c.values[to+".count"] = len(list)
			for i, id := range list {
				c.reference(fmt.Sprintf("%s.%d.", to, i), id)
			}
			return
		}
	}
}

// reference describes one, by its "owner/name" or its address.
func (c *Card) reference(prefix, id string) {
	url := ""
	if scheme, rest, ok := strings.Cut(id, "://"); ok {
		url = id
		if id, ok = strings.CutPrefix(rest, "huggingface.co/"); !ok || !strings.HasPrefix(scheme, "http") || strings.Count(id, "/") != 1 {
			c.values[prefix+"repo_url"] = url
			return
		}
	}
	owner, parts := parseID(id, 0)
	c.set(prefix+"name", title(parts.full))
	if owner != "" {
		c.set(prefix+"organization", title(owner))
		if url == "" {
			url = "https://huggingface.co/" + owner + "/" + parts.full
		}
	}
	c.set(prefix+"version", parts.version)
	c.set(prefix+"repo_url", url)
}

// fromName reads a model's name, for what is not known yet.
func (c *Card) fromName(id string, total int64) {
	owner, parts := parseID(id, total)
	c.set("name", title(parts.full))
	c.set("organization", title(owner))
	c.set("basename", parts.basename)
	c.set("finetune", parts.finetune)
	c.set("version", parts.version)
	c.set("size_label", parts.size)
}

// samplingKeys are the fields of generation_config.json that recommend how to sample, and the ends of their keys.
var samplingKeys = [][2]string{{"sequence", "sequence"}, {"top_k", "top_k"}, {"top_p", "top_p"}, {"min_p", "min_p"},
	{"xtc_probability", "xtc_probability"}, {"xtc_threshold", "xtc_threshold"}, {"temperature", "temp"}, {"penalty_last_n", "penalty_last_n"},
	{"penalty_repeat", "penalty_repeat"}, {"mirostat", "mirostat"}, {"mirostat_tau", "mirostat_tau"}, {"mirostat_eta", "mirostat_eta"}}

// fromGeneration reads generation_config.json. A broken one is passed over with a note, as models are published with such.
func (c *Card) fromGeneration(f *Folder) {
	var generation map[string]any
	if _, err := f.readJSON("generation_config.json", &generation); err != nil {
		c.notes = append(c.notes, err.Error()+"; passed over")
		return
	}
	for _, k := range samplingKeys {
		switch v := generation[k[0]].(type) {
		case string, float64:
			c.values["sampling."+k[1]] = v
		}
	}
}

// fixedKeys follow from the file itself.
var fixedKeys = []string{"architecture", "type", "file_type", "quantization_version", "alignment"}

// override sets the keys of Options.Override: texts, lists of texts, and numbers for sampling.
func (c *Card) override(values map[string]any) error {
	for full, v := range values {
		key, ok := strings.CutPrefix(full, "general.")
		if !ok || slices.Contains(fixedKeys, key) {
			return fmt.Errorf("metadata key %q: want a general.* key other than general.%s", full, strings.Join(fixedKeys, ", general."))
		}
		switch v := v.(type) {
		case nil:
			delete(c.values, key)
			continue
		case string:
			c.values[key] = v
			continue
		case float64:
			if strings.HasPrefix(key, "sampling.") {
				c.values[key] = v
				continue
			}
		case []any:
			if c.overrideList(key, v) {
				continue
			}
		}
		return fmt.Errorf("metadata key %q: want a text, a list of texts, or a number for general.sampling.*", full)
	}
	return nil
}

// overrideList sets a list of texts, or general.base_models and general.datasets, which are lists of objects.
func (c *Card) overrideList(key string, list []any) bool {
	singular := map[string]string{"base_models": "base_model", "datasets": "dataset"}[key]
	var texts []string
	for i, item := range list {
		switch item := item.(type) {
		case string:
			texts = append(texts, item)
		case map[string]any:
			if singular == "" {
				return false
			}
			for k, v := range item {
				c.values[fmt.Sprintf("%s.%d.%s", singular, i, k)] = fmt.Sprint(v)
			}
		default:
			return false
		}
	}
	if singular == "" {
		c.values[key] = texts
	} else {
		c.values[singular+".count"] = len(list)
	}
	return singular == "" || texts == nil
}

// firstKeys stand before the others, which are sorted.
var firstKeys = []string{"name", "author", "version", "organization", "finetune", "basename", "size_label"}

// Set writes the keys.
func (c *Card) Set(md *gguf.Metadata) {
	md.Set("general.type", gguf.String("model"))
	keys := make([]string, 0, len(c.values))
	for k := range c.values {
		keys = append(keys, k)
	}
	place := func(key string) int {
		if i := slices.Index(firstKeys, key); i >= 0 {
			return i
		}
		return len(firstKeys)
	}
	slices.SortFunc(keys, func(a, b string) int {
		if d := place(a) - place(b); d != 0 {
			return d
		}
		return strings.Compare(a, b)
	})
	for _, k := range keys {
		md.Set("general."+k, cardValue(k, c.values[k]))
	}
}

// wholeNumbers are sampling keys whose value is an integer.
var wholeNumbers = []string{"sampling.top_k", "sampling.penalty_last_n", "sampling.mirostat"}

// cardValue is a key's value as GGUF has it.
func cardValue(key string, v any) gguf.Value {
	switch v := v.(type) {
	case []string:
		return gguf.Strings(v)
	case int:
		return gguf.Uint32(uint32(v))
	case float64:
		if slices.Contains(wholeNumbers, key) {
			return gguf.Int32(int32(v))
		}
		return gguf.Float32(float32(v))
	}
	return gguf.String(fmt.Sprint(v))
}

// ReadOverride reads a JSON file of general.* keys for Options.Override.
func ReadOverride(data []byte) (map[string]any, error) {
	var out map[string]any
	if err := json.Unmarshal(data, &out); err != nil {
		return nil, fmt.Errorf("want a JSON object of general.* keys: %w", err)
	}
	return out, nil
}
