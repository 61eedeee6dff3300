package flags

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/urfave/cli/v3"

	"github.com/llamakit/llamakit/engine/sample"
)

// Sampling collects what the command line says of sampling. What it does not say is left to the model's own
// recommendation, and to llama.cpp's defaults.
type Sampling struct {
	changes   []func(*sample.Params)
	breakers  bool
	IgnoreEOS bool
}

// Params applies the flags to a model's defaults.
func (s *Sampling) Params(base sample.Params) sample.Params {
	for _, change := range s.changes {
		change(&base)
	}
	return base
}

// float is a flag's value that sets a number of the parameters.
func (s *Sampling) float(lo, hi float64, field func(*sample.Params) *float32) Value {
	return Func(func(text string) error {
		x, err := parseFloat(text, lo, hi)
		if err == nil {
			s.changes = append(s.changes, func(p *sample.Params) { *field(p) = float32(x) })
		}
		return err
	})
}

func (s *Sampling) int(lo, hi int, field func(*sample.Params) *int) Value {
	return Func(func(text string) error {
		n, err := parseInt(text, lo, hi)
		if err == nil {
			s.changes = append(s.changes, func(p *sample.Params) { *field(p) = n })
		}
		return err
	})
}

// SamplingFlags are the samplers' parameters, with llama.cpp's names and defaults.
func (s *Sampling) SamplingFlags() []cli.Flag {
	type p = sample.Params
	big := math.MaxFloat32
	return Group("Sampling",
		New("-s, --seed SEED", "seed (default: -1, a random one)", Func(s.setSeed)),
		New("--temp, --temperature N", "temperature (default: 0.80)", s.float(-big, big, func(p *p) *float32 { return &p.Temperature })).Env("LLAMA_ARG_TEMPERATURE"),
		New("--top-k N", "keep the N most likely tokens (default: 40, 0 = all)", s.int(-1, anyInt, func(p *p) *int { return &p.TopK })).Env("LLAMA_ARG_TOP_K"),
		New("--top-p N", "keep the fewest tokens with this probability (default: 0.95, 1.0 = all)", s.float(0, 1, func(p *p) *float32 { return &p.TopP })).Env("LLAMA_ARG_TOP_P"),
		New("--min-p N", "drop tokens less likely than N times the most likely (default: 0.05, 0.0 = none)", s.float(0, 1, func(p *p) *float32 { return &p.MinP })).Env("LLAMA_ARG_MIN_P"),
		New("--typical, --typical-p N", "locally typical sampling (default: 1.00, 1.0 = off)", s.float(0, 1, func(p *p) *float32 { return &p.TypicalP })),
		New("--top-nsigma, --top-n-sigma N", "keep logits within N deviations of the greatest (default: -1.00, off)", s.float(-1, big, func(p *p) *float32 { return &p.TopNSigma })),
		New("--xtc-probability N", "chance of excluding top choices (default: 0.00, off)", s.float(0, 1, func(p *p) *float32 { return &p.XTCProbability })),
		New("--xtc-threshold N", "least probability of a top choice (default: 0.10)", s.float(0, 1, func(p *p) *float32 { return &p.XTCThreshold })),
		New("--repeat-last-n N", "tokens that penalties look back on (default: 64, 0 = off, -1 = all)", s.int(-1, anyInt, func(p *p) *int { return &p.RepeatLastN })),
		New("--repeat-penalty N", "divide logits of repeated tokens (default: 1.00, off)", s.float(0, big, func(p *p) *float32 { return &p.RepeatPenalty })).Env("LLAMA_ARG_REPEAT_PENALTY"),
		New("--presence-penalty N", "subtract from logits of tokens that occurred (default: 0.00)", s.float(-big, big, func(p *p) *float32 { return &p.PresencePenalty })).Env("LLAMA_ARG_PRESENCE_PENALTY"),
		New("--frequency-penalty N", "subtract for each occurrence (default: 0.00)", s.float(-big, big, func(p *p) *float32 { return &p.FrequencyPenalty })).Env("LLAMA_ARG_FREQUENCY_PENALTY"),
		New("--dry-multiplier N", "penalty of repeated runs, DRY (default: 0.00, off)", s.float(0, big, func(p *p) *float32 { return &p.DryMultiplier })),
		New("--dry-base N", "growth of the DRY penalty (default: 1.75)", s.float(0, big, func(p *p) *float32 { return &p.DryBase })),
		New("--dry-allowed-length N", "runs up to this length are free (default: 2)", s.int(0, anyInt, func(p *p) *int { return &p.DryAllowedLength })),
		New("--dry-penalty-last-n N", "tokens that DRY looks back on (default: 64, 0 = off, -1 = all)", s.int(-1, anyInt, func(p *p) *int { return &p.DryPenaltyLastN })),
		New("--dry-sequence-breaker TEXT", "runs do not reach over this text; the first replaces the defaults, none is no text", Func(s.addBreaker)),
		New("--dynatemp-range N", "temperature varies by this much with the entropy (default: 0.00, off)", s.float(0, big, func(p *p) *float32 { return &p.DynatempRange })),
		New("--dynatemp-exp N", "exponent of dynamic temperature (default: 1.00)", s.float(0, big, func(p *p) *float32 { return &p.DynatempExponent })),
		New("--adaptive-target N", "adaptive-p: prefer tokens of this probability (default: -1.00, off)", s.float(-big, 1, func(p *p) *float32 { return &p.AdaptiveTarget })),
		New("--adaptive-decay N", "adaptive-p: how slowly the average forgets, 0 to 0.99 (default: 0.90)", s.float(0, 0.99, func(p *p) *float32 { return &p.AdaptiveDecay })),
		New("--mirostat N", "Mirostat version 1 or 2 instead of the samplers that cut (default: 0, off)", s.int(0, 2, func(p *p) *int { return &p.Mirostat })),
		New("--mirostat-lr N", "Mirostat: learning rate, eta (default: 0.10)", s.float(0, big, func(p *p) *float32 { return &p.MirostatEta })),
		New("--mirostat-ent N", "Mirostat: surprise to aim at, tau (default: 5.00)", s.float(0, big, func(p *p) *float32 { return &p.MirostatTau })),
		New("--samplers LIST", "samplers in order, separated by ; (default: "+strings.Join(sample.DefaultSamplers(), ";")+")", Func(func(text string) error {
			return s.setSamplers(sample.ParseSamplers(text))
		})),
		New("--sampler-seq, --sampling-seq LETTERS", "the same with a letter each (default: edskypmxt)", Func(func(text string) error {
			return s.setSamplers(sample.ParseSequence(text))
		})),
		New("-l, --logit-bias ID+BIAS", "add to a token's logit: 15043+1, 15043-1, 15043-inf", Func(s.addBias)),
		New("--ignore-eos", "ban the tokens that end a turn", Switch(&s.IgnoreEOS)),
	)
}

