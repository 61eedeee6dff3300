package serve

import (
	"math"
	"slices"

	"github.com/llamakit/llamakit/engine"
	"github.com/llamakit/llamakit/engine/sample"
)

// settings are the parameters of an answer as llama.cpp shows them.
type settings struct {
	Seed             uint32     `json:"seed"`
	Temperature      float32    `json:"temperature"`
	DynatempRange    float32    `json:"dynatemp_range"`
	DynatempExponent float32    `json:"dynatemp_exponent"`
	TopK             int        `json:"top_k"`
	TopP             float32    `json:"top_p"`
	MinP             float32    `json:"min_p"`
	TopNSigma        float32    `json:"top_n_sigma"`
	XTCProbability   float32    `json:"xtc_probability"`
	XTCThreshold     float32    `json:"xtc_threshold"`
	TypicalP         float32    `json:"typical_p"`
	RepeatLastN      int        `json:"repeat_last_n"`
	RepeatPenalty    float32    `json:"repeat_penalty"`
	PresencePenalty  float32    `json:"presence_penalty"`
	FrequencyPenalty float32    `json:"frequency_penalty"`
	DryMultiplier    float32    `json:"dry_multiplier"`
	DryBase          float32    `json:"dry_base"`
	DryAllowedLength int        `json:"dry_allowed_length"`
	DryPenaltyLastN  int        `json:"dry_penalty_last_n"`
	DryBreakers      []string   `json:"dry_sequence_breakers"`
	Mirostat         int        `json:"mirostat"`
	MirostatTau      float32    `json:"mirostat_tau"`
	MirostatEta      float32    `json:"mirostat_eta"`
	AdaptiveTarget   float32    `json:"adaptive_target"`
	AdaptiveDecay    float32    `json:"adaptive_decay"`
	Stop             []string   `json:"stop"`
	MaxTokens        int        `json:"max_tokens"`
	NPredict         int        `json:"n_predict"`
	NKeep            int        `json:"n_keep"`
	NDiscard         int        `json:"n_discard"`
	IgnoreEOS        bool       `json:"ignore_eos"`
	Stream           bool       `json:"stream"`
	LogitBias        []biasJSON `json:"logit_bias"`
	NProbs           int        `json:"n_probs"`
	MinKeep          int        `json:"min_keep"`
	Grammar          string     `json:"grammar"`
	ReasoningFormat  string     `json:"reasoning_format"`
	Samplers         []string   `json:"samplers"`
	TimingsPerToken  bool       `json:"timings_per_token"`
	PostSampling     bool       `json:"post_sampling_probs"`
	LoRA             []any      `json:"lora"`

	GrammarLazy     bool  `json:"grammar_lazy"`
	GrammarTriggers []any `json:"grammar_triggers"`
	PreservedTokens []any `json:"preserved_tokens"`

	// What has one value only: clients that read llama.cpp's settings find all of them.
	ChatFormat         string `json:"chat_format"`
	ReasoningInContent bool   `json:"reasoning_in_content"`
	GenerationPrompt   string `json:"generation_prompt"`
	Speculative        string `json:"speculative.types"`
	BackendSampling    bool   `json:"backend_sampling"`
}

type biasJSON struct {
	Token engine.Token `json:"token"`
	Bias  any          `json:"bias"` // false: banned, which JSON has no number for
}

func (p *params) settings() settings {
	c := &p.sampling
	s := settings{
		Temperature: c.Temperature, DynatempRange: c.DynatempRange, DynatempExponent: c.DynatempExponent,
		TopK: c.TopK, TopP: c.TopP, MinP: c.MinP, TopNSigma: c.TopNSigma, XTCProbability: c.XTCProbability,
		XTCThreshold: c.XTCThreshold, TypicalP: c.TypicalP, RepeatLastN: c.RepeatLastN, RepeatPenalty: c.RepeatPenalty,
		PresencePenalty: c.PresencePenalty, FrequencyPenalty: c.FrequencyPenalty, DryMultiplier: c.DryMultiplier,
		DryBase: c.DryBase, DryAllowedLength: c.DryAllowedLength, DryPenaltyLastN: c.DryPenaltyLastN,
		DryBreakers: list(c.DryBreakers), Mirostat: c.Mirostat, MirostatTau: c.MirostatTau, MirostatEta: c.MirostatEta,
		AdaptiveTarget: c.AdaptiveTarget, AdaptiveDecay: c.AdaptiveDecay, Stop: list(p.stop), MaxTokens: p.max, NPredict: p.max,
		NKeep: p.keep, IgnoreEOS: p.ignoreEOS, Stream: p.stream, LogitBias: biases(c.LogitBias), MinKeep: c.MinKeep,
		NProbs: p.topProbs, PostSampling: p.probsDrawn,
		ReasoningFormat: string(p.reasoning), Samplers: c.Samplers, TimingsPerToken: p.timingsPerToken, LoRA: []any{},
		GrammarTriggers: []any{}, PreservedTokens: []any{}, ChatFormat: "Content-only", Speculative: "none",
	}
	s.Grammar = p.form.source
	p.form.lists(&s)
	s.Seed = math.MaxUint32 // a random one
	if c.Seed >= 0 {
		s.Seed = uint32(c.Seed)
	}
	if s.Samplers == nil {
		s.Samplers = sample.DefaultSamplers()
	}
	return s
}

// list is never null in JSON.
func list(texts []string) []string { return append([]string{}, texts...) }

// biases lists biases by token.
func biases(bias map[engine.Token]float32) []biasJSON {
	out := []biasJSON{}
	for t, b := range bias {
		x := biasJSON{Token: t, Bias: b}
		if math.IsInf(float64(b), 0) {
			x.Bias = false
		}
		out = append(out, x)
	}
	slices.SortFunc(out, func(a, b biasJSON) int { return int(a.Token - b.Token) })
	return out
}
