package quant

import (
	"os"
	"os/exec"
	"regexp"
	"testing"
)

// TestNothingIsFused compiles the package for machines on which Go fuses products with sums, and wants no such
// instruction in the listing: it would round once where ggml rounds twice.
func TestNothingIsFused(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles for other machines")
	}
	fused := regexp.MustCompile(`(?m)^.*\s(V?FN?M(ADD|SUB)\w*)\s.*$`)
	for _, machine := range [][]string{{"GOARCH=amd64", "GOAMD64=v3"}, {"GOARCH=arm64"}} {
		cmd := exec.Command("go", "build", "-gcflags=-S", ".")
		cmd.Env = append(append(os.Environ(), "CGO_ENABLED=0"), machine...)
		listing, err := cmd.CombinedOutput()
		if err != nil {
			t.Skipf("cannot compile for %s: %v", machine, err)
		}
		if len(listing) < 10000 {
			t.Fatalf("%s: the listing has only %d bytes", machine, len(listing))
		}
		if line := fused.Find(listing); line != nil {
			t.Errorf("%s: %s", machine, line)
		}
	}
}
