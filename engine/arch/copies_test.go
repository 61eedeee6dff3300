package arch_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/llamakit/llamakit/bench/golden"
	"github.com/llamakit/llamakit/formats/gguf"
)

// changed is a copy of one of llama.cpp's random models that goes where the model itself does not. Keys are without the
// architecture or layer, tensors without the layer.
type changed struct {
	file string
	keys map[string]gguf.Value
	drop []string // tensors and keys left out
	// deeper is how many copies of the last layer follow it.
	deeper int
	// edit, if there, changes a tensor's shape and returns its data.
	edit func(part string, info *gguf.TensorInfo, data []byte) []byte
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
	for _, key := range c.drop {
		md.Delete(prefix + "." + key)
	}
	layers := md.Reader(prefix).Int("block_count")
	md.Set(prefix+".block_count", gguf.Uint32(uint32(layers+c.deeper)))
	var infos []gguf.TensorInfo
	var data [][]byte
	for i := range from.Tensors {
		tensor := &from.Tensors[i]
		part, copies := tensor.Name, 0
		if layer, rest, ok := layerTensor(part); ok {
			part = rest
			if layer == layers-1 {
				copies = c.deeper
			}
		}
		for n := 0; n <= copies && !slices.Contains(c.drop, part); n++ {
			info := tensor.Info()
			if n > 0 {
				info.Name = fmt.Sprintf("blk.%d.%s", layers-1+n, part)
			}
			bytes := from.Bytes(tensor)
			if c.edit != nil {
				bytes = c.edit(part, &info, bytes)
			}
			infos, data = append(infos, info), append(data, bytes)
		}
	}
	return writeModel(t, md, infos, data)
}

// layerTensor cuts the name of a layer's tensor into the layer and the rest.
func layerTensor(name string) (layer int, part string, ok bool) {
	if _, err := fmt.Sscanf(name, "blk.%d.", &layer); err != nil {
		return 0, "", false
	}
	_, part, _ = strings.Cut(strings.TrimPrefix(name, "blk."), ".")
	return layer, part, true
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
