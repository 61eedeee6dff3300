package flags

import (
	"cmp"
	"context"
	"io"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/schollz/progressbar/v3"
	"github.com/urfave/cli/v3"

	"github.com/llamakit/llamakit/engine"
	"github.com/llamakit/llamakit/tools/internal/progress"
	"github.com/llamakit/llamakit/tools/internal/run"
)

// Model says which model is opened and how.
type Model struct {
	Path    string
	Options engine.Options

	// Embedded is the model that is opened without -m, and EmbeddedName what messages call it; nil: -m is needed.
	Embedded     []byte
	EmbeddedName string

	// ContextHelp is the help of -c; empty: that of tools that hold conversations.
	ContextHelp string

	cacheK, cacheV string
}

// ModelFlags are -m and what belongs to loading.
func (m *Model) ModelFlags() []cli.Flag {
	help := cmp.Or(m.ContextHelp, "tokens a conversation can hold (default: 0, what the model was trained for)")
	var types []string
	for _, t := range engine.CacheTypes() {
		types = append(types, string(t))
	}
	list := strings.Join(types, ", ")
	return slices.Concat(Group("Model",
		New("-m, --model FILE", "GGUF file; of a split model any part", Text(&m.Path)).Env("LLAMA_ARG_MODEL"),
	), Group("Context and threads",
		New("-c, --ctx-size N", help, Int(&m.Options.Context, 0, 1<<24)).Env("LLAMA_ARG_CTX_SIZE"),
		New("-t, --threads N", "compute threads (default: one a physical core)", Func(m.setThreads)).Env("LLAMA_ARG_THREADS"),
		New("-b, --batch-size N", "rows computed at once at most (default: 512)", Int(&m.Options.Batch, 1, 1<<14)).Env("LLAMA_ARG_BATCH"),
		New("-ctk, --cache-type-k TYPE", "type of cached keys: "+list+" (default: f16)", OneOf(&m.cacheK, types...)).Env("LLAMA_ARG_CACHE_TYPE_K"),
		New("-ctv, --cache-type-v TYPE", "type of cached values, likewise (default: f16)", OneOf(&m.cacheV, types...)).Env("LLAMA_ARG_CACHE_TYPE_V"),
	), Group("Context and threads", accepted()...))
}

// setThreads reads llama.cpp's -1 as the default.
func (m *Model) setThreads(s string) error {
	if s == "-1" {
		m.Options.Threads = 0
		return nil
	}
	return Int(&m.Options.Threads, 1, 1024).set(s)
}

// UseCache sets the cache types where no flag says otherwise.
func (m *Model) UseCache(k, v engine.CacheType) {
	m.cacheK, m.cacheV = cmp.Or(m.cacheK, string(k)), cmp.Or(m.cacheV, string(v))
}

// UseF32Cache makes f32 the cache type where no flag says otherwise.
func (m *Model) UseF32Cache() { m.UseCache("f32", "f32") }

// Engine are the options of the engine that the flags ask for.
func (m *Model) Engine() engine.Options {
	o := m.Options
	o.CacheK, o.CacheV = engine.CacheType(m.cacheK), engine.CacheType(m.cacheV)
	return o
}

// Open opens the model, or the embedded one when there is no -m. Progress is shown on a terminal.
func (m *Model) Open(ctx context.Context, stderr io.Writer) (*engine.Model, error) {
	if m.Path == "" && m.Embedded == nil {
		return nil, run.Usagef("no model; give one with -m FILE")
	}
	m.Options = m.Engine()
	bar, begin := progress.Steps(stderr, 100, "loading", progressbar.OptionSetPredictTime(false)), time.Now()
	m.Options.Progress = func(fraction float64) {
		if time.Since(begin) > patience {
			_ = bar.Set(int(100 * fraction))
		}
	}
	defer bar.Clear()
	if m.Path == "" {
		return engine.OpenBytes(ctx, m.EmbeddedName, m.Embedded, m.Options)
	}
	return engine.Open(ctx, m.Path, m.Options)
}

// patience is how long loading takes before a bar is shown: one that only flashes tells nothing.
const patience = 300 * time.Millisecond

// anyInt is the range of numbers without one.
const anyInt = math.MaxInt32
