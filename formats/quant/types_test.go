package quant

import (
	"math"
	"strings"
	"testing"
)

// typeTable is what ggml v0.27.0 says of its types: ggml_type_name, ggml_blck_size and ggml_type_size.
var typeTable = []struct {
	t            Type
	number       uint32
	name         string
	block, bytes int
}{
	{F32, 0, "f32", 1, 4}, {F16, 1, "f16", 1, 2}, {Q4_0, 2, "q4_0", 32, 18}, {Q4_1, 3, "q4_1", 32, 20},
	{Q5_0, 6, "q5_0", 32, 22}, {Q5_1, 7, "q5_1", 32, 24}, {Q8_0, 8, "q8_0", 32, 34}, {Q8_1, 9, "q8_1", 32, 36},
	{Q2_K, 10, "q2_K", 256, 84}, {Q3_K, 11, "q3_K", 256, 110}, {Q4_K, 12, "q4_K", 256, 144},
	{Q5_K, 13, "q5_K", 256, 176}, {Q6_K, 14, "q6_K", 256, 210}, {Q8_K, 15, "q8_K", 256, 292},
	{IQ2_XXS, 16, "iq2_xxs", 256, 66}, {IQ2_XS, 17, "iq2_xs", 256, 74}, {IQ3_XXS, 18, "iq3_xxs", 256, 98},
	{IQ1_S, 19, "iq1_s", 256, 50}, {IQ4_NL, 20, "iq4_nl", 32, 18}, {IQ3_S, 21, "iq3_s", 256, 110},
	{IQ2_S, 22, "iq2_s", 256, 82}, {IQ4_XS, 23, "iq4_xs", 256, 136}, {I8, 24, "i8", 1, 1}, {I16, 25, "i16", 1, 2},
	{I32, 26, "i32", 1, 4}, {I64, 27, "i64", 1, 8}, {F64, 28, "f64", 1, 8}, {IQ1_M, 29, "iq1_m", 256, 56},
	{BF16, 30, "bf16", 1, 2}, {TQ1_0, 34, "tq1_0", 256, 54}, {TQ2_0, 35, "tq2_0", 256, 66},
	{MXFP4, 39, "mxfp4", 32, 17}, {NVFP4, 40, "nvfp4", 64, 36}, {Q1_0, 41, "q1_0", 128, 18}, {Q2_0, 42, "q2_0", 64, 18},
}

func TestTypes(t *testing.T) {
	for i, row := range typeTable {
		if uint32(row.t) != row.number || !row.t.Valid() || row.t.Removed() {
			t.Errorf("%s: number %d, valid %v, removed %v", row.name, row.t, row.t.Valid(), row.t.Removed())
		}
		if row.t.String() != row.name || row.t.BlockSize() != row.block || row.t.BlockBytes() != row.bytes {
			t.Errorf("%s: %s, %d elements in %d bytes", row.name, row.t, row.t.BlockSize(), row.t.BlockBytes())
		}
		if got, want := row.t.RowBytes(3*row.block), 3*row.bytes; got != want || row.t.RowBytes(0) != 0 {
			t.Errorf("%s: three blocks take %d bytes, want %d", row.name, got, want)
		}
		if all := Types(); len(all) != len(typeTable) || all[i] != row.t {
			t.Errorf("Types()[%d] = %s, want %s", i, all[i], row.t)
		}
	}
}

func TestTypeNumbersNotInUse(t *testing.T) {
	gone := map[Type]string{4: "q4_2", 5: "q4_3", 31: "q4_0_4_4", 32: "q4_0_4_8", 33: "q4_0_8_8",
		36: "iq4_nl_4_4", 37: "iq4_nl_4_8", 38: "iq4_nl_8_8"}
	for n := range Type(100) {
		if n < 43 && gone[n] == "" {
			continue
		}
		if n.Valid() || n.Removed() != (gone[n] != "") || n.CanEncode() {
			t.Errorf("%d: valid %v, removed %v", uint32(n), n.Valid(), n.Removed())
		}
		if gone[n] != "" && n.String() != gone[n] {
			t.Errorf("%d is called %s, want %s", uint32(n), n, gone[n])
		}
		mustPanic(t, "is not a type", func() { n.BlockSize() })
	}
	if big := Type(1<<32 - 1); big.Valid() || big.String() != "type(4294967295)" {
		t.Errorf("the largest number is %s, valid %v", big, big.Valid())
	}
}

func TestParseType(t *testing.T) {
	for _, row := range typeTable {
		for _, name := range []string{row.name, strings.ToUpper(row.name), strings.ToLower(row.name)} {
			if got, err := ParseType(name); err != nil || got != row.t {
				t.Errorf("ParseType(%q) = %s, %v", name, got, err)
			}
		}
	}
	for name, want := range map[string]string{
		"":         `"" is not a tensor type`,
		"q4":       `"q4" is not a tensor type`,
		"q4_K_M":   "is not a tensor type",
		"q4_0_4_4": "was removed",
		"type(99)": "is not a tensor type",
	} {
		if _, err := ParseType(name); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("ParseType(%q): error %v, want %q", name, err, want)
		}
	}
}

func TestRowBytesRefusesPartialBlocks(t *testing.T) {
	mustPanic(t, "33 elements of q8_0 are not whole blocks of 32", func() { Q8_0.RowBytes(33) })
	mustPanic(t, "-32 elements", func() { Q8_0.RowBytes(-32) })
	mustPanic(t, "overflow an int", func() { F64.RowBytes(math.MaxInt / 4) })
}

// mustPanic runs f and wants a panic whose text contains want.
func mustPanic(t *testing.T, want string, f func()) {
	t.Helper()
	defer func() {
		t.Helper()
		if text, ok := recover().(string); !ok || !strings.Contains(text, want) {
			t.Errorf("panic %q, want %q", text, want)
		}
	}()
	f()
}
