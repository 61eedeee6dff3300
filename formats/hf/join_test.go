package hf

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// numbered is a tensor whose values count from first.
func numbered(name string, first float32, shape ...int) *tensor {
	return &tensor{Name: name, Shape: shape, decode: func(dst []float32, from int) error {
		for i := range dst {
			dst[i] = first + float32(from+i)
		}
		return nil
	}}
}

// TestJoined reads tensors that are made of two, whole and from every place on.
func TestJoined(t *testing.T) {
	a, b := numbered("a", 0, 2, 3), numbered("b", 100, 2, 2)
	for name, c := range map[string]struct {
		make  func() (*tensor, error)
		shape []int
		want  []float32
	}{
		"beside":  {func() (*tensor, error) { return beside("x", a, b) }, []int{2, 5}, []float32{0, 1, 2, 100, 101, 3, 4, 5, 102, 103}},
		"below":   {func() (*tensor, error) { return below("x", []*tensor{b, numbered("c", 7, 1, 2)}) }, []int{3, 2}, []float32{100, 101, 102, 103, 7, 8}},
		"product": {func() (*tensor, error) { return product("x", numbered("c", 1, 4), numbered("d", 2, 1, 4)) }, []int{4}, []float32{2, 6, 12, 20}},
	} {
		x, err := c.make()
		if err != nil {
			t.Fatal(name, err)
		}
		if !slices.Equal(x.Shape, c.shape) {
			t.Errorf("%s: shape %v, want %v", name, x.Shape, c.shape)
		}
		for from := range c.want {
			got := make([]float32, len(c.want)-from)
			if err := x.decode(got, from); err != nil || !slices.Equal(got, c.want[from:]) {
				t.Errorf("%s: from %d: %v, want %v; %v", name, from, got, c.want[from:], err)
			}
		}
	}
	for name, err := range map[string]error{
		"beside":  second(beside("x", a, numbered("b", 0, 3, 3))),
		"below":   second(below("x", []*tensor{a, b})),
		"product": second(product("x", a, b)),
	} {
		if err == nil || !strings.Contains(err.Error(), `"b"`) {
			t.Errorf("%s: %v, want an error about b", name, err)
		}
	}
}

func second(_ *tensor, err error) error { return err }

// TestJoins has the parts that families put together, and parts that are missing.
func TestJoins(t *testing.T) {
	config := newConfig("config.json", jsonValues(object{"num_hidden_layers": 2, "split_ngram_parts": 2}))
	names := func(all ...string) []*tensor {
		var out []*tensor
		for _, name := range all {
			out = append(out, numbered(name, 1, 1, 4))
		}
		return out
	}
	for _, c := range []struct {
		arch string
		in   []*tensor
		want string // names, sorted, or an error
	}{
		{"kimi-k3", names("model.layers.0.mlp_res_norm.weight", "x.weight", "model.layers.0.mlp_res_proj.weight"), "model.layers.0.mlp_res.weight x.weight"},
		{"kimi-k3", names("model.output_attn_res_proj.weight"), `its other half "model.output_attn_res_norm.weight" is missing`},
		{"k2-horizon", names("model.layers.1.mlp.gate.bias", "model.layers.1.mlp.gate.weight"), "model.layers.1.mlp.gate.e_score_correction_bias model.layers.1.mlp.gate.weight"},
		{"dots3note", names("model.mtp.embed_tokens.weight"), "model.layers.2.embed_tokens.weight"},
		{"qwen3next", names("mtp.layers.1.mlp.up_proj.weight", "mtp.fc.weight", "model.mtp.norm.weight"), "model.layers.2.eh_proj.weight model.layers.2.shared_head.norm.weight model.layers.3.mlp.up_proj.weight"},
		{"qwen4exp", names("p.ngram_embedding.shard_1.weight", "p.ngram_embedding.shard_0.weight", "mtp.fc_hidden.weight", "mtp.fc_embedding.weight", "mtp.hyper_connection_mixer.hc_norm.weight"),
			"model.embed_tokens_per_layer.weight model.layers.2.eh_proj.weight model.layers.2.nextn_hc_head.hc_norm.weight"},
		{"qwen4exp", names("p.ngram_embedding.shard_1.weight"), "has 1 parts, want 2"},
	} {
		out, err := familyOf(c.arch).join(config, c.in)
		var got []string
		for _, x := range out {
			got = append(got, x.Name)
		}
		slices.Sort(got)
		if text := fmt.Sprint(strings.Join(got, " "), err); !strings.Contains(text, c.want) || (err == nil) != (strings.HasSuffix(c.want, ".weight")) {
			t.Errorf("%s: %v, %v, want %s", c.arch, got, err, c.want)
		}
	}
}
