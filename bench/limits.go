package bench

import (
	"context"

	"github.com/llamakit/llamakit/bench/limit"
)

// LimitColumns are the further columns of a result when limits are measured: the tokens per second that memory and arithmetic of
// this machine allow, how much of them was reached, and which of the two is the limit. JSON has the machine's numbers as well.
var LimitColumns = []string{"limit_ts", "percent_of_limit", "limited_by"}

// Limits are what this machine can do, measured once for each number of threads.
type Limits struct {
	machines map[int]limit.Machine
}

// NewLimits knows no number of threads yet.
func NewLimits() *Limits {
	return &Limits{machines: map[int]limit.Machine{}}
}

// With measures the machine with that many threads, unless it is known.
func (l *Limits) With(ctx context.Context, threads int) (limit.Machine, error) {
	if m, ok := l.machines[threads]; ok {
		return m, nil
	}
	m, err := limit.Measure(ctx, threads, limit.Options{})
	if err == nil {
		l.machines[threads] = m
	}
	return m, err
}

// columns compare a result with the least time that its steps can take: reading and arithmetic overlap, so the longer of the two.
func (l *Limits) columns(ctx context.Context, r *Result) ([]Value, error) {
	m, err := l.With(ctx, r.Threads)
	if err != nil {
		return nil, err
	}
	c, err := newCosts(r.Params)
	if err != nil {
		return nil, err
	}
	seconds, reading := 0.0, 0.0
	for _, s := range r.steps() {
		need := c.step(s[0], s[1])
		memory, arithmetic := need.bytes/m.Read, need.int8/m.Int8+need.bf16/m.BF16+need.float32/m.Float32
		seconds += max(memory, arithmetic)
		if memory > arithmetic {
			reading += memory
		}
	}
	by := "arithmetic"
	if reading > seconds/2 {
		by = "memory"
	}
	top := float64(r.tokens()) / seconds
	average, _ := r.Speed()
	return []Value{{"limit_ts", top}, {"percent_of_limit", 100 * average / top}, {"limited_by", by},
		{"limit_machine", map[string]float64{"read_bytes": m.Read, "int8_multiply_adds": m.Int8, "bf16_multiply_adds": m.BF16, "float32_multiply_adds": m.Float32}}}, nil
}
