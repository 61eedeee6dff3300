package quant_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/llamakit/llamakit/bench/golden"
	"github.com/llamakit/llamakit/formats/gguf"
	"github.com/llamakit/llamakit/formats/quant"
)

var update = flag.Bool("update", false, "record the peer's answers in testdata/blocks.jsonl (needs the reference llama.cpp)")

const (
	blocksFile = "testdata/blocks.jsonl"
	peerBlocks = 512 // blocks of each type that the peer decodes
	keptBlocks = 2   // of these, blocks that are kept in testdata
)

// recorded is a line of testdata/blocks.jsonl: blocks of one type and the values that llama.cpp decodes from them.
type recorded struct {
	Type   string `json:"type"`
	Blocks []byte `json:"blocks"`
	Values []byte `json:"values"` // float32, little-endian
}

// TestRecordedBlocks compares with the answers in testdata, bit for bit.
func TestRecordedBlocks(t *testing.T) {
	data, err := os.ReadFile(blocksFile)
	if err != nil {
		t.Fatal(err)
	}
	lines := bytes.Split(bytes.TrimSpace(data), []byte("\n"))
	if len(lines) != len(peerTypes()) {
		t.Errorf("%d types are recorded, want %d", len(lines), len(peerTypes()))
	}
	for _, line := range lines {
		var r recorded
		if err := json.Unmarshal(line, &r); err != nil {
			t.Fatal(err)
		}
		typ, err := quant.ParseType(r.Type)
		if err != nil {
			t.Fatal(err)
		}
		compareBits(t, typ, r.Blocks, r.Values)
	}
}

// TestPeerDecodes writes a model of random blocks, has llama-quantize turn it into F32, and compares every value.
func TestPeerDecodes(t *testing.T) {
	run, models := golden.Shared(t, "peer", "run"), golden.Peer(t)
	if os.Geteuid() != 0 {
		t.Skip("the reference llama.cpp runs in a chroot, which needs root")
	}
	folder, err := os.MkdirTemp(models, "quant-test-")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(folder)
	blocks := randomModel(t, filepath.Join(folder, "in.gguf"))

	inside := "/models/" + filepath.Base(folder)
	cmd := exec.Command(run, "llama-quantize", "--allow-requantize", inside+"/in.gguf", inside+"/out.gguf", "F32", "1")
	if output, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, output)
	}
	out := openModel(t, filepath.Join(folder, "out.gguf"))
	var record bytes.Buffer
	for _, typ := range peerTypes() {
		w, ok := out.Tensor(tensorName(typ))
		if !ok || w.Type != quant.F32 {
			t.Fatalf("llama-quantize did not write %s as F32: %+v", tensorName(typ), w)
		}
		compareBits(t, typ, blocks[typ], out.Bytes(w))
		line, err := json.Marshal(recorded{
			Type:   typ.String(),
			Blocks: blocks[typ][:keptBlocks*typ.BlockBytes()],
			Values: out.Bytes(w)[:keptBlocks*typ.BlockSize()*4],
		})
		if err != nil {
			t.Fatal(err)
		}
		record.Write(append(line, '\n'))
	}
	if *update && !t.Failed() {
		if err := os.WriteFile(blocksFile, record.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// peerTypes are the types that llama-quantize can read: all that have a decoder in ggml.
func peerTypes() (types []quant.Type) {
	for _, typ := range quant.Types() {
		switch typ {
		case quant.F32, quant.F64, quant.I8, quant.I16, quant.I32, quant.I64, quant.Q8_1, quant.Q8_K:
		default:
			types = append(types, typ)
		}
	}
	return types
}

func tensorName(typ quant.Type) string { return "blk.0." + typ.String() + ".weight" }

// randomModel writes one tensor of random blocks for each type, as two rows, and returns the blocks.
func randomModel(t *testing.T, path string) map[quant.Type][]byte {
	t.Helper()
	md := gguf.NewMetadata()
	md.Set("general.architecture", gguf.String("llama"))
	for _, key := range []string{"context_length", "embedding_length", "feed_forward_length", "block_count", "attention.head_count"} {
		md.Set("llama."+key, gguf.Uint32(1)) // llama-quantize asks for them
	}
	md.Set("llama.attention.layer_norm_rms_epsilon", gguf.Float32(1e-6))
	md.Set("tokenizer.ggml.model", gguf.String("none"))
	md.Set("llama.vocab_size", gguf.Uint32(1))
	var infos []gguf.TensorInfo
	for _, typ := range peerTypes() {
		shape := []int{peerBlocks / 2 * typ.BlockSize(), 2}
		infos = append(infos, gguf.TensorInfo{Name: tensorName(typ), Type: typ, Shape: shape})
	}
	w, err := gguf.Create(path, md, infos)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Abort()
	rng, blocks := rand.New(rand.NewPCG(11, 12)), map[quant.Type][]byte{}
	for _, typ := range peerTypes() {
		for range peerBlocks {
			blocks[typ] = append(blocks[typ], finiteBlock(rng, typ)...)
		}
		if err := w.WriteTensor(blocks[typ]); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Commit(); err != nil {
		t.Fatal(err)
	}
	return blocks
}

// finiteBlock draws blocks until one has no NaN or infinity, which llama-quantize refuses.
func finiteBlock(rng *rand.Rand, typ quant.Type) []byte {
	block, values := make([]byte, typ.BlockBytes()), make([]float32, typ.BlockSize())
	for {
		for i := range block {
			block[i] = byte(rng.Uint32())
		}
		quant.Decode(typ, values, block)
		finite := true
		for _, v := range values {
			finite = finite && !math.IsNaN(float64(v)) && !math.IsInf(float64(v), 0)
		}
		if finite {
			return block
		}
	}
}

// compareBits decodes blocks and wants exactly the float32 values of want.
func compareBits(t *testing.T, typ quant.Type, blocks, want []byte) {
	t.Helper()
	got, values := make([]float32, len(want)/4), make([]float32, len(want)/4)
	quant.Decode(typ, got, blocks)
	quant.Decode(quant.F32, values, want)
	for i, g := range got {
		if math.Float32bits(g) != math.Float32bits(values[i]) {
			t.Errorf("%s: element %d is %g, llama.cpp has %g", typ, i, g, values[i])
			return
		}
	}
}
