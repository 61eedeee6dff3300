package bench

import (
	"fmt"
	"math"
	"strings"

	"github.com/llamakit/llamakit/engine"
	"github.com/llamakit/llamakit/formats/gguf"
)

// fileTypeNames are what llama.cpp calls the numbers of general.file_type.
var fileTypeNames = map[int64]string{
	0: "all F32", 1: "F16", 2: "Q4_0", 3: "Q4_1", 7: "Q8_0", 8: "Q5_0", 9: "Q5_1", 10: "Q2_K - Medium", 11: "Q3_K - Small",
	12: "Q3_K - Medium", 13: "Q3_K - Large", 14: "Q4_K - Small", 15: "Q4_K - Medium", 16: "Q5_K - Small", 17: "Q5_K - Medium", 18: "Q6_K",
	19: "IQ2_XXS - 2.0625 bpw", 20: "IQ2_XS - 2.3125 bpw", 21: "Q2_K - Small", 22: "IQ3_XS - 3.3 bpw", 23: "IQ3_XXS - 3.0625 bpw",
	24: "IQ1_S - 1.5625 bpw", 25: "IQ4_NL - 4.5 bpw", 26: "IQ3_S - 3.4375 bpw", 27: "IQ3_S mix - 3.66 bpw", 28: "IQ2_S - 2.5 bpw",
	29: "IQ2_M - 2.7 bpw", 30: "IQ4_XS - 4.25 bpw", 31: "IQ1_M - 1.75 bpw", 32: "BF16", 36: "TQ1_0 - 1.69 bpw ternary",
	37: "TQ2_0 - 2.06 bpw ternary", 38: "MXFP4 MoE",
}

// describe names a model as llama.cpp does: architecture, size, type of the file. The size goes by the number of parameters, where
// llama.cpp has a table of layers.
func describe(i engine.Info, md *gguf.Metadata) string {
	return gguf.Printable(strings.Join([]string{i.Architecture, parametersText(i.Parameters), fileTypeText(i, md)}, " "))
}

func parametersText(n int64) string {
	switch {
	case n >= 1e12:
		return short(float64(n)/1e12) + "T"
	case n >= 1e8:
		return short(float64(n)/1e9) + "B"
	}
	return short(float64(n)/1e6) + "M"
}

// short has a decimal place below 10, if it is not 0.
func short(x float64) string {
	if x >= 9.95 || math.Abs(x-math.Round(x)) < 0.05 {
		return fmt.Sprintf("%.0f", x)
	}
	return fmt.Sprintf("%.1f", x)
}

func fileTypeText(i engine.Info, md *gguf.Metadata) string {
	if v, ok := md.Get("general.file_type"); ok {
		if n, ok := v.Int(); ok && fileTypeNames[n] != "" {
			return fileTypeNames[n]
		}
	}
	return strings.ToUpper(i.Type.String())
}
