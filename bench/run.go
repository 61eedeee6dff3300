package bench

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// Options say how rows are measured.
type Options struct {
	Repetitions int
	NoWarmup    bool
	Delay       time.Duration // before each row
	Peer        *Peer         // another llama-bench that runs between the repetitions
	Limits      *Limits       // what the machine can do: adds the columns of LimitColumns
	Energy      bool          // adds the columns of EnergyColumns; ErrNoEnergy where there is none to read

	// Watch sees each step before it is taken, and the samples that are there.
	Watch func(Step)
}

// Step is something that is about to happen.
type Step struct {
	Row, Rows  int // from 1
	Params     Params
	Stage      Stage
	Repetition int // from 1
	Of         int // repetitions
	Samples    []time.Duration
}

// Stage is what a step does.
type Stage string

// The stages of a row.
const (
	Starting Stage = "starting"
	Warming  Stage = "warmup"
	Filling  Stage = "depth"
	Running  Stage = "run"
	RunPeer  Stage = "peer"
	Finished Stage = "finished"
)

// Run measures rows and hands over each result. Rows that fail are left out, the others measured; their errors are returned
// together. When ctx ends, the row at work is handed over with the repetitions that it has.
func Run(ctx context.Context, rows []Params, o Options, report func(*Result) error) error {
	if o.Energy && len(readCounters(raplFolder)) == 0 {
		return ErrNoEnergy
	}
	var s session
	defer s.close()
	var failed []error
	for i, p := range rows {
		r := &row{session: &s, options: o, params: p, rows: rows[i:], step: Step{Row: i + 1, Rows: len(rows), Params: p, Of: o.Repetitions}}
		result, err := r.measure(ctx)
		if result != nil {
			if err := report(result); err != nil {
				return err
			}
		}
		switch {
		case ctx.Err() != nil:
			return errors.Join(append(failed, ctx.Err())...)
		case err != nil:
			failed = append(failed, err)
		}
	}
	return errors.Join(failed...)
}

// row is a row on its way.
type row struct {
	*session
	options Options
	params  Params
	rows    []Params // this one and those to come
	step    Step
	pairs   peerSamples
	energy  energy
}

// measure returns the result, or nil where there is no repetition.
func (r *row) measure(ctx context.Context) (*Result, error) {
	r.watch(Starting)
	if err := r.begin(ctx); err != nil {
		return nil, err
	}
	result := &Result{Params: r.params, Machine: ThisMachine(), Description: r.description, Size: r.info.Bytes, Parameters: r.info.Parameters, Begin: time.Now()}
	result.Threads = r.info.Threads
	err := r.repeat(ctx, result)
	if len(result.Samples) == 0 && r.options.Repetitions > 0 {
		return nil, err
	}
	if r.options.Limits != nil {
		columns, limitErr := r.options.Limits.columns(ctx, result)
		result.Extra, err = append(result.Extra, columns...), errors.Join(err, limitErr)
	}
	if r.options.Energy {
		result.Extra = append(result.Extra, r.energy.columns(result)...)
	}
	if r.options.Peer != nil {
		result.Extra = append(result.Extra, r.pairs.columns(result)...)
	}
	r.watch(Finished)
	return result, err
}

// begin opens the model for this row and those after it that can share it, and warms it up.
func (r *row) begin(ctx context.Context) error {
	if err := r.params.check(); err != nil {
		return err
	}
	room := 0
	for _, p := range r.rows {
		if q := (session{opened: r.params}); !q.serves(p) {
			break
		}
		room = max(room, p.context())
	}
	if err := r.open(ctx, r.params, 1, room, room+spare); err != nil {
		return err
	}
	if err := wait(ctx, r.options.Delay); err != nil || r.options.NoWarmup {
		return err
	}
	r.watch(Warming)
	return r.warm(ctx, r.params)
}

func wait(ctx context.Context, d time.Duration) error {
	if d == 0 {
		return ctx.Err()
	}
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
		return nil
	}
}

// repeat takes the samples. With a peer the two take turns in being first, so that neither always finds the machine as the
// other leaves it.
func (r *row) repeat(ctx context.Context, result *Result) error {
	if r.params.Depth > 0 {
		r.watch(Filling)
		if _, err := r.fill(ctx, r.params.Depth); err != nil {
			return err
		}
	}
	for i := range r.options.Repetitions {
		r.step.Repetition, r.step.Samples = i+1, result.Samples
		own, theirs := r.own(result), r.theirs
		turns := []func(context.Context) error{own, theirs}
		if i%2 == 1 {
			turns = []func(context.Context) error{theirs, own}
		}
		for _, turn := range turns {
			if err := turn(ctx); err != nil {
				result.Samples = result.Samples[:min(len(result.Samples), i)] // half a pair is none
				return err
			}
		}
	}
	r.step.Samples = result.Samples
	return nil
}

func (r *row) own(result *Result) func(context.Context) error {
	return func(ctx context.Context) error {
		r.watch(Running)
		before := r.readEnergy()
		d, err := r.run(ctx, r.params)
		if err != nil {
			return err
		}
		r.energy.add(before, r.readEnergy())
		result.Samples = append(result.Samples, d)
		return nil
	}
}

func (r *row) theirs(ctx context.Context) error {
	if r.options.Peer == nil {
		return nil
	}
	r.watch(RunPeer)
	sample, err := r.options.Peer.Run(ctx, r.params, r.info.Threads, r.options.NoWarmup)
	if err != nil {
		return fmt.Errorf("%s: %w", r.options.Peer.Command, err)
	}
	r.pairs.add(sample)
	return nil
}

func (r *row) watch(stage Stage) {
	if r.options.Watch != nil {
		r.step.Stage = stage
		r.options.Watch(r.step)
	}
}
