package hf

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/llamakit/llamakit/bench/golden"
	"github.com/llamakit/llamakit/formats/gguf"
	"github.com/llamakit/llamakit/formats/quant"
	"github.com/llamakit/llamakit/formats/safetensors"
)

// familyOf is the first family of an architecture.
func familyOf(arch string) *Family {
	for _, f := range families {
		if f.Arch == arch {
			return f
		}
	}
	return nil
}

// TestRoundTripArchs turns llama.cpp's random models of every architecture into checkpoints by the rules read backwards, and
// these back into files, and wants the name, the shape and the bytes of every tensor that the rules know, and no other
// hyper-parameters. With HF_KEEP=DIR the files stay there, so that llama.cpp can run them.
func TestRoundTripArchs(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(filepath.Dir(golden.Peer(t, "archs", "llama-dense.gguf")), "*.gguf"))
	if err != nil || len(files) == 0 {
		t.Fatal("no models", err)
	}
	var models, known, total atomic.Int64
	defer func() {
		t.Logf("%d of %d models, %d of %d tensors", models.Load(), len(files), known.Load(), total.Load())
	}()
	var round sync.Map
	t.Run("archs", func(t *testing.T) {
		for _, path := range files {
			f := openGGUF(t, path)
			v, _ := f.Metadata.Get("general.architecture")
			arch, _ := v.Str()
			family := familyOf(arch)
			if family == nil {
				continue // no class has it
			}
			t.Run(strings.TrimSuffix(filepath.Base(path), ".gguf"), func(t *testing.T) {
				t.Parallel()
				n, all := roundTrip(t, family, f)
				if !t.Failed() {
					round.Store(arch, true)
				}
				known.Add(int64(n))
				total.Add(int64(all))
				models.Add(1)
			})
		}
	})
	var names []string
	round.Range(func(arch, _ any) bool {
		names = append(names, arch.(string)+"\n")
		return true
	})
	slices.Sort(names)
	compareText(t, "checked.txt", strings.Join(names, ""))
}

// unknownToCheckpoints are tensors that checkpoints do not have under any name, or that our files have in another form: scales
// of quantised ones, divisors of rotary angles, heads of rankers.
var unknownToCheckpoints = regexp.MustCompile(`scale$|^rope_|^cls\.`)

// otherForm are those of one architecture.
var otherForm = map[string]*regexp.Regexp{
	"codeshell": regexp.MustCompile(`attn_[qkv]\.`),    // one matrix in checkpoints, and in files
	"qwen3next": regexp.MustCompile(`ssm_in\.weight$`), // older files' attn_qkv and attn_gate together
	"hrm_text":  regexp.MustCompile(`bias$`),           // checkpoints have none
	"spark2_5":  regexp.MustCompile(`attn_[qkv]\.`),
	"refact":    regexp.MustCompile(`ffn_gate_inp|exps`), // there is no such model with experts

	"bailingmoe3":  regexp.MustCompile(`0\.attn_gate|1\.ssm_g_a|ssm_a$`), // layers in an order that config.json cannot tell; a sign that an exponential has not
	"muse-glimmer": regexp.MustCompile(`attn_[qk]_norm`),                 // made of config.json
}

// result is a tensor as it would be written.
type result struct {
	shape []int
	data  []byte
}

