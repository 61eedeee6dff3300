package client

import (
	"cmp"
	"context"
	"encoding/json"
	"strings"
)

// Props are what a server tells of its model.
type Props struct {
	Name     string
	Template string
	BOS      string          // the text that prompts begin with
	Context  int             // tokens of a slot
	Params   json.RawMessage // of sampling, where a request does not say; nil: not told
}

// Props asks for the properties.
func (c *Client) Props(ctx context.Context) (Props, error) {
	var p struct {
		Alias    string `json:"model_alias"`
		Path     string `json:"model_path"`
		Template string `json:"chat_template"`
		BOS      string `json:"bos_token"`
		Defaults struct {
			Context int             `json:"n_ctx"`
			Params  json.RawMessage `json:"params"`
		} `json:"default_generation_settings"`
	}
	err := c.Call(ctx, "/props", nil, &p)
	name := cmp.Or(base(p.Alias), base(p.Path), "a model without a name")
	return Props{name, p.Template, p.BOS, p.Defaults.Context, p.Defaults.Params}, err
}

// base is the last part of a path, which llama.cpp takes for the name of a model.
func base(path string) string { return path[strings.LastIndexAny(path, `/\`)+1:] }
