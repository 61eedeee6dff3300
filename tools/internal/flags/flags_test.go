package flags

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/llamakit/llamakit/engine/sample"
)

// parse sets flags as the command line would, from words such as name=value, and reads the environment.
func parse(flags []*Flag, words ...string) error {
	for _, w := range words {
		name, value, _ := strings.Cut(w, "=")
		for _, f := range flags {
			if slices.Contains(f.Names(), name) {
				if err := f.Set(name, value); err != nil {
					return err
				}
			}
		}
	}
	for _, f := range flags {
		if err := f.PostParse(); err != nil {
			return err
		}
	}
	return nil
}

func TestValues(t *testing.T) {
	var n int
	var x float32
	var word string
	var list []string
	flags := func() []*Flag {
		n, x, word, list = 5, 0.5, "auto", nil
		return []*Flag{
			New("-n, --predict N", "", Int(&n, -2, 100)), New("--temp N", "", Float(&x, 0, 2)),
			New("-rea, --reasoning on|off|auto", "", OneOf(&word, "on", "off", "auto")), New("-r TEXT", "", Append(&list)),
		}
	}
	for _, c := range []struct{ words, want string }{
		{"", "5 0.5 auto []"},
		{"n=7 predict=010", "10 0.5 auto []"},
		{"n=-1 temp=1e-1 rea=off r=a r=b", "-1 0.1 off [a b]"},
		{"n=x", `-n: "x" is not a whole number`},
		{"predict=101", "--predict: 101 is outside -2 to 100"},
		{"n=99999999999999999999", "-n: 99999999999999999999 is outside -2 to 100"},
		{"temp=nan", `--temp: "nan" is not a finite number`},
		{"temp=3", "--temp: 3 is outside 0 to 2"},
		{"rea=maybe", `-rea: "maybe" is none of on, off, auto`},
		{"n=x temp=y", `-n: "x" is not a whole number`},
	} {
		err := parse(flags(), strings.Fields(c.words)...)
		got := fmt.Sprintf("%d %g %s %v", n, x, word, list)
		if err != nil {
			got = err.Error()
		}
		if got != c.want {
			t.Errorf("%s: %s, want %s", c.words, got, c.want)
		}
	}
}

// TestSwitch: a switch has names that turn it on and names that turn it off; the last one counts.
func TestSwitch(t *testing.T) {
	for _, c := range []struct {
		words     string
		env, noX  string
		from, on  bool
		wrongNess string
	}{
		{words: "kvo", on: true},
		{words: "nkvo", from: true},
		{words: "kvo no-kv-offload", from: true},
		{words: "no-kv-offload kv-offload", on: true},
		{words: "kvo=false", from: true},
		{words: "nkvo=false", on: true},
		{env: "1", on: true},
		{env: "off", from: true},
		{noX: "1", from: true},
		{words: "kvo", env: "0", on: true},
		{env: "perhaps", wrongNess: "LLAMA_ARG_KVO"},
	} {
		if c.env != "" {
			t.Setenv("LLAMA_ARG_KVO", c.env)
		}
		if c.noX != "" {
			t.Setenv("LLAMA_ARG_NO_KVO", c.noX)
		}
		on := c.from
		f := New("-kvo, --kv-offload | -nkvo, --no-kv-offload", "", Switch(&on)).Env("LLAMA_ARG_KVO")
		words := strings.Fields(c.words)
		for i, w := range words {
			if !strings.Contains(w, "=") {
				words[i] += "=true"
			}
		}
		err := parse([]*Flag{f}, words...)
		if c.wrongNess != "" {
			if err == nil || !strings.Contains(err.Error(), c.wrongNess) {
				t.Errorf("%+v: error %v", c, err)
			}
		} else if err != nil || on != c.on {
			t.Errorf("%+v: %t, %v", c, on, err)
		}
		t.Setenv("LLAMA_ARG_KVO", "")
		if c.noX != "" {
			break // the variable cannot be unset again
		}
	}
}

func TestSynopsis(t *testing.T) {
	var on bool
	f := New("-kvo, --kv-offload | -nkvo, --no-kv-offload", "", Switch(&on))
	if got := f.Synopsis(); got != "-kvo, --kv-offload, -nkvo, --no-kv-offload" || f.Dashed("nkvo") != "-nkvo" || f.Dashed("kv-offload") != "--kv-offload" {
		t.Errorf("synopsis %q", got)
	}
	if f.TakesValue() || !New("-n, --predict N", "", Text(new(string))).TakesValue() {
		t.Error("a switch takes a value, or a number does not")
	}
}

func TestUnescape(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"plain", "plain"}, {`a\nb\t\"q\" \\n`, "a\nb\t\"q\" \\n"}, {`\x41\x4`, `A\x4`}, {`\d \`, `\d \`}, {`\xzz`, `\xzz`}, {"日\\n", "日\n"},
	} {
		if got := Unescape(c.in); got != c.want {
			t.Errorf("Unescape(%q) = %q, want %q", c.in, got, c.want)
		}
	}
}

func TestSampling(t *testing.T) {
	var s Sampling
	var flags []*Flag
	for _, f := range s.SamplingFlags() {
		flags = append(flags, f.(*Flag))
	}
	base := sample.DefaultParams()
	base.TopK = 7 // a model's own recommendation
	err := parse(flags, "temp=0.3", "seed=4294967295", "logit-bias=5+1.5", "l=5-inf", "l=6-2", `dry-sequence-breaker=\n`, "dry-sequence-breaker=x",
		"samplers=top_k;temperature", "presence-penalty=-1")
	if err != nil {
		t.Fatal(err)
	}
	p := s.Params(base)
	if p.Temperature != 0.3 || p.TopK != 7 || p.Seed != -1 || p.PresencePenalty != -1 || !slices.Equal(p.Samplers, []string{"top_k", "temperature"}) {
		t.Errorf("%+v", p)
	}
	if !slices.Equal(p.DryBreakers, []string{"\n", "x"}) || len(p.LogitBias) != 2 || p.LogitBias[6] != -2 || p.LogitBias[5] > -1e30 {
		t.Errorf("breakers %q, bias %v", p.DryBreakers, p.LogitBias)
	}
	for _, wrong := range []string{"samplers=bogus", "sampler-seq=#", "l=5", "l=x+1", "l=5+x", "seed=-2", "top-p=1.5", "dry-allowed-length=-5"} {
		if err := parse(flags[:], wrong); err == nil {
			t.Errorf("%s is accepted", wrong)
		}
		for _, f := range flags {
			f.err = nil
		}
	}
}

// TestAcceptedNames: no two flags of the shared groups have a name in common.
func TestAcceptedNames(t *testing.T) {
	var m Model
	var s Sampling
	seen := map[string]bool{}
	for _, f := range append(m.ModelFlags(), s.SamplingFlags()...) {
		for _, name := range f.Names() {
			if seen[name] {
				t.Errorf("two flags are called %s", name)
			}
			seen[name] = true
		}
	}
	for _, name := range []string{"ngl", "n-gpu-layers", "fa", "nkvo", "no-warmup", "ub", "lm", "numa", "cpu-moe"} {
		if !seen[name] {
			t.Errorf("%s is not accepted", name)
		}
	}
}

func TestReadAllIsBounded(t *testing.T) {
	if _, err := ReadAll("input", &endless{}); err == nil || !strings.Contains(err.Error(), "64 MiB") {
		t.Errorf("error %v", err)
	}
}

type endless struct{}

func (*endless) Read(p []byte) (int, error) { return len(p), nil }
