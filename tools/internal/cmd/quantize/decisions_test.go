package quantize

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"flag"
	"fmt"
	"hash/fnv"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/llamakit/llamakit/bench/golden"
	"github.com/llamakit/llamakit/bench/model"
	"github.com/llamakit/llamakit/formats/gguf"
	"github.com/llamakit/llamakit/formats/imatrix"
	"github.com/llamakit/llamakit/formats/mixture"
	"github.com/llamakit/llamakit/formats/quant"
)

var update = flag.Bool("update", false, "record the peer's decisions in testdata (needs the reference llama.cpp)")

const (
	decisionsFile     = "testdata/decisions.txt"
	architecturesFile = "testdata/architectures.txt"
)

// decided are the models whose types are recorded: dense with 9 layers, tied with four heads sharing keys and values,
// a mixture of 8 experts, and rows that no superblock fits.
var decided = map[string]model.Shape{
	"dense":  {Arch: "llama", Layers: 9, Embd: 256, FF: 512, Heads: 4, HeadsKV: 2, HeadDim: 64, Vocab: 64, Context: 64, RopeBase: 1e4},
	"tied":   {Arch: "qwen3", Layers: 8, Embd: 256, FF: 256, Heads: 8, HeadsKV: 2, HeadDim: 32, Vocab: 64, Context: 64, Tied: true, RopeBase: 1e4},
	"moe":    {Arch: "qwen3moe", Layers: 3, Embd: 256, FF: 256, Heads: 4, HeadsKV: 2, HeadDim: 64, Vocab: 64, Context: 64, Experts: 8, ExpertsUsed: 2, ExpertFF: 256, RopeBase: 1e4},
	"narrow": {Arch: "llama", Layers: 2, Embd: 64, FF: 96, Heads: 4, HeadsKV: 2, HeadDim: 16, Vocab: 64, Context: 64, RopeBase: 1e4},
}

// short is one layer, for what takes long.
var short = model.Shape{Arch: "llama", Layers: 1, Embd: 256, FF: 512, Heads: 4, HeadsKV: 2, HeadDim: 64, Vocab: 256, Context: 64, RopeBase: 1e4}

// code is a type as a character, so that a file's types make one word: "0" is type 0, "A" is type 17.
func code(t quant.Type) string { return string(rune('0' + t)) }

// TestDecisions compares the type of every tensor with what llama-quantize v0.7.0 --dry-run chose, recorded.
func TestDecisions(t *testing.T) {
	f, err := os.Open(decisionsFile)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	plans := map[string]*gguf.File{}
	lines := 0
	for s := bufio.NewScanner(f); s.Scan(); lines++ {
		var name, typ, want string
		if _, err := fmt.Sscan(s.Text(), &name, &typ, &want); err != nil {
			t.Fatalf("%q: %v", s.Text(), err)
		}
		if plans[name] == nil {
			plans[name] = writeModel(t, filepath.Join(t.TempDir(), "m.gguf"), decided[name])
		}
		if got := decisions(plans[name], typ); got != want {
			t.Errorf("%s %s:\n%s, want\n%s", name, typ, got, want)
		}
	}
	if lines != len(decided)*len(mixture.FileTypes) {
		t.Errorf("%d lines are recorded, want %d", lines, len(decided)*len(mixture.FileTypes))
	}
}

// decisions are the types of a plan as one word.
func decisions(m *gguf.File, typ string) string {
	file, _ := mixture.ParseFileType(typ)
	p, err := makePlan(m, nil, &settings{file: file})
	if err != nil {
		return "refused"
	}
	var b strings.Builder
	for i := range p.tensors {
		b.WriteString(code(p.tensors[i].to))
	}
	return b.String()
}

func writeModel(t *testing.T, path string, s model.Shape) *gguf.File {
	t.Helper()
	if err := model.Write(path, s, quant.F16, 1); err != nil {
		t.Fatal(err)
	}
	return open(t, path)
}

func open(t *testing.T, path string) *gguf.File {
	t.Helper()
	f, err := gguf.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f
}

