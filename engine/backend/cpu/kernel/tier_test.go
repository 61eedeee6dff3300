package kernel

import (
	"reflect"
	"strings"
	"testing"

	"github.com/llamakit/llamakit/formats/quant"
)

func TestChooseTier(t *testing.T) {
	best := Active()
	for tier := range tierCount {
		if tier.Available() && tier > best {
			best = tier
		}
	}
	for _, c := range []struct {
		value string
		want  Tier
		err   string
	}{
		{"", best, ""},
		{"generic", Generic, ""},
		{"GENERIC", Generic, ""},
		{best.String(), best, ""},
		{"sse9", best, `LLAMA_CPU: cpu tier "sse9": unknown, use one of generic, avx2, avx512`},
	} {
		got, err := chooseTier(c.value)
		if got != c.want || (err == nil) != (c.err == "") || err != nil && err.Error() != c.err {
			t.Errorf("chooseTier(%q) = %v, %v, want %v, %q", c.value, got, err, c.want, c.err)
		}
	}
}

// TestChooseMissingTier asks for a tier that the machine lacks.
func TestChooseMissingTier(t *testing.T) {
	saved := tiers
	defer func() { tiers = saved }()
	tiers[AVX512] = nil
	got, err := chooseTier("avx512")
	if got == AVX512 || err == nil || !strings.Contains(err.Error(), "not available") {
		t.Errorf("chooseTier without avx512 = %v, %v", got, err)
	}
	if _, ok := Use(AVX512); ok {
		t.Error("Use switched to a tier that is not there")
	}
}

func TestUseRestores(t *testing.T) {
	before := Active()
	for tier := range tierCount {
		restore, ok := Use(tier)
		if ok != tier.Available() || ok && Active() != tier {
			t.Errorf("Use(%v) = %v with %v active", tier, ok, Active())
		}
		if restore(); Active() != before || current != tiers[before] {
			t.Errorf("after Use(%v) and back: %v", tier, Active())
		}
	}
	if _, ok := Use(tierCount); ok {
		t.Error("Use accepted a tier beyond the last")
	}
}

// TestTiersAreComplete looks for operations that a tier forgot.
func TestTiersAreComplete(t *testing.T) {
	for tier, o := range tiers {
		if o == nil {
			continue
		}
		v := reflect.ValueOf(*o)
		for i := range v.NumField() {
			if v.Field(i).Kind() == reflect.Func && v.Field(i).IsNil() {
				t.Errorf("%v: no %s", Tier(tier), v.Type().Field(i).Name)
			}
		}
	}
}

// TestNoAllocation runs what a token needs, once the scratch memory is warm.
func TestNoAllocation(t *testing.T) {
	eachTier(t, func(t *testing.T) {
		r := newRandom(14)
		x, y := r.normal(256), r.normal(256)
		mm, sum := MatMulFor(quant.F16), AccumulateFor(quant.F16)
		w := encodeRows(t, r, quant.F16, 9, 256)
		acts, out := make([]byte, mm.ActBytes(256)), make([]float32, 9)
		allocs := testing.AllocsPerRun(20, func() {
			RMSNorm(y, x, y, 1e-5)
			RopeNeox(y, y, x[:128], x[128:])
			mm.Prepare(acts, y)
			mm.Rows(out, 9, w, acts, 1, 256)
			Softmax(out)
			sum(y, 256, out, 9, w, nil, 256, 1, 9, 256)
			SiLUMul(y, y, x)
		})
		if allocs >= 1 {
			t.Errorf("%v allocations a run", allocs)
		}
	})
}
