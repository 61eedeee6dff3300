package gguf

import (
	"encoding/binary"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/llamakit/llamakit/formats/gguf"
	"github.com/llamakit/llamakit/formats/quant"
	"github.com/llamakit/llamakit/tui/inspect/probe"
)

// ramp is a file with a tensor of 2 x 3 x 2 values, 0 to 11, and an empty one.
func ramp(t testing.TB) string {
	values := make([]float32, 12)
	for i := range values {
		values[i] = float32(i)
	}
	return store(t, filepath.Join(t.TempDir(), "m.gguf"), []any{"general.architecture", gguf.String("x")},
		tensor{"t", quant.F32, []int{2, 3, 2}, floats(values...)}, tensor{"empty", quant.F32, []int{0, 2}, nil},
		tensor{"wide", quant.F32, []int{40}, nil}, tensor{"odd", quant.F32, []int{2}, floats(float32(nan()), 1)})
}

func TestDump(t *testing.T) {
	path := ramp(t)
	for _, c := range []struct{ args, want string }{
		{"t", " t: 2x3x2 of f32\n\n row   0   1\n   0   0   1\n   1   2   3\n   2   4   5\n   3   6   7\n   4   8   9\n   5  10  11\n"},
		{"t --rows 5", " t: 2x3x2 of f32\n\n row   0   1\n   5  10  11\n"},
		{"t --csv", "0,1\n2,3\n4,5\n6,7\n8,9\n10,11\n"},
		{"t --csv --rows 2:4", "4,5\n6,7\n"},
		{"t --csv --rows :1", "0,1\n"},
		{"t --csv --rows 5:99", "10,11\n"},
		{"t --json --rows 4:", "{\"tensor\": \"t\", \"type\": \"f32\", \"shape\": [2,3,2], \"from\": 4, \"values\": [\n[8, 9],\n[10, 11]\n]}\n"},
		{"odd --json", "{\"tensor\": \"odd\", \"type\": \"f32\", \"shape\": [2], \"from\": 0, \"values\": [\n[null, 1]\n]}\n"},
		{"empty --csv", ""},
		{"empty --json", "{\"tensor\": \"empty\", \"type\": \"f32\", \"shape\": [0,2], \"from\": 0, \"values\": [\n]}\n"},
		{"wide", " wide: 40 of f32\n\n row  0  1  2  3  4  5  …  39\n   0  0  0  0  0  0  0  …   0\n"},
	} {
		if got := exec(t, append([]string{"dump", path}, strings.Fields(c.args)...)...); got.code != 0 || got.out != c.want {
			t.Errorf("%s: code %d, %s\n%q, want\n%q", c.args, got.code, got.err, got.out, c.want)
		}
	}
}

func TestDumpStats(t *testing.T) {
	path := ramp(t)
	got := exec(t, "dump", path, "t", "--stats")
	for _, text := range []string{"12 values of f32", "min 0, max 11, mean 5.5, std 3.45205, rms 6.49359", "zeros 1, NaN 0, infinite 0", "0  1 ██", "10.45  1 ██"} {
		if !strings.Contains(got.out, text) {
			t.Errorf("no %q in\n%s%s", text, got.out, got.err)
		}
	}
	for name, want := range map[string]distribution{
		"odd":   {Tensor: "odd", Type: "f32", Distribution: probe.Distribution{Values: 2, Min: 1, Max: 1, Mean: 1, RMS: 1, NaN: 1, Count: [probe.Bins]int{1}}},
		"empty": {Tensor: "empty", Type: "f32"},
	} {
		var s distribution
		if got := exec(t, "dump", path, name, "--stats", "--json"); json.Unmarshal([]byte(got.out), &s) != nil || s != want {
			t.Errorf("%s: %s", name, got.out)
		}
	}
}

// TestDumpNPY reads the file as NumPy's specification has it.
func TestDumpNPY(t *testing.T) {
	path := ramp(t)
	for args, shape := range map[string]string{"t": "(2, 3, 2,)", "t --rows 1:3": "(2, 2,)", "wide": "(40,)", "empty": "(2, 0,)"} {
		out := filepath.Join(t.TempDir(), "t.npy")
		if got := exec(t, append(append([]string{"dump", path}, strings.Fields(args)...), "--npy", "-o", out)...); got.code != 0 || got.out != "" {
			t.Fatalf("%+v", got)
		}
		data, err := os.ReadFile(out)
		if err != nil {
			t.Fatal(err)
		}
		n := 10 + int(binary.LittleEndian.Uint16(data[8:]))
		head := string(data[10:n])
		if string(data[:8]) != "\x93NUMPY\x01\x00" || n%64 != 0 || !strings.Contains(head, "'shape': "+shape) || !strings.HasSuffix(head, "\n") {
			t.Errorf("%s: header %q", args, data[:n])
		}
		if args == "t --rows 1:3" && string(data[n:]) != string(floats(2, 3, 4, 5)) {
			t.Errorf("data %x", data[n:])
		}
	}
}

func TestDumpOutput(t *testing.T) {
	path := ramp(t)
	if got := exec(t, "dump", path, "t", "--csv", "-o", path); got.code != 1 || !strings.Contains(got.err, "is the input") {
		t.Errorf("%+v", got)
	}
	if got := exec(t, "dump", path, "t", "--csv", "-o", filepath.Join(path, "none")); got.code != 1 || got.out != "" {
		t.Errorf("%+v", got)
	}
	leftNothing(t, path)
}
