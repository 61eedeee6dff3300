package gguf

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/llamakit/llamakit/formats/quant"
	"github.com/llamakit/llamakit/tui/inspect/probe"
)

func TestTokens(t *testing.T) {
	for _, c := range []struct {
		query, want string
	}{
		{"/^ing$/", " id  type    text   in the file\n 315  normal  'ing'  ing\n"},
		{"#4092-4093", " id    type     text            in the file\n 4092  control  '<|im_start|>'  <|im_start|>\n 4093  control  '<|im_end|>'    <|im_end|>\n"},
	} {
		if got := exec(t, "tokens", demo, c.query); squeeze(got.out) != squeeze(c.want) || got.code != 0 {
			t.Errorf("%s: code %d\n%s%s", c.query, got.code, got.out, got.err)
		}
	}
	var list []probe.Token
	if got := exec(t, "tokens", demo, "--json"); json.Unmarshal([]byte(got.out), &list) != nil || len(list) != 4096 || list[4093].Text != "<|im_end|>" {
		t.Errorf("%d tokens; %.200s%s", len(list), got.out, got.err)
	}
	for query, code := range map[string]int{"zzzz": 1, "/(": 2} {
		if got := exec(t, "tokens", demo, query); got.code != code || got.out != "" {
			t.Errorf("%s: %+v", query, got)
		}
	}
}

func TestTypes(t *testing.T) {
	got := exec(t, "types", demo)
	for _, row := range []string{"IQ1_S 1.63 2.37 28% needs --imatrix; requantizes", "Q8_0 5.86 8.52 100%", "F32 22.02 32.00 376% requantizes"} {
		if !strings.Contains(squeeze(got.out), row) {
			t.Errorf("no %q in\n%s%s", row, got.out, got.err)
		}
	}
	var list []probe.Retyped
	if got := exec(t, "types", tiny, "--json"); json.Unmarshal([]byte(got.out), &list) != nil || len(list) != 35 {
		t.Errorf("%s%s", got.out, got.err)
	}
}

// TestScales maps two blocks, of which the second has twice the scale.
func TestScales(t *testing.T) {
	path := store(t, filepath.Join(t.TempDir(), "s.gguf"), nil, tensor{"t", quant.Q8_0, []int{64}, q8(t, append(slice(32, 127), slice(32, 254)...))})
	got := exec(t, "dump", path, "t", "--scales")
	for _, text := range []string{"scales of blocks of 32 values of q8_0", "from 1 to 2", strings.Repeat("░", 39) + strings.Repeat("█", 39) + "\n"} {
		if !strings.Contains(got.out, text) {
			t.Errorf("no %q in\n%s%s", text, got.out, got.err)
		}
	}
	var m scaleMap
	if got := exec(t, "dump", path, "t", "--scales", "--json"); json.Unmarshal([]byte(got.out), &m) != nil || len(m.Mean) != 1 || *m.Mean[0][1] != 2 || !m.Stored {
		t.Errorf("%s%s", got.out, got.err)
	}
	for _, args := range []string{"--stats", "--csv", "--rows 0"} {
		if got := exec(t, append([]string{"dump", path, "t", "--scales"}, strings.Fields(args)...)...); got.code != 2 {
			t.Errorf("%s: %+v", args, got)
		}
	}
}

// TestSalvage shows what there is of a file that was cut, and fails.
func TestSalvage(t *testing.T) {
	data, err := os.ReadFile(demo)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "cut.gguf")
	if err := os.WriteFile(path, data[:60_000], 0o600); err != nil {
		t.Fatal(err)
	}
	if got := exec(t, path, "--salvage"); got.code != 1 || !strings.Contains(got.out, "qwen3.block_count") || !strings.Contains(got.err, "incomplete download") {
		t.Errorf("%+v", got)
	}
	if got := exec(t, path); got.code != 1 || got.out != "" {
		t.Errorf("without --salvage: %+v", got)
	}
	if got, whole := exec(t, demo, "--salvage"), exec(t, demo); got != whole {
		t.Errorf("a whole file: %+v", got)
	}
}

func TestForInspector(t *testing.T) {
	for args, want := range map[string]bool{"": false, "a": true, tiny + " r": false, tiny + " w": false, tiny + " " + demo: true, "dif " + tiny: false, tiny + " a b": false, "hf://o/r/a.gguf b": true} {
		if got := forInspector(strings.Fields(args)); got != want {
			t.Errorf("%q: %t", args, got)
		}
	}
}
