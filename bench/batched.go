package bench

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/llamakit/llamakit/engine"
)

// Streams is one row of a test of many sequences: Parallel prompts of Prompt tokens, computed at the same time, and Gen tokens
// after each, one of all of them a step. With Shared the prompt is one and the same, and computed once.
type Streams struct {
	Params   // Prompt and Gen of each sequence
	Parallel int
	Shared   bool
}

// StreamsResult is a row with what was measured. Field names are those of llama.cpp's llama-batched-bench; times are in seconds,
// means over the samples.
type StreamsResult struct {
	Context   int     `json:"n_kv_max"`
	Batch     int     `json:"n_batch"`
	UBatch    int     `json:"n_ubatch"`
	FlashAttn int     `json:"flash_attn"`
	Shared    int     `json:"is_pp_shared"`
	GPULayers int     `json:"n_gpu_layers"`
	Threads   int     `json:"n_threads"`
	Threads2  int     `json:"n_threads_batch"`
	Prompt    int     `json:"pp"`
	Gen       int     `json:"tg"`
	Parallel  int     `json:"pl"`
	Tokens    int     `json:"n_kv"`
	PPTime    float64 `json:"t_pp"`
	PPSpeed   float64 `json:"speed_pp"`
	TGTime    float64 `json:"t_tg"`
	TGSpeed   float64 `json:"speed_tg"`
	Time      float64 `json:"t"`
	Speed     float64 `json:"speed"`

	Model     string    `json:"model_filename"`
	CacheK    string    `json:"type_k"`
	CacheV    string    `json:"type_v"`
	PPSamples []float64 `json:"samples_pp_ts"`
	TGSamples []float64 `json:"samples_tg_ts"`

	// Of another llama-batched-bench that ran in turn: means, and how many times as fast we are.
	PeerPP  float64 `json:"vs_speed_pp,omitempty"`
	PeerTG  float64 `json:"vs_speed_tg,omitempty"`
	RatioPP *Ratio  `json:"ratio_pp,omitempty"`
	RatioTG *Ratio  `json:"ratio_tg,omitempty"`
}

// RunBatched measures rows of many sequences and hands over each result, as Run does.
func RunBatched(ctx context.Context, rows []Streams, o Options, report func(*StreamsResult) error) error {
	var s session
	defer s.close()
	var failed []error
	for i, p := range rows {
		result, err := s.batchedRow(ctx, p, o, Step{Row: i + 1, Rows: len(rows), Params: p.Params, Of: o.Repetitions})
		if ctx.Err() != nil {
			return errors.Join(append(failed, ctx.Err())...)
		}
		if err != nil {
			failed = append(failed, err)
			continue
		}
		if err := report(result); err != nil {
			return err
		}
	}
	return errors.Join(failed...)
}

// batched are the samples of a row: tokens per second.
type batched struct{ pp, tg []float64 }

func (s *session) batchedRow(ctx context.Context, p Streams, o Options, step Step) (*StreamsResult, error) {
	watch := func(stage Stage) {
		if step.Stage = stage; o.Watch != nil {
			o.Watch(step)
		}
	}
	watch(Starting)
	if err := p.check(); err != nil {
		return nil, err
	}
	each := p.context()
	if err := s.open(ctx, p.Params, p.Parallel, each, p.Parallel*(each+spare)); err != nil {
		return nil, err
	}
	if err := wait(ctx, o.Delay); err != nil {
		return nil, err
	}
	if !o.NoWarmup {
		watch(Warming)
		if err := s.warm(ctx, p.Params); err != nil {
			return nil, err
		}
	}
	var own, theirs batched
	for i := range o.Repetitions {
		step.Repetition = i + 1
		turns := []func() error{
			func() error { watch(Running); return s.streams(ctx, p, &own) },
			func() error {
				if o.Peer == nil {
					return nil
				}
				watch(RunPeer)
				return o.Peer.batched(ctx, p, s.info.Threads, &theirs)
			}}
		for k := range turns {
			if err := turns[(i+k)%2](); err != nil {
				return nil, err
			}
		}
	}
	watch(Finished)
	r := s.streamsResult(p, &own)
	if o.Peer != nil {
		pp, tg := Paired(own.pp, theirs.pp), Paired(own.tg, theirs.tg)
		r.PeerPP, r.PeerTG, r.RatioPP, r.RatioTG = mean(theirs.pp), mean(theirs.tg), &pp, &tg
	}
	return r, nil
}

