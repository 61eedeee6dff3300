package hf

import (
	"context"
	"encoding/binary"
	"flag"
	"fmt"
	"hash/crc32"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/llamakit/llamakit/bench/golden"
	"github.com/llamakit/llamakit/formats/gguf"
	"github.com/llamakit/llamakit/formats/quant"
)

var update = flag.Bool("update", false, "write the binary files of testdata's folders, and what they convert to")

// TestFolders converts the folders of testdata and compares everything that is written. With -update it writes
// testdata/NAME.txt, and the files of the folders that are not text.
func TestFolders(t *testing.T) {
	for _, name := range []string{"qwen3", "llama-spm", "gemma3-json"} {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join("testdata", name)
			if *update {
				writeBinaries(t, dir, name)
			}
			f, err := Open(dir)
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			c, err := f.Convert(Options{Type: OutQ8_0})
			if err != nil {
				t.Fatal(err)
			}
			path := filepath.Join(t.TempDir(), "x.gguf")
			if err := c.Write(context.Background(), path, nil); err != nil {
				t.Fatal(err)
			}
			got := c.FileName + "\n" + dump(openGGUF(t, path)) + strings.Join(c.Notes, "\n")
			compareText(t, filepath.Join("testdata", name+".txt"), got)
		})
	}
}

func compareText(t *testing.T, path, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("not as in %s (-update writes it):\n%s", path, got)
	}
}

// dump lists keys with their types and values, and tensors with the checksum of their data.
func dump(f *gguf.File) string {
	var b strings.Builder
	for k, v := range f.Metadata.All() {
		text := fmt.Sprint(v.Any())
		if list, ok := v.StrSlice(); ok {
			text = fmt.Sprintf("%d: %q", len(list), list)
		} else if s, ok := v.Str(); ok {
			text = fmt.Sprintf("%q", s)
		}
		fmt.Fprintf(&b, "%s %v %s\n", k, v.Type(), text)
	}
	for i := range f.Tensors {
		x := &f.Tensors[i]
		fmt.Fprintf(&b, "%s %v %v %08x\n", x.Name, x.Type, x.Shape, crc32.ChecksumIEEE(f.Bytes(x)))
	}
	return b.String()
}

// writeBinaries makes the checkpoint and the SentencePiece model of a folder.
func writeBinaries(t *testing.T, dir, name string) {
	t.Helper()
	w := qwen3Weights(40)
	for _, n := range []string{"gate", "up", "down"} {
		w = w.without("model.layers.0.mlp." + n + "_proj.weight")
	}
	w.add("model.layers.0.mlp.gate_proj.weight", 32, 8).add("model.layers.0.mlp.up_proj.weight", 32, 8).add("model.layers.0.mlp.down_proj.weight", 8, 32)
	switch name {
	case "llama-spm":
		for _, n := range []string{"q_norm", "k_norm"} {
			w = w.without("model.layers.0.self_attn." + n + ".weight")
		}
		w.add("lm_head.weight", 40, 8)
		pieces := []piece{{"<unk>", 0, 2}, {"<s>", 0, 3}, {"</s>", 0, 3}, {"<0x0A>", 0, 6}, {"▁a", -1, 1}, {"b", -2, 1}, {"▁", -3, 1}}
		writeFile(t, filepath.Join(dir, "tokenizer.model"), sentencePieceFile(pieces, true))
	case "gemma3-json":
		w.add("model.layers.0.pre_feedforward_layernorm.weight", 8).add("model.layers.0.post_feedforward_layernorm.weight", 8)
		for i := range w.tensors {
			w.tensors[i].Name = "language_model." + w.tensors[i].Name
		}
		w.add("vision_tower.encoder.weight", 2, 2)
	}
	writeFile(t, filepath.Join(dir, "model.safetensors"), fileData(t, w))
}

func writeFile(t *testing.T, path string, data []byte) {
	t.Helper()
	if err := os.WriteFile(path, data, 0o644); err != nil {
		t.Fatal(err)
	}
}

// TestDemo converts the trained demo model. gguf-py made a file of 11,688,928 bytes of it; ours has seven keys more (general.type,
// general.size_label, general.quantization_version, three of general.sampling, tokenizer.ggml.normalizer.nfc), of 278 bytes,
// which with the padding of the header make 288.
func TestDemo(t *testing.T) {
	c := openFolder(t, golden.Shared(t, "models", "demo"), OutF16)
	path := filepath.Join(t.TempDir(), c.FileName)
	if err := c.Write(context.Background(), path, nil); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(path)
	if err != nil || info.Size() != 11688928+288 || c.FileName != "Demo-5.8M-F16.gguf" {
		t.Errorf("%s: %v bytes, %v", c.FileName, info.Size(), err)
	}
	more := 0
	for _, k := range []string{"general.type", "general.size_label", "general.quantization_version", "general.sampling.temp",
		"general.sampling.top_k", "general.sampling.top_p", "tokenizer.ggml.normalizer.nfc"} {
		v, ok := c.Metadata.Get(k)
		if !ok {
			t.Errorf("key %s is missing", k)
		}
		more += 8 + len(k) + 4 + binary.Size(uint32(0))
		if s, isText := v.Str(); isText {
			more += 8 + len(s) - 4
		}
		if _, isBool := v.Bool(); isBool {
			more += 1 - 4
		}
	}
	if more != 278 {
		t.Errorf("the keys beyond gguf-py's take %d bytes", more)
	}
	same := 0
	g := openGGUF(t, path)
	for i := range g.Tensors {
		if x := &g.Tensors[i]; x.Type == quant.F16 { // stored as it was
			src := c.planned[i].parts[0]
			if string(g.Bytes(x)) != string(src.data) {
				t.Errorf("%s differs from %s", x.Name, src.Name)
			}
			same++
		}
	}
	if same != 43 || len(g.Tensors) != 68 {
		t.Errorf("%d of %d tensors are F16", same, len(g.Tensors))
	}
}

// openFolder plans the conversion of a folder that stays open for the test.
func openFolder(t *testing.T, dir string, out OutType) *Conversion {
	t.Helper()
	f, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	c, err := f.Convert(Options{Type: out})
	if err != nil {
		t.Fatal(err)
	}
	return c
}
