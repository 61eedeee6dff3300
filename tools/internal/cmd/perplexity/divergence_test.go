package perplexity

import (
	"encoding/binary"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestDivergenceFromItself: the base has logits of 16 bits, of which the greatest two may be one.
func TestDivergenceFromItself(t *testing.T) {
	m, base := model(t), filepath.Join(t.TempDir(), "base.kld")
	if got := exec(t.Context(), "-m", m, "-f", text, "-c", "128", "--chunks", "4", "--kl-divergence-base", base); got.code != 0 {
		t.Fatal(got.err)
	}
	got := exec(t.Context(), "-m", m, "-f", text, "--kl-divergence", "--kl-divergence-base", base)
	if got.code != 0 || !regexp.MustCompile(`Same top p: (100|99\.[5-9])`).MatchString(got.out) ||
		!regexp.MustCompile(`(?m)^Mean    KLD: +-?0\.0000[0-2]`).MatchString(got.out) {
		t.Errorf("code %d: %s%s", got.code, got.out, got.err)
	}
	got = exec(t.Context(), "-m", m, "--chunks", "2", "--kl-divergence", "--kl-divergence-base", base, "--json")
	var s statistics
	if err := json.Unmarshal([]byte(got.out), &s); err != nil || s.Done != 2 || s.Scored != 126 || s.SameTop.Value < 0.99 || s.PPL.Value < 1 {
		t.Errorf("%+v (%v)", s, err)
	}

	whole, err := os.ReadFile(base)
	if err != nil {
		t.Fatal(err)
	}
	torn := filepath.Join(t.TempDir(), "torn.kld")
	if err := os.WriteFile(torn, whole[:len(whole)-100], 0o644); err != nil {
		t.Fatal(err)
	}
	foreign := filepath.Join(t.TempDir(), "foreign.kld")
	binary.LittleEndian.PutUint32(whole[12:], 4095)
	if err := os.WriteFile(foreign, whole, 0o644); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		base  string
		args  []string
		wrong string
	}{
		{torn, nil, "3 of 4 chunks are whole"},
		{torn, []string{"--chunks", "3"}, ""},
		{foreign, nil, "vocabulary of 4095 tokens, that of"},
		{base, []string{"-c", "64"}, "context of 128 tokens, not the 64 of -c"},
		{base, []string{"-p", strings.Repeat("Once there was a hare. ", 99)}, "was not made of the prompt"},
		{m, nil, "does not begin with"},
		{filepath.Join(t.TempDir(), "none"), nil, "no such file"},
	} {
		got := exec(t.Context(), append([]string{"-m", m, "--kl-divergence", "--kl-divergence-base", c.base}, c.args...)...)
		if c.wrong == "" && got.code != 0 || c.wrong != "" && (got.code != 1 || !strings.Contains(got.err, c.wrong)) {
			t.Errorf("%v: code %d, %q, want %q", c.args, got.code, got.err, c.wrong)
		}
	}
}

func TestCompare(t *testing.T) {
	a, b := model(t), model(t)
	got := exec(t.Context(), "--compare", a, b, "-f", text, "-c", "128", "--chunks", "3", "--json")
	var r struct {
		Done   int `json:"chunks_done"`
		Models []comparedRow
	}
	if err := json.Unmarshal([]byte(got.out), &r); err != nil || r.Done != 3 || len(r.Models) != 2 {
		t.Fatalf("%+v (%v) %s", r, err, got.err)
	}
	if x, y := r.Models[0], r.Models[1]; x.PPL != y.PPL || x.KLD != nil || y.SameTop.Value < 0.99 || math.Abs(y.KLD.Value) > 1e-4 || y.Difference.Value != 0 || x.BPW < 8 {
		t.Errorf("%+v %+v", x, y)
	}
	for flag, want := range map[string]string{"--csv": "model,bytes,bpw,ppl", "--md": "| model", "--chunks=2": "2 chunks of 128 tokens"} {
		if got := exec(t.Context(), "--compare", "-m", a, b, "-f", text, "-c", "128", flag); !strings.Contains(got.out, want) || got.code != 0 {
			t.Errorf("%s: code %d, %s%s", flag, got.code, got.out, got.err)
		}
	}
}
