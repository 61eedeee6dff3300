package kernel

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// What a tier's processors have, in avo's words. MMX+ is its name for PREFETCHT0.
var tierISA = map[string]string{
	"AVX2":   "AVX AVX2 BMI2 F16C FMA3 MMX+ SSE SSE2",
	"AVX512": "AVX AVX2 BMI2 F16C FMA3 MMX+ SSE SSE2 AVX512F AVX512BW AVX512DQ AVX512VL AVX512VBMI AVX512VNNI",
}

// Each integer kernel must use no instruction and no register that its tier's processors lack. Tests on a wider machine
// do not show that, so the assembly is read.
func TestIntKernelsKeepToTheirTier(t *testing.T) {
	files, err := filepath.Glob("int_*_amd64.s")
	if err != nil || len(files) == 0 {
		t.Fatal("no assembly found: ", err)
	}
	requires := regexp.MustCompile(`(?m)^// Requires: (.*)\nTEXT ·(\w+)\(`)
	wide := regexp.MustCompile(`\b([XY](1[6-9]|2\d|3[01])|Z\d+|K[0-7])\b`)
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		found := requires.FindAllStringSubmatchIndex(string(text), -1)
		if len(found) != strings.Count(string(text), "TEXT ·") {
			t.Errorf("%s: %d of %d kernels say what they require", file, len(found), strings.Count(string(text), "TEXT ·"))
		}
		for i, at := range found {
			isa, name := string(text[at[2]:at[3]]), string(text[at[4]:at[5]])
			end := len(text)
			if i+1 < len(found) {
				end = found[i+1][0]
			}
			tier := "AVX512"
			if strings.HasSuffix(name, "AVX2") {
				tier = "AVX2"
				if r := wide.Find(text[at[5]:end]); r != nil {
					t.Errorf("%s: %s uses the register %s", file, name, r)
				}
			}
			for _, set := range strings.Split(isa, ", ") {
				if !strings.Contains(" "+tierISA[tier]+" ", " "+set+" ") {
					t.Errorf("%s: %s uses %s", file, name, set)
				}
			}
		}
	}
}
