package hf

import (
	"encoding/binary"
	"math"
	"strings"
	"testing"

	"github.com/llamakit/llamakit/formats/quant"
	"github.com/llamakit/llamakit/formats/safetensors"
)

// raw is a tensor of the checkpoint with its bytes as they are.
func raw(name string, dtype safetensors.DType, data []byte, shape ...int) safetensors.TensorData {
	return safetensors.TensorData{Name: name, DType: dtype, Shape: shape, Data: data}
}

func wordsOf(n ...uint32) []byte {
	var out []byte
	for _, w := range n {
		out = binary.LittleEndian.AppendUint32(out, w)
	}
	return out
}

func numbers(dtype safetensors.DType, values ...float32) []byte {
	t, _ := dtype.Type()
	out := make([]byte, t.RowBytes(len(values)))
	_ = quant.Encode(t, out, values)
	return out
}

// unpackOne is the only tensor that is left when config says how those given are packed.
func unpackOne(t *testing.T, config object, tensors ...safetensors.TensorData) (*tensor, []float32, error) {
	t.Helper()
	var all []*tensor
	for _, x := range tensors {
		f, err := safetensors.Parse("x", fileData(t, &weights{[]safetensors.TensorData{x}}))
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, plain(f, &f.Tensors()[0]))
	}
	out, err := newConfig("config.json", jsonValues(object{"quantization_config": config})).unpack(all)
	if err != nil {
		return nil, nil, err
	}
	if len(out) != 1 {
		t.Fatalf("%d tensors are left, want 1", len(out))
	}
	values := make([]float32, elements(out[0].Shape))
	if err := out[0].decode(values, 0); err != nil {
		t.Fatal(err)
	}
	return out[0], values, nil
}

