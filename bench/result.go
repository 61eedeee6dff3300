package bench

import (
	"runtime"
	"runtime/debug"
	"time"

	"github.com/klauspost/cpuid/v2"
)

// Result is a row with what was measured: as many samples as there were repetitions.
type Result struct {
	Params
	Machine
	Description string // of the model: qwen3 0.6B Q4_K - Medium
	Size        int64  // bytes of the weights
	Parameters  int64
	Begin       time.Time
	Samples     []time.Duration
	Extra       []Value // columns that llama.cpp does not have, after all others
}

// Value is a further column.
type Value struct {
	Name  string
	Value any // string, int64 or float64; a list of them is for JSON only
}

// Machine is what a result was measured with.
type Machine struct {
	Commit   string // of this program, or its version
	Number   int    // of the build; 0: not numbered
	CPU      string
	GPU      string
	Backends string
}

// ThisMachine describes this program and the processor that it runs on.
func ThisMachine() Machine {
	m := Machine{Commit: "unknown", CPU: cpuid.CPU.BrandName, Backends: "CPU"}
	if m.CPU == "" {
		m.CPU = runtime.GOARCH
	}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return m
	}
	m.Commit = "llamakit " + info.Main.Version
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" && len(s.Value) >= 8 {
			m.Commit = "llamakit " + s.Value[:8]
		}
	}
	return m
}

// Nanoseconds are the samples as numbers.
func (r *Result) Nanoseconds() []float64 {
	out := make([]float64, len(r.Samples))
	for i, d := range r.Samples {
		out[i] = float64(d.Nanoseconds())
	}
	return out
}

// Speeds are tokens per second, sample by sample.
func (r *Result) Speeds() []float64 {
	return speeds(r.tokens(), r.Samples)
}

func speeds(tokens int, samples []time.Duration) []float64 {
	out := make([]float64, len(samples))
	for i, d := range samples {
		out[i] = float64(tokens) / max(d.Seconds(), 1e-9)
	}
	return out
}

// Speed is the mean of Speeds and their standard deviation, as llama.cpp prints them.
func (r *Result) Speed() (average, deviation float64) { return mean(r.Speeds()), stddev(r.Speeds()) }
