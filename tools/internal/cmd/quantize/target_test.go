package quantize

import (
	"encoding/json"
	"fmt"
	"os"
	"testing"

	"github.com/llamakit/llamakit/formats/gguf"
	"github.com/llamakit/llamakit/formats/quant"
)

// TestTarget gives the size of each standard mixture and wants no more bytes and no more error than the mixture has.
func TestTarget(t *testing.T) {
	in := newModel(t, "short")
	matrix := beside(in, "m.gguf")
	writeMatrix(t, matrix, open(t, in))
	for _, args := range [][]string{{in, "IQ2_M", "--imatrix", matrix}, {in, "Q4_1"}, {in, "Q4_K_M"}, {in, "F16"}} {
		standard := describe(t, args...)
		chosen := describe(t, append(args, "--target-bpw", fmt.Sprintf("%.9f", standard.BPW+1e-6))...)
		if chosen.After > standard.After {
			t.Errorf("%q: %d bytes, the mixture has %d", args, chosen.After, standard.After)
		}
		if ours, theirs := damage(chosen), damage(standard); ours > theirs {
			t.Errorf("%q: error %g, the mixture has %g", args, ours, theirs)
		}
	}
}

func describe(t *testing.T, args ...string) *report {
	t.Helper()
	var r report
	if err := json.Unmarshal([]byte(mustRun(t, append([]string{"--dry-run", "--error", "--json"}, args...)...)), &r); err != nil {
		t.Fatal(err)
	}
	return &r
}

// damage sums the squared errors of r, weighted by importance where it is given, over the elements of its tensors.
func damage(r *report) (total float64) {
	for _, l := range r.Tensors {
		n := 1.0
		for _, d := range l.Shape {
			n *= float64(d)
		}
		if e := l.worst(); e >= 0 {
			total += e * e * n
		}
	}
	return total
}

func TestTargetSize(t *testing.T) {
	in := newModel(t, "short")
	out := beside(in, "out.gguf")
	mustRun(t, "--target-size", "500KiB", in, out)
	info, err := os.Stat(out)
	if err != nil {
		t.Fatal(err)
	}
	if info.Size() > 500<<10 || info.Size() < 450<<10 {
		t.Errorf("%d bytes, want just under %d", info.Size(), 500<<10)
	}
	mustFail(t, 1, []string{"no types make a file of 100.00 KiB", "the smallest makes"}, "--target-size", "100k", in, out)
	mustFail(t, 1, []string{"no types come to 0.75 bits per weight"}, "--target-bpw", "0.75", in, out)
	mustFail(t, 2, []string{"cannot be used together"}, "--target-size", "1M", "--target-bpw", "4", in, out)
	mustFail(t, 2, []string{"--pure"}, "--target-size", "1M", "--pure", in, out)
}

// TestTargetKeepsRules: what the user says of single tensors holds, and a number is one of threads.
func TestTargetKeepsRules(t *testing.T) {
	in := newModel(t, "narrow")
	out := beside(in, "out.gguf")
	mustRun(t, "--target-bpw", "6", "--tensor-type", "attn_v=q4_0", "--output-tensor-type", "q8_0", in, out, "2")
	f := open(t, out)
	for name, want := range map[string]quant.Type{"blk.1.attn_v.weight": quant.Q4_0, "output.weight": quant.Q8_0} {
		if w, _ := f.Tensor(name); w.Type != want {
			t.Errorf("%s is %s, want %s", name, w.Type, want)
		}
	}
	if v, _ := f.Metadata.Get("general.file_type"); v != gguf.Uint32(15) {
		t.Errorf("general.file_type is %v", v.Any())
	}
}
