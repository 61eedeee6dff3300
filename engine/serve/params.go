package serve

import (
	"math"
	"strings"
	"time"

	"github.com/llamakit/llamakit/engine"
	"github.com/llamakit/llamakit/engine/chat/calls"
	"github.com/llamakit/llamakit/engine/sample"
)

// params are what a request asks for beside its prompt.
type params struct {
	sampling  sample.Params
	max       int // tokens; -1: no limit
	stop      []string
	ignoreEOS bool
	keep      int
	fresh     bool
	slot      int // -1: any
	choices   int

	probs, probsDrawn bool // probabilities of tokens are wanted; those after the samplers
	topProbs          int

	stream, includeUsage          bool
	timingsPerToken, returnTokens bool
	returnProgress                bool
	responseFields                []string
	predictTime                   time.Duration
	indent                        int // of every line but the first, at least
	reasoning                     reasoningFormat
	form                          structure
	places                        places   // of the messages; nil: each is the one of its number
	tools                         *toolset // nil: none may be called
	callFormat                    *calls.Format
}

const maxInt = math.MaxInt32

// readParams reads what all endpoints that generate understand; fields that one API alone has are read by its endpoint.
func (s *Server) readParams(o *object, m *engine.Model) *params {
	p := &params{sampling: s.defaults(m), max: -1, slot: -1, choices: 1, keep: s.options.Keep, fresh: s.options.NoCache, callFormat: m.Template().CallFormat()}
	if s.options.Predict > 0 {
		p.max = s.options.Predict
	}
	p.readSampling(o)
	p.readBias(o, m)
	p.readStop(o)
	p.readProbs(o, m)
	for _, name := range []string{"n_predict", "max_tokens", "max_completion_tokens"} {
		o.int(name, &p.max, -1, maxInt)
	}
	o.bool("ignore_eos", &p.ignoreEOS)
	o.int("n_keep", &p.keep, -1, maxInt)
	cache := !p.fresh
	o.bool("cache_prompt", &cache)
	p.fresh = !cache
	o.int("id_slot", &p.slot, -1, maxInt)
	o.int("n_cmpl", &p.choices, 1, int64(m.Sequences()))
	o.int("n", &p.choices, 1, int64(m.Sequences()))
	o.bool("stream", &p.stream)
	if options := o.object("stream_options"); options != nil {
		options.bool("include_usage", &p.includeUsage)
		o.adopt(options)
	}
	o.bool("timings_per_token", &p.timingsPerToken)
	o.bool("return_tokens", &p.returnTokens)
	o.bool("return_progress", &p.returnProgress)
	o.strs("response_fields", &p.responseFields)
	o.int("n_indent", &p.indent, 0, maxInt)
	var ms int
	o.int("t_max_predict_ms", &ms, -1, maxInt)
	p.predictTime = time.Duration(ms) * time.Millisecond
	discard := 0
	if o.int("n_discard", &discard, 0, maxInt); discard > 0 && s.options.Shift {
		o.fail("n_discard", "is %d, but a shift of the context forgets the older half: what stays is computed anew", discard)
	}
	p.refuse(o)
	return p
}

// refuse answers what is known but not done: silence would be taken for consent.
func (p *params) refuse(o *object) {
	if items, _ := o.array("lora"); len(items) > 0 && o.err == nil {
		o.err = badRequest("field 'lora' names adapters, and this server has none")
	}
	o.legacy("functions", "tools")
	o.legacy("function_call", "tool_choice")
}

// defaults are the model's recommendations under the server's flags.
func (s *Server) defaults(m *engine.Model) sample.Params {
	p := m.DefaultSampling()
	if s.options.Sampling != nil {
		p = s.options.Sampling(p)
	}
	return p
}

func (p *params) readSampling(o *object) {
	c := &p.sampling
	var seed int
	if o.int("seed", &seed, -1, math.MaxInt64>>1) {
		c.Seed = int64(seed)
		if seed == math.MaxUint32 { // llama.cpp's name for a random one
			c.Seed = -1
		}
	}
	for _, f := range []struct {
		name string
		to   *float32
	}{
		{"temperature", &c.Temperature}, {"dynatemp_range", &c.DynatempRange}, {"dynatemp_exponent", &c.DynatempExponent},
		{"top_p", &c.TopP}, {"min_p", &c.MinP}, {"top_n_sigma", &c.TopNSigma}, {"typical_p", &c.TypicalP},
		{"xtc_probability", &c.XTCProbability}, {"xtc_threshold", &c.XTCThreshold},
		{"repeat_penalty", &c.RepeatPenalty}, {"presence_penalty", &c.PresencePenalty}, {"frequency_penalty", &c.FrequencyPenalty},
		{"dry_multiplier", &c.DryMultiplier}, {"dry_base", &c.DryBase},
		{"mirostat_tau", &c.MirostatTau}, {"mirostat_eta", &c.MirostatEta},
		{"adaptive_target", &c.AdaptiveTarget}, {"adaptive_decay", &c.AdaptiveDecay},
	} {
		o.float(f.name, f.to)
	}
	o.int("top_k", &c.TopK, -1, maxInt)
	o.int("min_keep", &c.MinKeep, 0, maxInt)
	o.int("mirostat", &c.Mirostat, 0, 2)
	o.int("repeat_last_n", &c.RepeatLastN, -1, maxInt)
	o.int("dry_penalty_last_n", &c.DryPenaltyLastN, -1, maxInt)
	o.int("dry_allowed_length", &c.DryAllowedLength, 0, maxInt)
	o.strs("dry_sequence_breakers", &c.DryBreakers)
	switch n := len(c.DryBreakers); {
	case !o.has("dry_sequence_breakers"):
	case n == 0:
		o.fail("dry_sequence_breakers", "must not be empty")
	case n > maxStops: // every token of the vocabulary is looked through for each
		o.fail("dry_sequence_breakers", "has %d texts, %d may be", n, maxStops)
	}
	p.readSamplers(o)
}

// readSamplers reads names in a list, or a letter each in a string.
func (p *params) readSamplers(o *object) {
	data, ok := o.raw("samplers")
	if !ok {
		return
	}
	var err error
	if kindOf(data) == "a string" {
		var letters string
		o.str("samplers", &letters)
		p.sampling.Samplers, err = sample.ParseSequence(letters)
	} else {
		var names []string
		o.strs("samplers", &names)
		p.sampling.Samplers, err = sample.ParseSamplers(strings.Join(names, ";"))
	}
	if err != nil {
		o.fail("samplers", "names what is not there: %v", err)
	}
}

// readStop reads a text or a list of them.
func (p *params) readStop(o *object) {
	if data, ok := o.raw("stop"); ok && kindOf(data) == "a string" {
		p.stop = []string{""}
		o.str("stop", &p.stop[0])
		return
	}
	if o.strs("stop", &p.stop); len(p.stop) > maxStops {
		o.fail("stop", "has %d texts, %d may be", len(p.stop), maxStops)
	}
}