// TestPacked has a small matrix of each way of packing, and the numbers that it holds.
func TestPacked(t *testing.T) {
	e4m3 := []byte{0x38, 0x40, 0xb8, 0x30, 0x44, 0x00} // 1 2 -1 0.5 3 0
	ct := func(format string, weights object) object {
		return object{"quant_method": "compressed-tensors", "format": format, "config_groups": object{"group_0": object{"weights": weights}}}
	}
	half := numbers(safetensors.F16, 0.5, 2)
	for _, c := range []struct {
		name    string
		config  object
		tensors []safetensors.TensorData
		want    []float32
	}{
		{"fp8 blocks", object{"quant_method": "fp8", "weight_block_size": list{2, 2}}, []safetensors.TensorData{raw("a.weight", safetensors.F8_E4M3, e4m3, 2, 3),
			raw("a.weight_scale_inv", safetensors.F32, numbers(safetensors.F32, 2, 10), 1, 2), raw("a.activation_scale", safetensors.F32, numbers(safetensors.F32, 9), 1)},
			[]float32{2, 4, -10, 1, 6, 0}},
		{"fp8 of DeepSeek-V4", object{"quant_method": "fp8", "weight_block_size": list{2, 2}}, []safetensors.TensorData{raw("a.weight", safetensors.F8_E4M3, e4m3, 2, 3),
			raw("a.scale", safetensors.F8_E8M0, []byte{128, 126}, 1, 2)}, []float32{2, 4, -0.5, 1, 6, 0}},
		{"fp8 tensor", object{"quant_method": "fp8"}, []safetensors.TensorData{raw("a.weight", safetensors.F8_E4M3, e4m3, 2, 3),
			raw("a.weight_scale_inv", safetensors.F32, numbers(safetensors.F32, 4))}, []float32{4, 8, -4, 2, 12, 0}},
		{"fp8 channels", ct("float-quantized", object{"strategy": "channel"}), []safetensors.TensorData{raw("a.weight", safetensors.F8_E4M3, e4m3, 2, 3),
			raw("a.weight_scale", safetensors.F32, numbers(safetensors.F32, 2, 4), 2, 1), raw("a.input_scale", safetensors.F32, numbers(safetensors.F32, 9), 1)},
			[]float32{2, 4, -2, 2, 12, 0}},
		{"int8 channels", ct("int-quantized", object{"strategy": "channel"}), []safetensors.TensorData{raw("a.weight", safetensors.I8, []byte{1, 0xff, 2, 0x80}, 2, 2),
			raw("a.weight_scale", safetensors.F32, numbers(safetensors.F32, 2, 0.5), 2, 1)}, []float32{2, -2, 1, -64}},
		{"fp8 blocks beside other groups", object{"quant_method": "compressed-tensors", "format": "mixed-precision", "config_groups": object{
			"group_0": object{"weights": object{"num_bits": 8, "block_structure": list{2, 2}}}, "group_1": object{"weights": object{"num_bits": 4, "block_structure": nil}}}},
			[]safetensors.TensorData{raw("a.weight", safetensors.F8_E4M3, e4m3, 2, 3), raw("a.weight_scale", safetensors.F32, numbers(safetensors.F32, 2, 10), 1, 2)},
			[]float32{2, 4, -10, 1, 6, 0}},
		{"modelopt fp8", object{"quant_method": "modelopt"}, []safetensors.TensorData{raw("a.weight", safetensors.F8_E4M3, e4m3[:2], 1, 2),
			raw("a.weight_scale", safetensors.F32, numbers(safetensors.F32, 3))}, []float32{3, 6}},
		// inputs 0 to 7 of outputs 0 to 7: input i of output o is i, zero point 1 + 1, scales 0.5 and 2 by turns of inputs
		{"gptq", object{"quant_method": "gptq", "bits": 4}, []safetensors.TensorData{raw("a.qweight", safetensors.I32, repeated(0x76543210, 8), 1, 8),
			raw("a.qzeros", safetensors.I32, wordsOf(0x11111111, 0x11111111), 2, 1), raw("a.scales", safetensors.F16, numbers(safetensors.F16, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 2, 2, 2, 2, 2, 2, 2, 2), 2, 8),
			raw("a.g_idx", safetensors.I32, wordsOf(0, 1, 0, 1, 0, 1, 0, 1), 8)}, repeat([]float32{-1, -2, 0, 2, 1, 6, 2, 10}, 8)},
		// 32 inputs of 32 outputs: input i of output o is i%8, all in three words; zero point 0 + 1
		{"gptq of 3 bits", object{"quant_method": "gptq", "bits": 3}, []safetensors.TensorData{raw("a.qweight", safetensors.I32,
			append(append(repeated(0x88fac688, 32), repeated(0xc688fac6, 32)...), repeated(0xfac688fa, 32)...), 3, 32), raw("a.qzeros", safetensors.I32, make([]byte, 12), 1, 3),
			raw("a.scales", safetensors.F16, numbers(safetensors.F16, repeat([]float32{2}, 32)...), 1, 32)}, repeat([]float32{-2, 0, 2, 4, 6, 8, 10, 12}, 128)},
		// 2 inputs of 8 outputs: input 0 of output o is o, input 1 is 15 - o; zero points 1, scales 1 and 2
		{"awq gemm", object{"quant_method": "awq", "bits": 4, "version": "gemm", "group_size": 1}, []safetensors.TensorData{raw("a.qweight", safetensors.I32, wordsOf(0x75316420, 0x8ace9bdf), 2, 1),
			raw("a.qzeros", safetensors.I32, wordsOf(0x11111111, 0x11111111), 2, 1), raw("a.scales", safetensors.F16, numbers(safetensors.F16, append(repeat([]float32{1}, 8), repeat([]float32{2}, 8)...)...), 2, 8)},
			[]float32{-1, 28, 0, 26, 1, 24, 2, 22, 3, 20, 4, 18, 5, 16, 6, 14}},
		// 8 inputs of 2 outputs in groups of 4, with room for more groups than there are
		{"awq gemv", object{"quant_method": "awq", "bits": 4, "version": "gemv", "group_size": 4}, []safetensors.TensorData{raw("a.qweight", safetensors.I32, wordsOf(0x76543210, 0x01234567), 2, 1),
			raw("a.qzeros", safetensors.I32, wordsOf(0x21, 0x43), 2, 1), raw("a.scales", safetensors.F16, numbers(safetensors.F16, 1, 2, 0, 0, 0, 0, 0, 0, 4, 8, 0, 0, 0, 0, 0, 0), 2, 8)},
			[]float32{-1, 0, 1, 2, 4, 6, 8, 10, 16, 12, 8, 4, -8, -16, -24, -32}},
		{"integers", ct("pack-quantized", object{"num_bits": 4, "group_size": 2}), []safetensors.TensorData{raw("a.weight_packed", safetensors.I32, wordsOf(0x0f8a), 1, 1),
			raw("a.weight_scale", safetensors.F16, half, 1, 2), raw("a.weight_shape", safetensors.I64, append(wordsOf(1, 0), wordsOf(4, 0)...), 2)}, []float32{1, 0, 14, -16}},
	} {
		_, got, err := unpackOne(t, c.config, c.tensors...)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		for i, want := range c.want {
			if got[i] != want {
				t.Errorf("%s: %v, want %v", c.name, got, c.want)
				break
			}
		}
	}
}

