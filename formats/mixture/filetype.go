package mixture

import (
	"strconv"
	"strings"

	"github.com/llamakit/llamakit/formats/quant"
)

// FileType is one choice of the command line: a name, its number in key general.file_type, and the type that most
// matrices get.
type FileType struct {
	Name   string
	Number int
	Base   quant.Type
	About  string
}

// FileTypes are those of llama-quantize v0.7.0, in the order of its help. Several names may have one number.
var FileTypes = []FileType{
	{"Q1_0", 40, quant.Q1_0, "1.125 bits per weight"},
	{"Q2_0", 41, quant.Q2_0, "2.25 bits per weight, groups of 64"},
	{"Q4_0", 2, quant.Q4_0, "4.5 bits per weight, simple blocks"},
	{"Q4_1", 3, quant.Q4_1, "5 bits per weight, blocks with a minimum"},
	{"MXFP4_MOE", 38, quant.MXFP4, "experts MXFP4, the rest Q8_0"},
	{"Q5_0", 8, quant.Q5_0, "5.5 bits per weight, simple blocks"},
	{"Q5_1", 9, quant.Q5_1, "6 bits per weight, blocks with a minimum"},
	{"IQ2_XXS", 19, quant.IQ2_XXS, "2.06 bits per weight; needs --imatrix"},
	{"IQ2_XS", 20, quant.IQ2_XS, "2.31 bits per weight; needs --imatrix"},
	{"IQ2_S", 28, quant.IQ2_XS, "2.5 bits per weight; needs --imatrix"},
	{"IQ2_M", 29, quant.IQ2_S, "2.7 bits per weight; needs --imatrix"},
	{"IQ1_S", 24, quant.IQ1_S, "1.56 bits per weight; needs --imatrix"},
	{"IQ1_M", 31, quant.IQ1_M, "1.75 bits per weight; needs --imatrix"},
	{"TQ1_0", 36, quant.TQ1_0, "1.69 bits per weight, for ternary models"},
	{"TQ2_0", 37, quant.TQ2_0, "2.06 bits per weight, for ternary models"},
	{"Q2_K", 10, quant.Q2_K, "about 3 bits per weight"},
	{"Q2_K_S", 21, quant.Q2_K, "about 2.8 bits per weight; needs --imatrix"},
	{"IQ3_XXS", 23, quant.IQ3_XXS, "3.06 bits per weight; needs --imatrix"},
	{"IQ3_S", 26, quant.IQ3_S, "3.44 bits per weight"},
	{"IQ3_M", 27, quant.IQ3_S, "3.66 bits per weight, mixed"},
	{"Q3_K", 12, quant.Q3_K, "the same as Q3_K_M"},
	{"IQ3_XS", 22, quant.IQ3_S, "3.3 bits per weight; needs --imatrix"},
	{"Q3_K_S", 11, quant.Q3_K, "about 3.4 bits per weight"},
	{"Q3_K_M", 12, quant.Q3_K, "about 3.9 bits per weight"},
	{"Q3_K_L", 13, quant.Q3_K, "about 4.2 bits per weight"},
	{"IQ4_NL", 25, quant.IQ4_NL, "4.5 bits per weight, unequal steps"},
	{"IQ4_XS", 30, quant.IQ4_XS, "4.25 bits per weight, unequal steps"},
	{"Q4_K", 15, quant.Q4_K, "the same as Q4_K_M"},
	{"Q4_K_S", 14, quant.Q4_K, "about 4.6 bits per weight"},
	{"Q4_K_M", 15, quant.Q4_K, "about 4.8 bits per weight; a good first choice"},
	{"Q5_K", 17, quant.Q5_K, "the same as Q5_K_M"},
	{"Q5_K_S", 16, quant.Q5_K, "about 5.5 bits per weight"},
	{"Q5_K_M", 17, quant.Q5_K, "about 5.7 bits per weight"},
	{"Q6_K", 18, quant.Q6_K, "6.6 bits per weight"},
	{"Q8_0", 7, quant.Q8_0, "8.5 bits per weight, nearly lossless"},
	{"F16", 1, quant.F16, "16 bits, half precision"},
	{"BF16", 32, quant.BF16, "16 bits, the range of float32"},
	{"F32", 0, quant.F32, "32 bits"},
	{Copy, 0, quant.F32, "tensors as they are; for new metadata or another split"},
}

// Copy is the name of the type that leaves tensors as they are.
const Copy = "COPY"

// aliases are short names.
var aliases = map[string]string{"Q3_K": "Q3_K_M", "Q4_K": "Q4_K_M", "Q5_K": "Q5_K_M"}

// canonical replaces a short name.
func (t FileType) canonical() FileType {
	if long, ok := aliases[t.Name]; ok {
		t, _ = NamedFileType(long)
	}
	return t
}

// NamedFileType finds a type by its name in any case.
func NamedFileType(text string) (FileType, bool) {
	for _, t := range FileTypes {
		if strings.EqualFold(t.Name, text) {
			return t.canonical(), true
		}
	}
	return FileType{}, false
}

// ParseFileType finds a type by its name, or by its number.
func ParseFileType(text string) (FileType, bool) {
	if t, ok := NamedFileType(text); ok {
		return t, true
	}
	if n, err := strconv.Atoi(text); err == nil {
		for _, t := range FileTypes {
			if t.Number == n {
				return t.canonical(), true
			}
		}
	}
	return FileType{}, false
}
