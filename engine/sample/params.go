package sample

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
)

// Token is a vocabulary index.
type Token = int32

// Params configure a chain. Start from DefaultParams: the zero value is greedy.
type Params struct {
	Seed     int64    // negative: a random one
	Samplers []string // names in order; nil: DefaultSamplers

	Temperature      float32 // 0 or less: the most likely token
	DynatempRange    float32 // temperature varies by ± this much with the entropy; 0: off
	DynatempExponent float32

	TopK      int     // keep the k most likely; 0 or less: all
	TopP      float32 // keep the least number that have this much probability; 1: all
	MinP      float32 // drop those less likely than this share of the most likely; 0: none
	TypicalP  float32 // locally typical sampling; 0 or 1: off
	TopNSigma float32 // keep logits within n standard deviations of the greatest; 0 or less: all
	MinKeep   int     // candidates that top_p, min_p, typ_p and xtc leave at least

	XTCProbability float32 // chance of excluding the top choices; 0: off
	XTCThreshold   float32 // least probability of a top choice; above 0.5: off

	RepeatLastN      int     // tokens that penalties look back on; 0: off, negative: all
	RepeatPenalty    float32 // 1: off
	FrequencyPenalty float32 // 0: off
	PresencePenalty  float32 // 0: off

	DryMultiplier    float32 // 0: off
	DryBase          float32
	DryAllowedLength int
	DryPenaltyLastN  int // 0: off, negative: all
	DryBreakers      []string

	AdaptiveTarget float32 // probability that drawn tokens have on average; negative: off
	AdaptiveDecay  float32 // 0 to 0.99: how slowly the average forgets

	Mirostat    int     // 1 or 2: that version in the place of all other samplers but temperature; 0: off
	MirostatTau float32 // surprise to aim at, in bits
	MirostatEta float32 // learning rate

	LogitBias map[Token]float32 // added to logits first; -Inf bans a token
}

// DefaultParams are llama.cpp's defaults.
func DefaultParams() Params {
	return Params{
		Seed:        -1,
		Temperature: 0.8, DynatempExponent: 1,
		TopK: 40, TopP: 0.95, MinP: 0.05, TypicalP: 1, TopNSigma: -1,
		XTCThreshold: 0.1,
		RepeatLastN:  64, RepeatPenalty: 1,
		DryBase: 1.75, DryAllowedLength: 2, DryPenaltyLastN: 64,
		DryBreakers:    []string{"\n", ":", "\"", "*"},
		AdaptiveTarget: -1, AdaptiveDecay: 0.9,
		MirostatTau: 5, MirostatEta: 0.1,
	}
}

// DefaultSamplers is the usual order of the chain.
func DefaultSamplers() []string {
	return []string{"penalties", "dry", "top_n_sigma", "top_k", "typ_p", "top_p", "min_p", "xtc", "temperature"}
}

// aliases are other spellings that users of llama.cpp know.
var aliases = map[string]string{
	"top-k": "top_k", "top-p": "top_p", "nucleus": "top_p", "min-p": "min_p", "typical": "typ_p", "typical-p": "typ_p",
	"typical_p": "typ_p", "typ-p": "typ_p", "typ": "typ_p", "temp": "temperature", "top-n-sigma": "top_n_sigma",
	"top-nsigma": "top_n_sigma", "adaptive-p": "adaptive_p",
}

// letters are the samplers of --sampler-seq.
var letters = map[rune]string{'e': "penalties", 'd': "dry", 's': "top_n_sigma", 'k': "top_k", 'y': "typ_p", 'p': "top_p",
	'm': "min_p", 'x': "xtc", 't': "temperature", 'a': "adaptive_p"}

// known are the names that a chain may have.
func known() []string { return append(DefaultSamplers(), "adaptive_p") }

// ParseSamplers reads names separated by semicolons.
func ParseSamplers(list string) ([]string, error) {
	out := []string{}
	for _, name := range strings.FieldsFunc(list, func(r rune) bool { return r == ';' }) {
		name = strings.ToLower(strings.TrimSpace(name))
		if full, ok := aliases[name]; ok {
			name = full
		}
		if !slices.Contains(known(), name) {
			return nil, fmt.Errorf("sampler %q: unknown; use %s", name, strings.Join(known(), ", "))
		}
		out = append(out, name)
	}
	return out, nil
}

// ParseSequence reads one letter a sampler, as in "edskypmxt".
func ParseSequence(seq string) ([]string, error) {
	out := []string{}
	for _, r := range seq {
		name, ok := letters[r]
		if !ok {
			return nil, fmt.Errorf("sampler letter %q: unknown; use letters of edskypmxta", r)
		}
		out = append(out, name)
	}
	return out, nil
}

// Validate says which parameter is out of its range.
func (p *Params) Validate() error {
	for _, c := range []struct {
		name     string
		value    float32
		min, max float64
	}{
		{"temperature", p.Temperature, math.Inf(-1), math.MaxFloat32},
		{"top_p", p.TopP, 0, 1},
		{"min_p", p.MinP, 0, 1},
		{"typical_p", p.TypicalP, 0, 1},
		{"xtc_probability", p.XTCProbability, 0, 1},
		{"xtc_threshold", p.XTCThreshold, 0, 1},
		{"dynatemp_range", p.DynatempRange, 0, math.MaxFloat32},
		{"repeat_penalty", p.RepeatPenalty, 0, math.MaxFloat32},
		{"dry_multiplier", p.DryMultiplier, 0, math.MaxFloat32},
		{"adaptive_target", p.AdaptiveTarget, math.Inf(-1), 1},
		{"adaptive_decay", p.AdaptiveDecay, 0, 0.99},
		{"mirostat", float32(p.Mirostat), 0, 2},
		{"mirostat_tau", p.MirostatTau, 0, math.MaxFloat32},
		{"mirostat_eta", p.MirostatEta, 0, math.MaxFloat32},
	} {
		if v := float64(c.value); !(v >= c.min && v <= c.max) {
			return fmt.Errorf("%s is %g, want %g to %g", c.name, v, c.min, c.max)
		}
	}
	if p.RepeatPenalty == 0 && p.RepeatLastN != 0 {
		return errors.New("repeat_penalty is 0, by which logits cannot be divided; 1 turns it off")
	}
	if p.DryAllowedLength < 0 {
		return fmt.Errorf("dry_allowed_length is %d, want 0 or more", p.DryAllowedLength)
	}
	_, err := ParseSamplers(strings.Join(p.Samplers, ";"))
	return err
}
