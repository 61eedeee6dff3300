package quantize

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"

	"github.com/llamakit/llamakit/formats/gguf"
	"github.com/llamakit/llamakit/formats/mixture"
)

const demo = "../../../../engine/demo/demo.gguf"

// TestForecast compares with the sizes that --dry-run prints.
func TestForecast(t *testing.T) {
	f, err := gguf.Open(demo)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for name, again := range map[string]bool{"Q4_K_M": true, "Q8_0": false} {
		to, _ := mixture.ParseFileType(name)
		got, err := Forecast(f, to)
		if err != nil {
			t.Fatal(err)
		}
		r := dryRun(t, "--allow-requantize", demo, name)
		if got.Type != name || got.Before != r.Before || got.After != r.After || got.BPW != r.BPW || len(got.Tensors) != len(r.Tensors) || got.Again != again {
			t.Errorf("%s: %+v, want %+v", name, got, r)
		}
	}
}

// TestDryRunOnServer plans for a file of which the header alone is read.
func TestDryRunOnServer(t *testing.T) {
	s := httptest.NewServer(http.FileServer(http.Dir(filepath.Dir(demo))))
	defer s.Close()
	local, here := dryRun(t, "--allow-requantize", demo, "Q4_K_M"), dryRun(t, "--allow-requantize", s.URL+"/demo.gguf", "Q4_K_M")
	if local.After != here.After || here.After == 0 {
		t.Errorf("%+v, want %+v", here, local)
	}
	if code, _, stderr := tool("--error", "--allow-requantize", s.URL+"/demo.gguf", "Q4_K_M"); code == 0 || !strings.Contains(stderr, "http") {
		t.Errorf("code %d, %s", code, stderr)
	}
}

// dryRun is the report of --dry-run.
func dryRun(t *testing.T, args ...string) (r report) {
	t.Helper()
	if err := json.Unmarshal([]byte(mustRun(t, append([]string{"--dry-run", "--json"}, args...)...)), &r); err != nil {
		t.Fatal(err)
	}
	return r
}
