package quantize

import (
	"encoding/json"
	"path/filepath"
	"testing"

	"github.com/llamakit/llamakit/engine"
	"github.com/llamakit/llamakit/formats/gguf"
)

// TestMemoryOfDryRun compares what a dry run says with a plan of the file that is written then.
func TestMemoryOfDryRun(t *testing.T) {
	in := newModel(t, "")
	out := filepath.Join(t.TempDir(), "out.gguf")
	var r report
	if err := json.Unmarshal([]byte(mustRun(t, "--dry-run", "--json", "-c", "256", "--prune-layers", "1", in, "Q8_0")), &r); err != nil {
		t.Fatal(err)
	}
	mustRun(t, "--prune-layers", "1", in, out, "Q8_0")
	f, err := gguf.Open(out)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	p, err := engine.NewPlan(f, engine.Options{Context: 256})
	if err != nil {
		t.Fatal(err)
	}
	if r.Context != 256 || r.KV != p.Memory.Cache || r.Compute != p.Memory.Compute || r.Weights != p.Weights || r.Memory != p.Total() || r.KV == 0 {
		t.Errorf("%d + %d + %d = %d bytes, want %d + %+v", r.Weights, r.KV, r.Compute, r.Memory, p.Weights, p.Memory)
	}
}

// TestMemoryIsNotKnown: what cannot be loaded has no memory, and the dry run goes on.
func TestMemoryIsNotKnown(t *testing.T) {
	code, stdout, stderr := tool("--dry-run", "--json", "-c", "256", foreign(t), "Q8_0")
	var r report
	if err := json.Unmarshal([]byte(stdout), &r); err != nil || code != 0 || r.Memory != 0 || len(r.Notes) != 1 {
		t.Errorf("code %d, %v, %+v, %s", code, err, r, stderr)
	}
}

// foreign writes a model of an architecture that cannot be loaded.
func foreign(t *testing.T) string {
	t.Helper()
	f, err := gguf.Open(newModel(t, ""))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	md := f.Metadata.Clone()
	md.Set("general.architecture", gguf.String("none-such"))
	var infos []gguf.TensorInfo
	for i := range f.Tensors {
		infos = append(infos, f.Tensors[i].Info())
	}
	path := filepath.Join(t.TempDir(), "foreign.gguf")
	w, err := gguf.Create(path, md, infos)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Abort()
	for i := range f.Tensors {
		if err := w.WriteTensor(f.Bytes(&f.Tensors[i])); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Commit(); err != nil {
		t.Fatal(err)
	}
	return path
}
