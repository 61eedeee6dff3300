package hf

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/llamakit/llamakit/formats/quant"
	"github.com/llamakit/llamakit/formats/safetensors"
)

// files are the files of a folder by name: []byte and string as they are, *weights as safetensors, the rest as JSON.
type files map[string]any

// object and list shorten JSON in tests.
type (
	object = map[string]any
	list   = []any
)

// weights are the tensors of a safetensors file.
type weights struct{ tensors []safetensors.TensorData }

// add appends a tensor of float32 values 0, 1/8, 2/8 ... that begin with another number for each tensor.
func (w *weights) add(name string, shape ...int) *weights {
	n := 1
	for _, d := range shape {
		n *= d
	}
	values := make([]float32, n)
	for i := range values {
		values[i] = float32(len(w.tensors)) + float32(i%64)/8
	}
	return w.put(name, values, shape...)
}

func (w *weights) put(name string, values []float32, shape ...int) *weights {
	data := make([]byte, 4*len(values))
	_ = quant.Encode(quant.F32, data, values)
	w.tensors = append(w.tensors, safetensors.TensorData{Name: name, DType: safetensors.F32, Shape: shape, Data: data})
	return w
}

// without removes a tensor.
func (w *weights) without(name string) *weights {
	var out weights
	for _, x := range w.tensors {
		if x.Name != name {
			out.tensors = append(out.tensors, x)
		}
	}
	return &out
}

// folder writes the files and opens the folder.
func folder(t testing.TB, content files) *Folder {
	t.Helper()
	f, err := Open(writeFiles(t, content))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f
}

func writeFiles(t testing.TB, content files) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "Tiny-1M-Instruct")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	for name, v := range content {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, fileData(t, v), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func fileData(t testing.TB, v any) []byte {
	t.Helper()
	switch v := v.(type) {
	case []byte:
		return v
	case string:
		return []byte(v)
	case *weights:
		var b bytes.Buffer
		if err := safetensors.Write(&b, v.tensors, nil); err != nil {
			t.Fatal(err)
		}
		return b.Bytes()
	}
	data, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// with returns the files with some replaced; nil removes one.
func (f files) with(changes files) files {
	out := files{}
	for _, part := range []files{f, changes} {
		for name, v := range part {
			if v == nil {
				delete(out, name)
			} else {
				out[name] = v
			}
		}
	}
	return out
}

// qwen3 is a model of one layer and 300 rows.
func qwen3() files { return qwen3Rows(300, 300) }

func qwen3Rows(rows, tokens int) files {
	return files{"config.json": qwen3Config(), "tokenizer.json": bpe(tokens), "model.safetensors": qwen3Weights(rows)}
}

func qwen3Config() object {
	return object{"architectures": list{"Qwen3ForCausalLM"}, "num_hidden_layers": 1, "hidden_size": 8, "intermediate_size": 16, "num_attention_heads": 2,
		"num_key_value_heads": 1, "head_dim": 4, "max_position_embeddings": 64, "rms_norm_eps": 1e-6, "rope_theta": 10000}
}

func qwen3Weights(rows int) *weights {
	w := &weights{}
	w.add("model.embed_tokens.weight", rows, 8).add("model.norm.weight", 8)
	return qwen3Layer(w, "model.layers.0.")
}

func qwen3Layer(w *weights, p string) *weights {
	return w.add(p+"input_layernorm.weight", 8).add(p+"post_attention_layernorm.weight", 8).
		add(p+"self_attn.q_proj.weight", 8, 8).add(p+"self_attn.k_proj.weight", 4, 8).add(p+"self_attn.v_proj.weight", 4, 8).
		add(p+"self_attn.o_proj.weight", 8, 8).add(p+"self_attn.q_norm.weight", 4).add(p+"self_attn.k_norm.weight", 4).
		add(p+"mlp.gate_proj.weight", 16, 8).add(p+"mlp.up_proj.weight", 16, 8).add(p+"mlp.down_proj.weight", 8, 16)
}

// bpe is a byte-level BPE of n tokens with Qwen2's cuts.
func bpe(n int) object {
	t := tinyTokenizer(n)
	t["pre_tokenizer"] = object{"type": "Sequence", "pretokenizers": list{
		object{"type": "Split", "behavior": "Isolated", "pattern": object{"Regex": `(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+`}},
		object{"type": "ByteLevel", "use_regex": false}}}
	return t
}

// sentencePieceFile encodes a tokenizer.model of BPE type.
func sentencePieceFile(pieces []piece, dummyPrefix bool) []byte {
	var out []byte
	for _, p := range pieces {
		message := field(nil, 1, 2, []byte(p.text))
		message = field(message, 2, 5, binary.LittleEndian.AppendUint32(nil, math.Float32bits(p.score)))
		message = field(message, 3, 0, binary.AppendUvarint(nil, uint64(p.kind)))
		out = field(out, 1, 2, message)
	}
	out = field(out, 2, 2, field(nil, 3, 0, []byte{2}))
	prefix := []byte{0}
	if dummyPrefix {
		prefix[0] = 1
	}
	return field(out, 3, 2, field(nil, 3, 0, prefix))
}

// field appends a field of a protocol buffer.
func field(out []byte, number, wire int, data []byte) []byte {
	out = binary.AppendUvarint(out, uint64(number<<3|wire))
	if wire == 2 {
		out = binary.AppendUvarint(out, uint64(len(data)))
	}
	return append(out, data...)
}

// TestPyTorch converts a checkpoint of PyTorch to the same file as that of safetensors.
func TestPyTorch(t *testing.T) {
	dir := t.TempDir()
	for _, path := range []string{"testdata/qwen3/config.json", "testdata/qwen3/tokenizer.json", "../torch/testdata/pytorch_model.bin"} {
		data, err := os.ReadFile(path)
		if err != nil || os.WriteFile(filepath.Join(dir, filepath.Base(path)), data, 0o644) != nil {
			t.Fatal(err)
		}
	}
	compareFiles(t, convertFolder(t, dir, Options{Type: OutF32}), convertFolder(t, "testdata/qwen3", Options{Type: OutF32}), true)
}
