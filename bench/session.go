package bench

import (
	"context"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/llamakit/llamakit/engine"
	"github.com/llamakit/llamakit/engine/kv"
	"github.com/llamakit/llamakit/formats/gguf"
)

// session keeps a model open as long as tests need the same engine.
type session struct {
	opened      Params // what the model was opened for
	sequences   int
	context     int
	model       *engine.Model
	info        engine.Info
	description string

	random *rand.Rand
	starts int                    // beginnings of prompts used so far
	depths map[int][]engine.Token // what stands in the cache before a test, by length
}

// open opens a model, unless the open one serves. cache is how many tokens all sequences together have.
func (s *session) open(ctx context.Context, p Params, sequences, context, cache int) error {
	if s.model != nil && s.serves(p) && s.sequences >= sequences && s.context >= context && s.starts < s.info.Vocabulary/2 {
		return nil
	}
	s.close()
	cache += sequences * engine.PageSize // a sequence goes on in a copy of the page that its prompt ends in
	o := engine.Options{Context: context, Threads: p.Threads, Batch: min(p.Batch, p.UBatch), Sequences: sequences, Cache: cache,
		CacheK: engine.CacheType(p.CacheK), CacheV: engine.CacheType(p.CacheV)}
	if err := fits(p.Model, o); err != nil {
		return err
	}
	m, err := engine.Open(ctx, p.Model, o)
	if err != nil {
		return err
	}
	info := m.Info()
	*s = session{opened: p, sequences: sequences, context: context, model: m, info: info, description: describe(info, m.Metadata()),
		random: rand.New(rand.NewPCG(1, 2)), depths: map[int][]engine.Token{}}
	return nil
}

// spare are the tokens of a sequence that the cache has room for beyond its context: copies of pages that are partly used.
const spare = 4 * kv.PageSize

// serves says whether the model was opened as p wants it.
func (s *session) serves(p Params) bool {
	q := s.opened
	return q.Model == p.Model && q.Threads == p.Threads && min(q.Batch, q.UBatch) == min(p.Batch, p.UBatch) &&
		q.CacheK == p.CacheK && q.CacheV == p.CacheV
}

// fits refuses a cache that the system has no memory for, before it is asked for.
func fits(path string, o engine.Options) error {
	f, err := gguf.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	plan, err := engine.NewPlan(f, o)
	if err != nil {
		return err
	}
	if need := plan.Memory.Total(); plan.Free > 0 && need > plan.Free {
		return fmt.Errorf("%s: %d tokens of cache take %s of memory, and %s are free; give smaller -p, -n or -d", path, max(o.Context, o.Cache), sizeText(need), sizeText(plan.Free))
	}
	return nil
}

func (s *session) close() {
	if s.model != nil {
		s.model.Close()
		s.model = nil
	}
}

func (s *session) token() engine.Token { return engine.Token(s.random.IntN(s.info.Vocabulary)) }

// fresh makes a random text whose first token no recent one began with, so that no part of it is cached.
func (s *session) fresh(n int) []engine.Token {
	out := make([]engine.Token, n)
	for i := range out {
		out[i] = s.token()
	}
	if n > 0 {
		out[0] = engine.Token(s.starts % s.info.Vocabulary)
		s.starts++
	}
	return out
}

// drive computes prompts and what follows them.
func (s *session) drive(ctx context.Context, prompts [][]engine.Token, steps int) ([]engine.Driven, error) {
	driven, err := s.model.Drive(ctx, prompts, steps, s.token)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", s.opened.Model, err)
	}
	return driven, nil
}

// fill brings a text of n tokens into the cache, if it is not there.
func (s *session) fill(ctx context.Context, n int) ([]engine.Token, error) {
	if n == 0 {
		return nil, nil
	}
	if s.depths[n] == nil {
		s.depths[n] = s.fresh(n)
	}
	_, err := s.drive(ctx, [][]engine.Token{s.depths[n]}, 0)
	return s.depths[n], err
}

// run takes one repetition.
func (s *session) run(ctx context.Context, p Params) (time.Duration, error) {
	before, err := s.fill(ctx, p.Depth)
	if err != nil {
		return 0, err
	}
	steps, prompt := p.Gen, s.fresh(max(p.Prompt, 1))
	if p.Prompt > 0 && p.Gen > 0 {
		steps++ // the first token comes with the prompt
	}
	driven, err := s.drive(ctx, [][]engine.Token{append(before[:p.Depth:p.Depth], prompt...)}, steps)
	if err != nil {
		return 0, err
	}
	if d := driven[0]; d.Cached != p.Depth || d.Chosen != steps {
		return 0, fmt.Errorf("%s: %d tokens were in the cache, want %d; %d steps were taken, want %d", p.Test(), d.Cached, p.Depth, d.Chosen, steps)
	}
	return driven[0].Time, nil
}

// warm runs what comes once in small, so that weights are mapped and memory is there.
func (s *session) warm(ctx context.Context, p Params) error {
	p.Depth = 0
	p.Gen = min(p.Gen, 1)
	_, err := s.run(ctx, p)
	return err
}