func (s *Sampling) setSeed(text string) error {
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < -1 || n > math.MaxUint32 {
		return fmt.Errorf("%q is not a seed: want -1 to 4294967295", text)
	}
	if n == math.MaxUint32 { // llama.cpp's name for a random one
		n = -1
	}
	s.changes = append(s.changes, func(p *sample.Params) { p.Seed = n })
	return nil
}

func (s *Sampling) setSamplers(names []string, err error) error {
	if err == nil {
		s.changes = append(s.changes, func(p *sample.Params) { p.Samplers = names })
	}
	return err
}

func (s *Sampling) addBreaker(text string) error {
	first, text := !s.breakers, Unescape(text)
	s.breakers = true
	s.changes = append(s.changes, func(p *sample.Params) {
		if first {
			p.DryBreakers = nil
		}
		if text != "none" {
			p.DryBreakers = append(p.DryBreakers, text)
		}
	})
	return nil
}

// addBias reads a token number, a sign and a number or inf.
func (s *Sampling) addBias(text string) error {
	at := strings.IndexAny(text, "+-")
	if at <= 0 {
		return fmt.Errorf("%q is not TOKEN_ID(+/-)BIAS", text)
	}
	id, err := parseInt(text[:at], 0, anyInt)
	if err != nil {
		return err
	}
	bias, err := strconv.ParseFloat(text[at:], 32)
	if err != nil || math.IsNaN(bias) {
		return fmt.Errorf("%q is not a bias", text[at:])
	}
	s.changes = append(s.changes, func(p *sample.Params) {
		merged := map[sample.Token]float32{sample.Token(id): float32(bias)}
		for k, v := range p.LogitBias {
			if int(k) != id {
				merged[k] = v
			}
		}
		p.LogitBias = merged
	})
	return nil
}
