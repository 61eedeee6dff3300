package arch_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/llamakit/llamakit/bench/golden"
	"github.com/llamakit/llamakit/formats/gguf"
)

// changed is a copy of one of llama.cpp's random models that goes where the model itself does not. Keys are without the
// architecture, tensors without the layer.
type changed struct {
	file   string
	keys   map[string]gguf.Value
	drop   []string // keys and tensors left out: names, or beginnings of names with the layer
	layers int      // of the copy, where the model has two, which take turns; 0: as many
	deeper int      // copies of the last layer follow it
	tokens int      // of the prompt; 0: those of tinyPrompt
	// fused: llama.cpp computes attention as one operation, as it does by default, and rounds keys and values to float16; the bound is
	// fusedBound then.
	fused bool
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

	"deci-parts": {file: "deci-dense", layers: 4, drop: []string{"blk.1.attn_", "blk.2.ffn_", "blk.3.attn_q", "blk.3.attn_k", "blk.3.attn_v"},
		keys: keys{"attention.head_count": gguf.Int32s([]int32{2, 0, 2, 2}), "attention.head_count_kv": gguf.Int32s([]int32{2, 0, 2, 0}),
			"feed_forward_length": gguf.Int32s([]int32{384, 384, 0, 384})}},
	"baichuan-rope":          {file: "baichuan-dense", layers: 32},
	"baichuan-alibi":         {file: "baichuan-dense", layers: 40},
	"cogvlm-base":            {file: "cogvlm-dense", keys: keys{"rope.freq_base": gguf.Float32(100)}},
	"nanbeige-loops":         {file: "nanbeige-dense", keys: keys{"num_loops": gguf.Uint32(3)}},
	"nanbeige-bare-loops":    {file: "nanbeige-dense", keys: keys{"num_loops": gguf.Uint32(2), "skip_loop_final_norm": gguf.Bool(true)}},
	"hunyuan-alpha":          {file: "hunyuan-dense-dense", keys: keys{"rope.scaling.alpha": gguf.Float32(50)}},
	"glm4-no-sections":       {file: "glm4-dense", keys: keys{"rope.dimension_sections": gguf.Int32s(make([]int32, 4)), "rope.dimension_count": gguf.Uint32(64)}},
	"exaone4-windows":        {file: "exaone4-dense", layers: 64, keys: keys{"attention.sliding_window": gguf.Uint32(8)}},
	"exaone4-window-ignored": {file: "exaone4-dense", layers: 3, keys: keys{"attention.sliding_window": gguf.Uint32(8)}},
	"olmo2-yarn":             {file: "olmo2-dense", keys: yarn(keys{"attention.sliding_window": gguf.Uint32(8)})},
	"plamo3-yarn":            {file: "plamo3-dense", keys: yarn(keys{"attention.sliding_window": gguf.Uint32(8), "rope.freq_base_swa": gguf.Float32(100)})},
	"muse-glimmer-windows": {file: "muse-glimmer-dense", keys: keys{"attention.sliding_window": gguf.Uint32(8), "rope.freq_base_swa": gguf.Float32(100),
		"logit_scale": gguf.Float32(0.25), "final_logit_softcapping": gguf.Float32(3)}},
	"spark2_5-kinds": {file: "spark2_5-dense", keys: keys{"attention.sliding_window": gguf.Uint32(8), "rope.freq_base_swa": gguf.Float32(100),
		"rope.dimension_count_swa": gguf.Uint32(32)}},
	"granite_swa-pattern": {file: "granite_swa-dense", keys: keys{"attention.sliding_window": gguf.Uint32(8),
		"attention.rope_pattern": gguf.Bools([]bool{true, false}), "embedding_scale": gguf.Float32(5), "residual_scale": gguf.Float32(0.5),
		"logit_scale": gguf.Float32(4), "attention.scale": gguf.Float32(0.3)}},
	"hrm_text-cycles": {file: "hrm_text-dense", keys: keys{"hrm.h_cycles": gguf.Uint32(3), "hrm.l_cycles": gguf.Uint32(1),
		"embedding_scale": gguf.Float32(4)}},
	"k2-horizon-yarn": {file: "k2-horizon-dense", keys: yarn(keys{"attention.group_norm_groups": gguf.Uint32(4), "rope.dimension_count": gguf.Uint32(64),
		"rope.scaling.yarn_beta_fast": gguf.Float32(16), "rope.scaling.yarn_beta_slow": gguf.Float32(2)})},
	"k2-horizon-one-value": {file: "k2-horizon-moe", keys: keys{"attention.value_expert_used_count": gguf.Uint32(1),
		"expert_weights_norm": gguf.Bool(true), "expert_weights_scale": gguf.Float32(1.5)}},
	"talkie-logits": {file: "talkie-dense", keys: keys{"logit_scale": gguf.Float32(0.25)}},
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
	md, last := c.metadata(from.Metadata)
	out := &changedTensors{changed: c}
	for i := range from.Tensors {
		tensor := &from.Tensors[i]
		layer, part, ok := layerTensor(tensor.Name)
		if !ok {
			out.add(tensor.Info(), tensor.Name, from.Bytes(tensor))
			continue
		}
		for _, to := range c.places(layer, last) {
			info := tensor.Info()
			info.Name = fmt.Sprintf("blk.%d.%s", to, part)
			out.add(info, part, from.Bytes(tensor))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(c.shapes)) {
		if _, exists := from.Tensor(name); !exists && strings.HasPrefix(name, "blk.") {
			out.add(gguf.TensorInfo{Name: name, Type: typeOf(name)}, name, nil)
		}
	}
	return writeModel(t, md, out.infos, out.data)
}

// metadata returns the keys of the copy, and the last layer of the model.
func (c *changed) metadata(from *gguf.Metadata) (md *gguf.Metadata, last int) {
	md = from.Clone()
	name, _ := md.Get("general.architecture")
	prefix, _ := name.Str()
	n := md.Reader(prefix).Int("block_count")
	md.Set(prefix+".block_count", gguf.Uint32(uint32(max(n, c.layers)+c.deeper)))
	for key, v := range c.keys {
		md.Set(prefix+"."+key, v)
	}
	for _, key := range c.drop {
		md.Delete(prefix + "." + key)
	}
	return md, n - 1
}

// places are the layers of the copy that a layer of the model goes to.
func (c *changed) places(layer, last int) []int {
	to := []int{layer}
	for next := layer + 2; next < c.layers; next += 2 {
		to = append(to, next)
	}
	for n := range c.deeper {
		if layer == last {
			to = append(to, last+1+n)
		}
	}
	return to
}

// changedTensors collects the tensors of a copy.
type changedTensors struct {
	*changed
	infos []gguf.TensorInfo
	data  [][]byte
}

// add adds a tensor, whose name without the layer is part, unless it is one of the model's that is dropped.
func (c *changedTensors) add(info gguf.TensorInfo, part string, data []byte) {
	dropped := func(d string) bool {
		return part == d || strings.HasPrefix(d, "blk.") && strings.HasPrefix(info.Name, d)
	}
	if data != nil && slices.ContainsFunc(c.drop, dropped) {
		return
	}
	for _, key := range []string{part, info.Name} {
		if shape := c.shapes[key]; shape != nil {
			info.Shape = shape
			data = randomTensor(info)
		}
	}
	c.infos, c.data = append(c.infos, info), append(c.data, data)
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
func copyRows(prompt []int32) []int { return []int{20, len(prompt) - 1} }

// prompt is what the copy is asked.
func (c *changed) prompt() []int32 {
	if c.tokens > 0 {
		return promptOf(c.tokens)
	}
	return tinyPrompt
}

// fusedBound is the greatest error from what llama.cpp gives with keys and values in float16.
const fusedBound = 1e-5

func (c *changed) bound() float64 {
	if c.fused {
		return fusedBound
	}
	return bound(c.file)
}

// TestCopies compares changed copies of the random models with llama.cpp's answers on them.
func TestCopies(t *testing.T) {
	for name, c := range copies {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := c.write(t)
			recorded := filepath.Join("testdata", "copies", name+".f32")
			if *update {
				recordRows(t, path, recorded, c)
			}
			want := readFloats(t, recorded)
			p := compile(t, open(t, path), 1)
			defer p.Close()
			rows := p.logits(c.prompt(), copyChunk)
			for i, pos := range copyRows(c.prompt()) {
				row := rows[pos]
				if e := nmse(row, want[i*len(row):(i+1)*len(row)]); !(e <= c.bound()) {
					t.Errorf("position %d: NMSE %.2g, want at most %.0g", pos, e, c.bound())
				}
			}
		})
	}
}

// copyChunk is the most rows that compile makes room for.
const copyChunk = 64

// recordRows keeps the logits of copyRows.
func recordRows(t *testing.T, from, to string, c changed) {
	t.Helper()
	all, prompt := filepath.Join(t.TempDir(), "all.f32"), c.prompt()
	if c.fused {
		record(t, from, all, prompt, "GOLDEN_FA=1")
	} else {
		record(t, from, all, prompt)
	}
	logits := readFloats(t, all)
	width := len(logits) / len(prompt)
	var kept []float32
	for _, pos := range copyRows(prompt) {
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