func repeated(word uint32, n int) []byte {
	var out []byte
	for range n {
		out = append(out, wordsOf(word)...)
	}
	return out
}

func repeat(v []float32, n int) []float32 {
	var out []float32
	for range n {
		out = append(out, v...)
	}
	return out
}

// TestFourBits wants blocks that hold the same numbers: value i of the checkpoint's code i%16, as E2M1 has them.
func TestFourBits(t *testing.T) {
	e2m1 := []float32{0, 0.5, 1, 1.5, 2, 3, 4, 6, 0, -0.5, -1, -1.5, -2, -3, -4, -6}
	packed := func(n int) []byte {
		out := make([]byte, n/2)
		for i := range out {
			out[i] = byte(2*i%16) | byte((2*i+1)%16)<<4
		}
		return out
	}
	for _, c := range []struct {
		name    string
		config  object
		tensors []safetensors.TensorData
		kind    quant.Type
		group   int
		scales  []float32
	}{
		{"mxfp4", object{"quant_method": "mxfp4"}, []safetensors.TensorData{raw("a_blocks", safetensors.U8, packed(64), 1, 1, 2, 16),
			raw("a_scales", safetensors.U8, []byte{128, 126}, 1, 1, 2)}, quant.MXFP4, 32, []float32{2, 0.5}},
		{"mxfp4 of DeepSeek-V4", object{"quant_method": "fp8"}, []safetensors.TensorData{raw("a.weight", safetensors.I8, packed(64), 1, 32),
			raw("a.scale", safetensors.F8_E8M0, []byte{128, 126}, 1, 2)}, quant.MXFP4, 32, []float32{2, 0.5}},
		{"nvfp4", object{"quant_method": "modelopt"}, []safetensors.TensorData{raw("a.weight", safetensors.U8, packed(64), 1, 32),
			raw("a.weight_scale", safetensors.F8_E4M3, []byte{0x38, 0x40, 0x30, 0x44}, 1, 4), raw("a.weight_scale_2", safetensors.F32, numbers(safetensors.F32, 0.25))},
			quant.NVFP4, 16, []float32{0.25, 0.5, 0.125, 0.75}},
	} {
		x, got, err := unpackOne(t, c.config, c.tensors...)
		if err != nil || x.packed == nil || x.packed.kind != c.kind {
			t.Errorf("%s: %v, blocks %v", c.name, err, x)
			continue
		}
		for i, v := range got {
			if want := e2m1[i%16] * c.scales[i/c.group]; v != want && math.Abs(float64(v-want)) > 1e-6 {
				t.Errorf("%s: value %d is %v, want %v", c.name, i, v, want)
			}
		}
	}
}

