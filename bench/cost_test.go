package bench

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/llamakit/llamakit/bench/model"
	"github.com/llamakit/llamakit/engine/graph"
	"github.com/llamakit/llamakit/formats/quant"
)

func costsOf(t *testing.T, shape string) *costs {
	t.Helper()
	s, err := model.Named(shape)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "m.gguf")
	if err := model.Write(path, s, quant.Q8_0, 1); err != nil {
		t.Fatal(err)
	}
	c, err := newCosts(Params{Model: path, CacheK: "f16", CacheV: "f16"})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// TestCost counts by hand: 4 layers of 32 columns, 4 heads and 2 of keys with 8 values each, 40 columns between (F32, as no
// block of 32 divides them), a vocabulary of 96.
func TestCost(t *testing.T) {
	c := costsOf(t, "tiny-llama")
	const (
		attention = 32*32 + 2*32*16 + 32*32 // q, k, v, output
		wide      = 2 * 32 * 40             // gate and up
		down      = 40 * 32
		output    = 32 * 96
	)
	got := c.step(1, 10)
	want := cost{
		bytes:   (4*(attention+wide)+output)*34/32 + 4*down*4 + 4*11*2*(8+8)*2,
		int8:    4*(attention+wide) + output,
		float32: 4*down + 4*11*4*(8+8),
	}
	if got != want {
		t.Errorf("a step of one row: %+v, want %+v", got, want)
	}
	// Four rows read the weights once. One of them has an output, and what follows the last attention is computed for it alone.
	four := c.step(4, 0)
	if four.int8 != 4*4*(attention+wide)-3*(32*32+wide)+output || four.bytes != want.bytes-7*4*2*(8+8)*2 {
		t.Errorf("a step of four rows: %+v", four)
	}
}

// TestCostOfExperts: one row reads 2 of 6 experts, many read all.
func TestCostOfExperts(t *testing.T) {
	c := costsOf(t, "tiny-qwen3moe")
	const expert = 2*32*40*34/32 + 40*32*4
	one, many := c.step(1, 0), c.step(200, 0)
	if more := many.bytes - one.bytes - 4*199*2*(8+8)*2; more < 4*3.99*expert || more > 4*4*expert+1 {
		t.Errorf("200 rows read %g bytes more than one, want those of four experts a layer: %d", more, 4*4*expert)
	}
}

func TestSteps(t *testing.T) {
	p := Params{Prompt: 10, Gen: 2, Depth: 5, Batch: 8, UBatch: 4}
	if got := p.steps(); !slices.Equal(got, [][2]int{{4, 5}, {4, 9}, {2, 13}, {1, 15}, {1, 16}}) {
		t.Error(got)
	}
}

func TestEnergy(t *testing.T) {
	root := t.TempDir()
	for path, text := range map[string]string{"intel-rapl:0/energy_uj": "1500000\n", "intel-rapl:0/max_energy_range_uj": "9000000\n",
		"intel-rapl:0:0/energy_uj": "7\n", "intel-rapl:1/energy_uj": "x", "dtpm/energy_uj": "1"} {
		name := filepath.Join(root, path)
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	list := readCounters(root)
	if !slices.Equal(list, []counter{{1500000, 9000000}}) {
		t.Fatalf("%+v", list)
	}
	if got := joules(list, []counter{{2000000, 9000000}}); got != 0.5 {
		t.Errorf("%g joules, want 0.5", got)
	}
	if got := joules(list, []counter{{500000, 9000000}}); got != 8 {
		t.Errorf("%g joules over the end of the counter, want 8", got)
	}
}

// TestCostOfTypes: each type is multiplied by the arithmetic that it has.
func TestCostOfTypes(t *testing.T) {
	for typ, want := range map[quant.Type]cost{
		quant.F16:  {bytes: 64 * 3 * 2, float32: 5 * 64 * 3},
		quant.BF16: {bytes: 64 * 3 * 2, bf16: 5 * 64 * 3},
		quant.Q8_0: {bytes: 64 * 3 * 34 / 32, int8: 5 * 64 * 3},
	} {
		var got cost
		if got.matrix(&graph.Weight{Type: typ, In: 64, Out: 3}, 5, 1); got != want {
			t.Errorf("%v: %+v, want %+v", typ, got, want)
		}
	}
}
