package arch_test

import (
	"bytes"
	"encoding/binary"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/llamakit/llamakit/bench/golden"
	"github.com/llamakit/llamakit/formats/gguf"
	"github.com/llamakit/llamakit/formats/quant"
)

// changed is a copy of one of llama.cpp's random models that goes where the model itself does not. Keys are without the
// architecture or layer, tensors without the layer.
type changed struct {
	file string
	keys map[string]gguf.Value
	drop []string // tensors left out
	// shapes are tensors of another shape, or, with the name of a layer, new ones: they get random values.
	shapes map[string][]int
}

var copies = map[string]changed{
	"gptneox-parallel":     {file: "gptneox-dense", keys: keys{"use_parallel_residual": gguf.Bool(true)}},
	"gptneox-partial-rope": {file: "gptneox-dense", keys: keys{"rope.dimension_count": gguf.Uint32(32)}},
	"falcon-one-norm":      {file: "falcon-dense", drop: []string{"attn_norm_2.weight", "attn_norm_2.bias"}},
	"stablelm-parallel":    {file: "stablelm-dense", drop: []string{"ffn_norm.weight", "ffn_norm.bias"}},
	"stablelm-no-qk-norm":  {file: "stablelm-dense", drop: []string{"attn_q_norm.weight", "attn_k_norm.weight"}},
	"cohere2-window":       {file: "cohere2-dense", keys: keys{"attention.sliding_window": gguf.Uint32(8)}},
	"cohere2-pattern":      {file: "cohere2-dense", keys: keys{"attention.sliding_window": gguf.Uint32(8), "attention.sliding_window_pattern": gguf.Uint32(2)}},
	"mpt-plain": {file: "mpt-dense", drop: []string{"position_embd.weight", "ffn.act.scales"},
		keys: keys{"attention.clamp_kqv": gguf.Float32(0.25), "attention.max_alibi_bias": gguf.Float32(3)}},
	"bloom-heads":       {file: "bloom-dense", keys: heads(8, 32)},
	"jais-heads":        {file: "jais-dense", keys: heads(4, 64)},
	"phi2-partial-rope": {file: "phi2-dense", keys: keys{"rope.dimension_count": gguf.Uint32(32)}},
	"olmo-no-clamp":     {file: "olmo-dense", keys: keys{"attention.clamp_kqv": gguf.Float32(0)}},
}

type keys = map[string]gguf.Value

func heads(n, dim uint32) keys {
	return keys{"attention.head_count": gguf.Uint32(n), "attention.head_count_kv": gguf.Uint32(n),
		"attention.key_length": gguf.Uint32(dim), "attention.value_length": gguf.Uint32(dim)}
}

// write writes the copy of the hardened model.
func (c *changed) write(t *testing.T) string {
	t.Helper()
	from, err := gguf.Open(golden.Peer(t, variantFolders["hard"], c.file+".gguf"))
	if err != nil {
		t.Fatal(err)
	}
	defer from.Close()
	md := from.Metadata.Clone()
	name, _ := md.Get("general.architecture")
	prefix, _ := name.Str()
	for key, v := range c.keys {
		md.Set(prefix+"."+key, v)
	}
	var infos []gguf.TensorInfo
	var data [][]byte
	for i := range from.Tensors {
		tensor := &from.Tensors[i]
		part := tensor.Name
		if rest, ok := strings.CutPrefix(part, "blk."); ok {
			_, part, _ = strings.Cut(rest, ".")
		}
		info, bytes := tensor.Info(), from.Bytes(tensor)
		shape := c.shapes[part]
		if shape == nil {
			shape = c.shapes[tensor.Name]
		}
		if shape != nil {
			info.Shape = shape
			bytes = randomTensor(info)
		}
		if !slices.Contains(c.drop, part) && !slices.Contains(c.drop, tensor.Name) {
			infos, data = append(infos, info), append(data, bytes)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(c.shapes)) {
		if _, exists := from.Tensor(name); !exists && strings.HasPrefix(name, "blk.") {
			info := gguf.TensorInfo{Name: name, Type: quant.F32, Shape: c.shapes[name]}
			infos, data = append(infos, info), append(data, randomTensor(info))
		}
	}
	return writeModel(t, md, infos, data)
}

func writeModel(t *testing.T, md *gguf.Metadata, infos []gguf.TensorInfo, data [][]byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "copy.gguf")
	out, err := gguf.Create(path, md, infos)
	if err != nil {
		t.Fatal(err)
	}
	defer out.Abort() // without effect after Commit
	for _, d := range data {
		if err := out.WriteTensor(d); err != nil {
			t.Fatal(err)
		}
	}
	if err := out.Commit(); err != nil {
		t.Fatal(err)
	}
	return path
}

// copyRows are the positions whose logits testdata holds.
var copyRows = []int{20, len(tinyPrompt) - 1}

// TestCopies compares changed copies of the random models with llama.cpp's answers on them.
func TestCopies(t *testing.T) {
	for name, c := range copies {
		t.Run(name, func(t *testing.T) {
			path := c.write(t)
			recorded := filepath.Join("testdata", "copies", name+".f32")
			if *update {
				recordRows(t, path, recorded)
			}
			want := readFloats(t, recorded)
			f, err := gguf.Open(path)
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			p := compile(t, f, 2)
			defer p.Close()
			rows := p.logits(tinyPrompt, len(tinyPrompt))
			for i, pos := range copyRows {
				row := rows[pos]
				if e := nmse(row, want[i*len(row):(i+1)*len(row)]); !(e <= bound(c.file)) {
					t.Errorf("position %d: NMSE %.2g, want at most %.0g", pos, e, bound(c.file))
				}
			}
		})
	}
}

// recordRows keeps the logits of copyRows.
func recordRows(t *testing.T, from, to string) {
	t.Helper()
	all := filepath.Join(t.TempDir(), "all.f32")
	record(t, from, all)
	logits := readFloats(t, all)
	width := len(logits) / len(tinyPrompt)
	var kept []float32
	for _, pos := range copyRows {
		for _, v := range logits[pos*width : (pos+1)*width] {
			kept = append(kept, float32(v))
		}
	}
	var data bytes.Buffer
	if err := binary.Write(&data, binary.LittleEndian, kept); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(to, data.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
}