// TestUnknownPacking is refused by name, and parts that do not fit one another too.
func TestUnknownPacking(t *testing.T) {
	w := raw("a.weight", safetensors.F8_E4M3, make([]byte, 6), 2, 3)
	for want, c := range map[string]struct {
		config  object
		tensors []safetensors.TensorData
	}{
		`quantization_config "hqq"`:      {object{"quant_method": "hqq"}, []safetensors.TensorData{w}},
		`AWQ packing "marlin"`:           {object{"quant_method": "awq", "version": "marlin"}, []safetensors.TensorData{w}},
		`AWQ of 8 bits`:                  {object{"quant_method": "awq", "bits": 8}, []safetensors.TensorData{w}},
		`"compressed-tensors marlin-24"`: {object{"quant_method": "compressed-tensors", "format": "marlin-24"}, []safetensors.TensorData{w}},
		`has 5 scales, want 2`:           {object{"quant_method": "fp8", "weight_block_size": list{2, 2}}, []safetensors.TensorData{w, raw("a.weight_scale_inv", safetensors.F32, make([]byte, 20), 5)}},
		`"a.qzeros" is missing`:          {object{"quant_method": "gptq", "bits": 4}, []safetensors.TensorData{raw("a.qweight", safetensors.I32, make([]byte, 4), 1, 1)}},
		`GPTQ of 5 bits`: {object{"quant_method": "gptq", "bits": 5}, []safetensors.TensorData{raw("a.qweight", safetensors.I32, make([]byte, 4), 1, 1), raw("a.qzeros", safetensors.I32, make([]byte, 4), 1, 1),
			raw("a.scales", safetensors.F16, make([]byte, 2), 1, 1), raw("a.g_idx", safetensors.I32, make([]byte, 4), 1)}},
		`config_groups that differ in num_bits`: {object{"quant_method": "compressed-tensors", "format": "pack-quantized", "config_groups": object{
			"group_0": object{"weights": object{"num_bits": 4}}, "group_1": object{"weights": object{"num_bits": 8}}}},
			[]safetensors.TensorData{raw("a.weight_packed", safetensors.I32, make([]byte, 4), 1, 1), raw("a.weight_scale", safetensors.F16, make([]byte, 2), 1, 1),
				raw("a.weight_shape", safetensors.I64, make([]byte, 16), 2)}},
		`do not fit the shape`: {object{"quant_method": "mxfp4"}, []safetensors.TensorData{raw("a_blocks", safetensors.U8, make([]byte, 16), 1, 1, 16), raw("a_scales", safetensors.U8, make([]byte, 3), 3)}},
	} {
		if _, _, err := unpackOne(t, c.config, c.tensors...); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}

// TestKeptBlocks converts a folder whose matrices are NVFP4: they stay so, with their factors beside them.
func TestKeptBlocks(t *testing.T) {
	const width, ff = 64, 64
	config := qwen3Config()
	config["hidden_size"], config["intermediate_size"] = width, ff
	config["quantization_config"] = object{"quant_method": "modelopt"}
	w := &weights{}
	for _, x := range qwen3Weights(20).tensors {
		shape := make([]int, len(x.Shape))
		for i, n := range x.Shape {
			shape[i] = map[int]int{8: width, 16: ff}[n]
			if shape[i] == 0 {
				shape[i] = n
			}
		}
		if strings.Contains(x.Name, "mlp.") {
			base := strings.TrimSuffix(x.Name, ".weight")
			w.tensors = append(w.tensors, raw(x.Name, safetensors.U8, make([]byte, ff*width/2), ff, width/2),
				raw(base+".weight_scale", safetensors.F8_E4M3, make([]byte, ff*width/16), ff, width/16), raw(base+".weight_scale_2", safetensors.F32, numbers(safetensors.F32, 0.5)))
			continue
		}
		w.add(x.Name, shape...)
	}
	got := convertFolder(t, writeFiles(t, files{"config.json": config, "tokenizer.json": bpe(20), "model.safetensors": w}), Options{Type: OutF16})
	x, ok := got.Tensor("blk.0.ffn_up.weight")
	if !ok || x.Type != quant.NVFP4 {
		t.Fatalf("ffn_up is %v", x)
	}
	if s := floats(got, "blk.0.ffn_up.scale"); len(s) != 1 || s[0] != 0.5 {
		t.Errorf("scale %v", s)
	}
	if kind, _ := got.Metadata.Get("general.file_type"); kind.Any() != uint32(39) {
		t.Errorf("file type %v", kind.Any())
	}
}