// streams takes one repetition: the prompts first, then what follows them.
func (s *session) streams(ctx context.Context, p Streams, samples *batched) error {
	prompts := make([][]engine.Token, p.Parallel)
	for i := range prompts {
		if prompts[i] = prompts[0]; i == 0 || !p.Shared {
			prompts[i] = s.fresh(p.Prompt)
		}
	}
	computed := prompts
	if p.Shared {
		computed = prompts[:1]
	}
	pp, err := s.last(ctx, computed, 0)
	if err != nil {
		return err
	}
	for i := range prompts { // a further token each, so that the sequences part
		prompts[i] = append(prompts[i][:p.Prompt:p.Prompt], engine.Token((s.starts+i)%s.info.Vocabulary))
	}
	s.starts += len(prompts)
	tg, err := s.last(ctx, prompts, p.Gen)
	if err != nil {
		return err
	}
	samples.pp = append(samples.pp, float64(len(computed)*p.Prompt)/pp.Seconds())
	samples.tg = append(samples.tg, float64(p.Parallel*p.Gen)/tg.Seconds())
	return nil
}

// last returns the time until the last sequence ends. Prompts that are followed by steps must be in the cache but for one token.
func (s *session) last(ctx context.Context, prompts [][]engine.Token, steps int) (last time.Duration, err error) {
	driven, err := s.drive(ctx, prompts, steps)
	if err != nil {
		return 0, err
	}
	for i, d := range driven {
		want := 0
		if steps > 0 {
			want = len(prompts[i]) - 1
		}
		if d.Cached != want {
			return 0, fmt.Errorf("%d tokens of a sequence were in the cache, want %d", d.Cached, want)
		}
		last = max(last, d.Time)
	}
	return last, nil
}

func (s *session) streamsResult(p Streams, x *batched) *StreamsResult {
	r := &StreamsResult{Context: p.Parallel * p.context(), Batch: p.Batch, UBatch: p.UBatch, FlashAttn: p.FlashAttn, GPULayers: -1,
		Threads: s.info.Threads, Threads2: s.info.Threads, Prompt: p.Prompt, Gen: p.Gen, Parallel: p.Parallel,
		PPSpeed: mean(x.pp), TGSpeed: mean(x.tg), Model: p.Model, CacheK: p.CacheK, CacheV: p.CacheV, PPSamples: x.pp, TGSamples: x.tg}
	prompts := p.Parallel
	if p.Shared {
		r.Shared, prompts = 1, 1
	}
	r.Tokens = prompts*p.Prompt + p.Parallel*p.Gen
	r.PPTime, r.TGTime = float64(prompts*p.Prompt)/r.PPSpeed, float64(p.Parallel*p.Gen)/r.TGSpeed
	r.Time = r.PPTime + r.TGTime
	r.Speed = float64(r.Tokens) / r.Time
	return r
}

// batched has a llama-batched-bench take one repetition.
func (p *Peer) batched(ctx context.Context, row Streams, threads int, samples *batched) error {
	room := row.Parallel * ((row.context() + 255) &^ 255) // it skips rows whose sequences have no whole multiples of 256
	args := []string{"-m", cmp.Or(p.Model, row.Model), "-c", strconv.Itoa(room), "-b", strconv.Itoa(row.Batch), "-ub", strconv.Itoa(row.UBatch),
		"-ctk", row.CacheK, "-ctv", row.CacheV, "-t", strconv.Itoa(threads), "-fa", attention(row.FlashAttn),
		"-npp", strconv.Itoa(row.Prompt), "-ntg", strconv.Itoa(row.Gen), "-npl", strconv.Itoa(row.Parallel), "--output-format", "jsonl"}
	if row.Shared {
		args = append(args, "-pps")
	}
	var out []byte
	for try := 0; try < 5 && len(out) == 0; try++ { // it prints results from a thread that its end may overtake
		var err error
		if out, err = p.output(ctx, args); err != nil {
			return fmt.Errorf("%s: %w", p.Command, err)
		}
	}
	for line := range bytes.Lines(out) {
		var r StreamsResult
		if json.Unmarshal(line, &r) == nil && r.Parallel == row.Parallel && r.PPSpeed > 0 && r.TGSpeed > 0 {
			samples.pp, samples.tg = append(samples.pp, r.PPSpeed), append(samples.tg, r.TGSpeed)
			return nil
		}
	}
	return fmt.Errorf("%s: its output has no result of %d sequences", p.Command, row.Parallel)
}
