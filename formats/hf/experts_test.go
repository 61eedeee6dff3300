package hf

import (
	"fmt"
	"testing"

	"github.com/llamakit/llamakit/formats/quant"
)

// TestFusedExperts wants the same tensors of experts that stand one by one, and of those that stand in one tensor a layer with
// gate and up in one.
func TestFusedExperts(t *testing.T) {
	const experts, ff, width = 3, 4, 8
	config := qwen3Config()
	config["architectures"], config["num_experts"], config["num_experts_per_tok"], config["moe_intermediate_size"] = list{"Qwen3MoeForCausalLM"}, experts, 2, ff
	base := func() *weights {
		w := qwen3Weights(20).add("model.layers.0.mlp.gate.weight", experts, width)
		for _, n := range []string{"gate", "up", "down"} {
			w = w.without("model.layers.0.mlp." + n + "_proj.weight")
		}
		return w
	}
	matrix := func(expert, kind int) []float32 {
		out := make([]float32, ff*width)
		for i := range out {
			out[i] = float32(1000*expert + 100*kind + i)
		}
		return out
	}
	single, fused := base(), base()
	var gateUp, down []float32
	for e := range experts {
		for kind, n := range []string{"gate", "up"} {
			single.put(fmt.Sprintf("model.layers.0.mlp.experts.%d.%s_proj.weight", e, n), matrix(e, kind), ff, width)
			gateUp = append(gateUp, matrix(e, kind)...)
		}
		single.put(fmt.Sprintf("model.layers.0.mlp.experts.%d.down_proj.weight", e), matrix(e, 2), width, ff)
		down = append(down, matrix(e, 2)...)
	}
	fused.put("model.layers.0.mlp.experts.gate_up_proj", gateUp, experts, 2*ff, width)
	fused.put("model.layers.0.mlp.experts.down_proj", down, experts, width, ff)

	content := files{"config.json": config, "tokenizer.json": bpe(20)}
	want := convertFolder(t, writeFiles(t, content.with(files{"model.safetensors": single})), Options{Type: OutF32})
	got := convertFolder(t, writeFiles(t, content.with(files{"model.safetensors": fused})), Options{Type: OutF32})
	compareFiles(t, got, want, true)
	x, ok := got.Tensor("blk.0.ffn_up_exps.weight")
	if !ok || fmt.Sprint(x.Shape) != fmt.Sprint([]int{width, ff, experts}) {
		t.Fatalf("up: %v", x)
	}
	values := make([]float32, x.Elements())
	quant.Decode(x.Type, values, got.Bytes(x))
	if values[0] != 100 || values[ff*width] != 1100 || values[2*ff*width+5] != 2105 {
		t.Errorf("up: %v", values)
	}
}

// TestOutTypes says which tensors take the type that was asked for.
func TestOutTypes(t *testing.T) {
	for out, want := range map[OutType][3]quant.Type{OutF16: {quant.F16, quant.F32, quant.F16}, OutBF16: {quant.BF16, quant.F32, quant.BF16},
		OutF32: {quant.F32, quant.F32, quant.F32}, OutAuto: {quant.F16, quant.F32, quant.F16}, OutQ8_0: {quant.F16, quant.F32, quant.Q8_0}} {
		w := qwen3Weights(300).without("model.layers.0.self_attn.o_proj.weight").add("model.layers.0.self_attn.o_proj.weight", 8, 32)
		c, err := convert(t, qwen3().with(files{"model.safetensors": w}), Options{Type: out})
		if err != nil {
			t.Fatal(err)
		}
		got := map[string]quant.Type{}
		for _, x := range c.Tensors {
			got[x.Name] = x.Type
		}
		if g := [3]quant.Type{got["token_embd.weight"], got["blk.0.attn_norm.weight"], got["blk.0.attn_output.weight"]}; g != want {
			t.Errorf("%s: embedding, norm, output are %v, want %v", out, g, want)
		}
		if notes := len(c.Notes); (out == OutQ8_0) != (notes > 0) {
			t.Errorf("%s: notes %q", out, c.Notes)
		}
	}
	if _, err := convert(t, qwen3(), Options{Type: "q4_0"}); err == nil {
		t.Error("q4_0 is no output type")
	}
}