// roundTrip compares the tensors that the rules know, and returns their number and that of all.
func roundTrip(t *testing.T, family *Family, want *gguf.File) (known, total int) {
	t.Helper()
	want = apart(t, want)
	config := newConfig("config.json", jsonValues(archConfig(want, family)))
	names := map[string]bool{}
	tensors := backwards(t, family, config, want, func(name string) { names[name] = true })
	for i := range tensors {
		if tensors[i].Name == "model.embed_tokens_per_layer.weight" {
			tensors[i].Name = "model.layers.0.ple.ngram_embedding.shard_0.weight"
		}
	}
	tensors = append(tensors, tensorsOfKeys(family.Arch)...)
	var weights bytes.Buffer
	if err := safetensors.Write(&weights, tensors, nil); err != nil {
		t.Fatal(err)
	}
	checkpoint, err := safetensors.Parse("model.safetensors", weights.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "tokenizer.json"), toJSON(tinyTokenizer(config.Int("vocab_size"))), 0o644); err != nil {
		t.Fatal(err)
	}
	c, err := (&Folder{Path: dir, Config: config, tensors: checkpoint}).Convert(Options{Type: OutF32})
	if err != nil {
		t.Fatal(err)
	}
	compareHparams(t, c.Metadata, want.Metadata)
	if keep := os.Getenv("HF_KEEP"); keep != "" {
		defer keepBoth(t, keep, c, want)
	}
	got := map[string]result{}
	for i := range c.planned {
		var data bytes.Buffer
		for _, part := range c.planned[i].parts {
			part.data = nil // it is not mapped, so its pages must not be given back
		}
		s := &stream{c: c, w: &data, wrote: func(int) error { return nil }}
		if c.planned[i].values != nil {
			continue
		}
		if err := s.tensor(&c.planned[i], quant.F32); err != nil {
			t.Fatal(err)
		}
		got[c.planned[i].name] = result{c.planned[i].shape, data.Bytes()}
	}
	for i := range want.Tensors {
		w := &want.Tensors[i]
		switch g, ok := got[w.Name]; {
		case unknownToCheckpoints.MatchString(w.Name), otherForm[family.Arch] != nil && otherForm[family.Arch].MatchString(w.Name):
			total--
		case !names[w.Name]:
			t.Errorf("no rule gives %s %v", w.Name, w.Shape)
		case !ok:
			t.Errorf("%s is lost", w.Name)
		case fmt.Sprint(trimmed(g.shape)) != fmt.Sprint(trimmed(w.Shape)):
			t.Errorf("%s has shape %v, want %v", w.Name, g.shape, w.Shape)
		case !sameValues(g.data, want.Bytes(w), changed(family, w.Name)):
			t.Errorf("%s has other values", w.Name)
		default:
			known++
		}
	}
	return known, len(want.Tensors) + total
}

// trimmed leaves out dimensions of one at the end, which files may have or not.
func trimmed(shape []int) []int {
	for len(shape) > 1 && shape[len(shape)-1] == 1 {
		shape = shape[:len(shape)-1]
	}
	return shape
}

// changed says whether rules compute with the values of a tensor, so that bits may be lost on the way.
func changed(family *Family, name string) bool {
	name = regexp.MustCompile(`^blk\.\d+\.`).ReplaceAllString(name, "blk.{}.")
	for _, r := range family.Rules {
		if r.at != nil {
			continue
		}
		for _, one := range append([]rule{r}, r.also...) {
			if (one.to == name || strings.HasPrefix(name, one.to+".")) && (one.add != 0 || one.each != nil || one.scale != nil) {
				return true
			}
		}
	}
	return false
}

// tensorsOfKeys are tensors of the checkpoint that are keys of the file.
func tensorsOfKeys(arch string) []safetensors.TensorData {
	integers := func(name string, list ...int) safetensors.TensorData {
		x := safetensors.TensorData{Name: name, DType: safetensors.I64, Shape: []int{len(list)}}
		for _, n := range list {
			x.Data = binary.LittleEndian.AppendUint64(x.Data, uint64(n))
		}
		return x
	}
	switch arch {
	case "talkie":
		return []safetensors.TensorData{{Name: "lm_head_gain.w_g", DType: safetensors.F32, Shape: []int{1}, Data: encoded([]float32{1})}}
	case "qwen4exp":
		const ple = "model.layers.0.ple."
		return []safetensors.TensorData{integers(ple+pleMultipliers, 1, 3, 5), integers(ple+pleOffsets, 0, 128, 256, 384), integers(ple+pleSizes, 128, 128, 128, 128)}
	}
	return nil
}