// TestPeerDecisions asks llama-quantize itself: a few times, or with -update for all, to record them.
func TestPeerDecisions(t *testing.T) {
	peer := newPeer(t)
	var record bytes.Buffer
	for i, name := range []string{"dense", "tied", "moe", "narrow"} {
		m := writeModel(t, filepath.Join(peer.folder, name+".gguf"), decided[name])
		for k, typ := range mixture.FileTypes {
			if !*update && k%8 != i {
				continue
			}
			want := peer.decisions(t, peer.inside(name+".gguf"), typ.Name)
			if got := decisions(m, typ.Name); got != want {
				t.Errorf("%s %s:\n%s, want\n%s", name, typ.Name, got, want)
			}
			fmt.Fprintln(&record, name, typ.Name, want)
		}
	}
	keep(t, decisionsFile, record.Bytes())
}

// keep writes a record with -update, if nothing was wrong.
func keep(t *testing.T, path string, record []byte) {
	t.Helper()
	if *update && !t.Failed() {
		if err := os.WriteFile(path, record, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// TestArchitectures compares with what llama-quantize chose for its random models of all architectures, recorded as a
// line an architecture, a digest a file type.
func TestArchitectures(t *testing.T) {
	archs := golden.Peer(t, "archs")
	data, err := os.ReadFile(architecturesFile)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(data)), "\n")
	for _, line := range lines {
		words := strings.Fields(line)
		m := open(t, filepath.Join(archs, words[0]))
		for i, typ := range mixture.FileTypes {
			if got := digest(decisions(m, typ.Name)); got != words[1+i] {
				t.Errorf("%s %s: not the types that llama-quantize chose", words[0], typ.Name)
			}
		}
	}
	if len(lines) < 131 {
		t.Errorf("only %d architectures", len(lines))
	}
}

func digest(decisions string) string {
	h := fnv.New32a()
	h.Write([]byte(decisions))
	return fmt.Sprintf("%08x", h.Sum32())
}

// TestPeerArchitectures asks llama-quantize itself: for every tenth architecture, or with -update for all and all file
// types, to record them.
func TestPeerArchitectures(t *testing.T) {
	peer, archs := newPeer(t), golden.Peer(t, "archs")
	files, _ := filepath.Glob(filepath.Join(archs, "*.gguf"))
	var record bytes.Buffer
	for i, path := range files {
		name, m := filepath.Base(path), open(t, path)
		record.WriteString(name)
		for k, typ := range mixture.FileTypes {
			if !*update && (i%10 != 0 || k != i%len(mixture.FileTypes)) {
				continue
			}
			got, want := decisions(m, typ.Name), peer.decisions(t, "/models/archs/"+name, typ.Name)
			if got != want {
				t.Errorf("%s %s:\n%s, want\n%s", name, typ.Name, got, want)
			}
			record.WriteString(" " + digest(want))
		}
		record.WriteString("\n")
	}
	keep(t, architecturesFile, record.Bytes())
}

// peer runs llama-quantize, which sees its model folder as /models.
type peer struct{ run, folder string }

func newPeer(t *testing.T) *peer {
	t.Helper()
	if testing.Short() {
		t.Skip("runs llama-quantize many times")
	}
	p := &peer{run: golden.Shared(t, "peer", "run")}
	models := golden.Peer(t)
	if os.Geteuid() != 0 {
		t.Skip("the reference llama.cpp runs in a chroot, which needs root")
	}
	folder, err := os.MkdirTemp(models, "quantize-test-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(folder) })
	p.folder = folder
	return p
}

func (p *peer) inside(name string) string { return "/models/" + filepath.Base(p.folder) + "/" + name }

var peerLine = regexp.MustCompile(`(?m)^\[ *\d+/ *\d+\] (\S+) .*type = +(\S+), size =.*?(?:\((\S+)\))?$`)

// decisions are the types that --dry-run prints for a model, whose path is as the peer sees it.
func (p *peer) decisions(t *testing.T, model, typ string) string {
	t.Helper()
	out, err := exec.Command(p.run, "llama-quantize", "--dry-run", model, typ).CombinedOutput()
	if err != nil {
		return "refused"
	}
	var b strings.Builder
	for _, m := range peerLine.FindAllSubmatch(out, -1) {
		word := string(m[3])
		if word == "" {
			word = string(m[2])
		}
		to, err := quant.ParseType(word)
		if err != nil {
			t.Fatal(err)
		}
		b.WriteString(code(to))
	}
	return b.String()
}

// TestPeerLoads makes a file that has a tensor of each type, with a matrix, and has llama-quantize turn it into F32 again:
// it must come to the values that this program reads.
func TestPeerLoads(t *testing.T) {
	peer := newPeer(t)
	m := writeModel(t, filepath.Join(peer.folder, "in.gguf"), decided["dense"])
	writeMatrix(t, filepath.Join(peer.folder, "m.gguf"), m)
	args := []string{"--imatrix", filepath.Join(peer.folder, "m.gguf")}
	for i, typ := range append(targetTypes, quant.F32) {
		part := []string{"attn_k", "attn_output", "ffn_down", "ffn_up"}[i%4]
		args = append(args, "--tensor-type", fmt.Sprintf("blk.%d.%s=%s", i/4, part, typ))
	}
	out := filepath.Join(peer.folder, "out.gguf")
	mustRun(t, append(args, filepath.Join(peer.folder, "in.gguf"), out, "Q4_0")...)
	text, err := exec.Command(peer.run, "llama-quantize", "--allow-requantize", peer.inside("out.gguf"), peer.inside("back.gguf"), "F32", "1").CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	ours := open(t, out)
	var types []quant.Type
	for i := range ours.Tensors {
		types = append(types, ours.Tensors[i].Type)
	}
	for _, typ := range targetTypes {
		if !slices.Contains(types, typ) {
			t.Errorf("no tensor is %s", typ)
		}
	}
	sameValues(t, "back", ours, open(t, filepath.Join(peer.folder, "back.gguf")))
}

func sameValues(t *testing.T, what string, a, b *gguf.File) {
	t.Helper()
	for i := range a.Tensors {
		w, ok := b.Tensor(a.Tensors[i].Name)
		if !ok {
			t.Errorf("%s: %s is missing", what, a.Tensors[i].Name)
			continue
		}
		x, y := values(a, &a.Tensors[i]), values(b, w)
		for k := range x {
			if x[k] != y[k] {
				t.Errorf("%s: %s: element %d is %g here, %g there", what, w.Name, k, x[k], y[k])
				break
			}
		}
	}
}

func values(f *gguf.File, w *gguf.Tensor) []float32 {
	x := make([]float32, w.Elements())
	quant.Decode(w.Type, x, f.Bytes(w))
	return x
}

// writeMatrix writes an importance matrix for all matrices of a model, with a count for every expert.
func writeMatrix(t *testing.T, path string, m *gguf.File) {
	t.Helper()
	matrix := imatrix.New()
	matrix.Datasets, matrix.Chunks, matrix.ChunkSize = []string{"text"}, 4, 512
	for i := range m.Tensors {
		w := &m.Tensors[i]
		if len(w.Shape) < 2 {
			continue
		}
		e := &imatrix.Entry{Squares: make([]float32, w.Dim(0)*w.Dim(2)), Counts: make([]float32, w.Dim(2))}
		for k := range e.Squares {
			e.Squares[k] = float32(1+k%13) * 10
		}
		for k := range e.Counts {
			e.Counts[k] = float32(10 * k) // the first expert met nothing
		}
		if w.Dim(2) == 1 {
			e.Counts[0] = 100
		}
		matrix.Entries[w.Name] = e
	}
	if err := matrix.Save(path); err != nil {
		t.Fatal(err)
	}
}

// readCSV parses what --csv prints, by column.
func readCSV(t *testing.T, text string) []map[string]string {
	t.Helper()
	rows, err := csv.NewReader(strings.NewReader(text)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	var out []map[string]string
	for _, row := range rows[1:] {
		m := map[string]string{}
		for i, name := range rows[0] {
			m[name] = row[i]
		}
		out = append(out, m)
	}
	return out
}
