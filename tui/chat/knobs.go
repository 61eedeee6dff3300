package chat

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/llamakit/llamakit/engine/sample"
	"github.com/llamakit/llamakit/tui/source"
)

// knob is a parameter of sampling that can be turned.
type knob struct {
	name     string
	step     float64
	min, max float64
	at       func(r *source.Request) any // *float32, *int or *int64
}

// knobs are the parameters, in the order of the chain that they belong to.
var knobs = []knob{
	{"temperature", 0.05, 0, 10, func(r *source.Request) any { return &r.Sampling.Temperature }},
	{"top_k", 1, 0, 1 << 20, func(r *source.Request) any { return &r.Sampling.TopK }},
	{"top_p", 0.01, 0, 1, func(r *source.Request) any { return &r.Sampling.TopP }},
	{"min_p", 0.01, 0, 1, func(r *source.Request) any { return &r.Sampling.MinP }},
	{"typical_p", 0.01, 0, 1, func(r *source.Request) any { return &r.Sampling.TypicalP }},
	{"top_n_sigma", 0.1, -1, 100, func(r *source.Request) any { return &r.Sampling.TopNSigma }},
	{"xtc_probability", 0.05, 0, 1, func(r *source.Request) any { return &r.Sampling.XTCProbability }},
	{"xtc_threshold", 0.01, 0, 1, func(r *source.Request) any { return &r.Sampling.XTCThreshold }},
	{"repeat_penalty", 0.01, 0, 10, func(r *source.Request) any { return &r.Sampling.RepeatPenalty }},
	{"repeat_last_n", 16, -1, 1 << 20, func(r *source.Request) any { return &r.Sampling.RepeatLastN }},
	{"frequency_penalty", 0.05, -10, 10, func(r *source.Request) any { return &r.Sampling.FrequencyPenalty }},
	{"presence_penalty", 0.05, -10, 10, func(r *source.Request) any { return &r.Sampling.PresencePenalty }},
	{"dry_multiplier", 0.05, 0, 10, func(r *source.Request) any { return &r.Sampling.DryMultiplier }},
	{"dry_base", 0.05, 0, 10, func(r *source.Request) any { return &r.Sampling.DryBase }},
	{"dry_allowed_length", 1, 0, 1000, func(r *source.Request) any { return &r.Sampling.DryAllowedLength }},
	{"dynatemp_range", 0.05, 0, 10, func(r *source.Request) any { return &r.Sampling.DynatempRange }},
	{"adaptive_target", 0.05, -1, 1, func(r *source.Request) any { return &r.Sampling.AdaptiveTarget }},
	{"mirostat", 1, 0, 2, func(r *source.Request) any { return &r.Sampling.Mirostat }},
	{"mirostat_tau", 0.1, 0, 100, func(r *source.Request) any { return &r.Sampling.MirostatTau }},
	{"mirostat_eta", 0.01, 0, 10, func(r *source.Request) any { return &r.Sampling.MirostatEta }},
	{"min_keep", 1, 0, 1000, func(r *source.Request) any { return &r.Sampling.MinKeep }},
	{"seed", 1, -1, math.MaxInt32, func(r *source.Request) any { return &r.Sampling.Seed }},
	{"max_tokens", 16, -1, 1 << 20, func(r *source.Request) any { return &r.MaxTokens }},
}

// knobNames are other names of parameters, as flags have them.
var knobNames = map[string]string{"temp": "temperature", "typical": "typical_p", "n": "max_tokens", "predict": "max_tokens"}

func findKnob(name string) *knob {
	name = strings.ReplaceAll(strings.TrimLeft(name, "-"), "-", "_")
	if full, ok := knobNames[name]; ok {
		name = full
	}
	for i := range knobs {
		if knobs[i].name == name {
			return &knobs[i]
		}
	}
	return nil
}

func (k *knob) value(r *source.Request) float64 {
	switch p := k.at(r).(type) {
	case *float32:
		return float64(*p)
	case *int:
		return float64(*p)
	case *int64:
		return float64(*p)
	}
	return 0
}

// set sets a value, within the range.
func (k *knob) set(r *source.Request, x float64) {
	x = max(k.min, min(x, k.max))
	switch p := k.at(r).(type) {
	case *float32:
		*p = float32(math.Round(x*1e4) / 1e4)
	case *int:
		*p = int(x)
	case *int64:
		*p = int64(x)
	}
}

// text is the value as it is shown.
func (k *knob) text(r *source.Request) string {
	return strconv.FormatFloat(k.value(r), 'g', 5, 32)
}

// read sets a value that was typed.
func (k *knob) read(r *source.Request, text string) error {
	x, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
	if err != nil || !(x >= k.min && x <= k.max) {
		return fmt.Errorf("%s is a number from %g to %g, not %s", k.name, k.min, k.max, text)
	}
	k.set(r, x)
	return nil
}

// setSampling sets a parameter by its name, or the order of the samplers.
func setSampling(r *source.Request, name, value string) error {
	if name == "samplers" {
		list, err := sample.ParseSamplers(value)
		if err == nil {
			r.Sampling.Samplers = list
		}
		return err
	}
	k := findKnob(name)
	if k == nil {
		return fmt.Errorf("there is no parameter %q", name)
	}
	return k.read(r, value)
}

func knobHints(v *View) (list []hint) {
	for _, k := range knobs {
		list = append(list, hint{k.name, "now " + k.text(&v.request)})
	}
	return append(list, hint{"samplers", "the order, as top_k;temperature"})
}
