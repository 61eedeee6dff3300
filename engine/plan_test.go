package engine_test

import (
	"bytes"
	"context"
	"errors"
	"path/filepath"
	"testing"

	"github.com/llamakit/llamakit/bench/golden"
	"github.com/llamakit/llamakit/engine"
	"github.com/llamakit/llamakit/engine/demo"
	"github.com/llamakit/llamakit/formats/gguf"
)

func demoFile(t *testing.T) *gguf.File {
	t.Helper()
	f, err := gguf.Parse(demo.Name, demo.Model())
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// same fails unless what is planned for f is what the open model holds.
func same(t *testing.T, f *gguf.File, m *engine.Model, o engine.Options) *engine.Plan {
	t.Helper()
	p, err := engine.NewPlan(f, o)
	if err != nil {
		t.Fatal(err)
	}
	info := m.Info()
	if p.Memory != info.Memory || p.Context != info.Context || p.Bytes != info.Bytes || len(p.Unused) != len(info.Unused) {
		t.Errorf("%+v: planned %+v for a context of %d, the model holds %+v for %d", o, p.Memory, p.Context, info.Memory, info.Context)
	}
	if p.Memory.Cache+p.Memory.State == 0 || p.Memory.Compute == 0 || p.Weights == 0 {
		t.Errorf("a plan of nothing: %+v", p)
	}
	return p
}

func TestPlanIsWhatOpenTakes(t *testing.T) {
	f := demoFile(t)
	for _, o := range []engine.Options{
		{Free: 1 << 30},
		{Context: 1, Batch: 1, Sequences: 1, Threads: 1},
		{Context: 1000, Batch: 64, Threads: 3, Sequences: 9, CacheK: engine.CacheF32},
		{Context: 512, Batch: 32, Threads: 2, Outputs: 200, CacheV: engine.CacheF32, Keep: true},
		{Context: 2000, Threads: 3, CacheK: "q8_0", CacheV: "q4_0"},
	} {
		m, err := engine.OpenBytes(context.Background(), demo.Name, demo.Model(), o)
		if err != nil {
			t.Fatal(err)
		}
		same(t, f, m, o)
		if err := m.Close(); err != nil {
			t.Error(err)
		}
	}
}

// TestPlanOfRandomModels compares plan and model for all architectures of the reference models that can be built.
func TestPlanOfRandomModels(t *testing.T) {
	paths, err := filepath.Glob(filepath.Join(golden.Peer(t, "archs"), "*.gguf"))
	if err != nil {
		t.Fatal(err)
	}
	planned := 0
	for _, path := range paths {
		o := engine.Options{Context: 100, Batch: 48, Threads: 2, Sequences: 2}
		m, err := engine.Open(context.Background(), path, o)
		if errors.Is(err, gguf.ErrUnsupported) {
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", path, err)
			continue
		}
		f, err := gguf.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		t.Run(filepath.Base(path), func(t *testing.T) { same(t, f, m, o) })
		planned++
		f.Close()
		m.Close()
	}
	t.Logf("%d of %d models", planned, len(paths))
}

// TestPlanDoesNotReadWeights has weights that are all wrong.
func TestPlanDoesNotReadWeights(t *testing.T) {
	data := bytes.Clone(demo.Model())
	f, err := gguf.Parse("m", data)
	if err != nil {
		t.Fatal(err)
	}
	want, err := engine.NewPlan(f, engine.Options{Context: 64})
	if err != nil {
		t.Fatal(err)
	}
	for i := range f.Tensors {
		clear(f.Bytes(&f.Tensors[i]))
	}
	got, err := engine.NewPlan(f, engine.Options{Context: 64})
	if err != nil || got.Memory != want.Memory {
		t.Errorf("%v: %+v, want %+v", err, got.Memory, want.Memory)
	}
}

func TestLargestContext(t *testing.T) {
	f := demoFile(t)
	o := engine.Options{Context: 4096, Sequences: 3}
	p, err := engine.NewPlan(f, o)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		bytes int64
		want  int
	}{{p.Total(), 4096}, {p.Total() - 1, 4096 - 32}, {p.Weights, 0}, {1 << 62, 1 << 24}} {
		got, err := p.LargestContext(c.bytes)
		if err != nil || got != c.want {
			t.Errorf("%d bytes: %d, %v; want %d", c.bytes, got, err, c.want)
		}
	}
}

// TestPlanWithoutContext chooses the context by the memory it is told of.
func TestPlanWithoutContext(t *testing.T) {
	f := demoFile(t)
	for _, free := range []int64{1 << 16, 1 << 20, 1 << 40} {
		p, err := engine.NewPlan(f, engine.Options{Free: free})
		if err != nil {
			t.Fatal(err)
		}
		if limited := p.Context < p.TrainContext; limited != (free < 1<<30) || p.Free != free {
			t.Errorf("%d bytes free: context %d of %d", free, p.Context, p.TrainContext)
		}
	}
}
