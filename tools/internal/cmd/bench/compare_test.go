package bench

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/llamakit/llamakit/tools/internal/run"
)

// saved writes a file of one test with the given speeds.
func saved(t *testing.T, name string, speeds ...float64) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	data, err := json.Marshal([]any{map[string]any{"n_prompt": 512, "n_gen": 0, "n_depth": 0, "samples_ts": speeds}})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, data, 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestCompare(t *testing.T) {
	old := saved(t, "old.json", 100, 101, 102, 103, 104)
	slow := saved(t, "slow.json", 90, 91, 92, 93, 94)
	noisy := saved(t, "noisy.json", 50, 101, 102, 103, 150)
	for _, c := range []struct {
		code int
		says string
		args []string
	}{
		{run.Done, "-9.80%", []string{old, slow}},
		{run.Failed, "-9.80%", []string{old, slow, "--fail-slower", "5%"}},
		{run.Done, " slower", []string{old, slow, "--fail-slower", "10"}},
		{run.Done, "no difference seen", []string{old, noisy, "--fail-slower=0"}},
		{run.Failed, "slow.json", []string{old, noisy, slow, "--fail-slower", "1%"}},
		{run.Done, "| pp512 |", []string{old, noisy, "--md"}},
		{run.Done, `"verdict": "slower"`, []string{old, slow, "--json"}},
	} {
		code, stdout, stderr := exec(append([]string{"compare"}, c.args...)...)
		if code != c.code || !strings.Contains(stdout, c.says) || (code == run.Failed) != strings.Contains(stderr, "slower by more than") {
			t.Errorf("%q: code %d\n%s%s", c.args, code, stdout, stderr)
		}
	}
	if code, _, stderr := exec("compare", old, "none.json"); code != run.Failed || !strings.Contains(stderr, "none.json") {
		t.Errorf("code %d, %s", code, stderr)
	}
}

// TestCompareOwn: what this program writes can be compared.
func TestCompareOwn(t *testing.T) {
	path := tiny(t, "tiny-llama")
	for _, format := range []string{"json", "jsonl"} {
		_, stdout, _ := exec("-m", path, "-p", "4", "-n", "2", "-r", "4", "-o", format)
		file := filepath.Join(t.TempDir(), "a")
		if err := os.WriteFile(file, []byte(stdout), 0o644); err != nil {
			t.Fatal(err)
		}
		code, text, stderr := exec("compare", file, file)
		if code != run.Done || strings.Count(text, "no difference seen") != 2 || !strings.Contains(text, "geometric mean") {
			t.Errorf("%s: code %d, %s%s", format, code, text, stderr)
		}
	}
}
