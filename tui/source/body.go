package source

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"

	"github.com/llamakit/llamakit/engine"
	"github.com/llamakit/llamakit/engine/chat"
	"github.com/llamakit/llamakit/engine/sample"
	"github.com/llamakit/llamakit/tui/client"
)

// Field is a field of a JSON object.
type Field struct {
	Name  string
	Value any
}

// Body is a JSON object whose fields keep their order.
type Body []Field

// MarshalJSON writes the fields in order.
func (b Body) MarshalJSON() ([]byte, error) {
	var out bytes.Buffer
	for i, f := range b {
		name, _ := json.Marshal(f.Name)
		value, err := client.Encode(f.Value)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", f.Name, err)
		}
		fmt.Fprintf(&out, "%c%s:%s", "{,"[min(i, 1)], name, value)
	}
	if len(b) == 0 {
		out.WriteByte('{')
	}
	return append(out.Bytes(), '}'), nil
}

// Endpoint is the path that a request is posted to: that of conversations, or that of plain prompts.
func (r *Request) Endpoint() string {
	if len(r.Messages) > 0 {
		return "/v1/chat/completions"
	}
	return "/completion"
}

// Body is the request as JSON for Endpoint, without the fields that say how the answer is sent. base are the sampling
// parameters that hold where the request says nothing: what equals them and llama.cpp's defaults is left out, but for the
// parameters that people ask for first.
func (r *Request) Body(base sample.Params) (Body, error) {
	if err := r.sendable(); err != nil {
		return nil, err
	}
	var b Body
	switch {
	case len(r.Messages) > 0:
		b = append(b, Field{"messages", r.Messages})
		b = append(b, r.templateFields()...)
	case len(r.Tokens) > 0:
		b = append(b, Field{"prompt", r.Tokens})
	default:
		b = append(b, Field{"prompt", r.Prompt})
	}
	b = append(b, samplingFields(r.Sampling, base)...)
	return append(b, r.limitFields()...), nil
}

// sendable says what of a request no server can be asked for.
func (r *Request) sendable() error {
	switch {
	case len(r.Script) > 0:
		return fmt.Errorf("a given beginning of the answer: %w", ErrMissing)
	case r.Grammar != nil && r.GBNF == "" && r.Schema == nil:
		return fmt.Errorf("a grammar without its text: %w", ErrMissing)
	case len(r.Triggers) > 0 || len(r.Preserved) > 0:
		return fmt.Errorf("a grammar that begins late: %w", ErrMissing)
	case r.Template.UserSpecials:
		return fmt.Errorf("control tokens in messages: %w (it is for the server to allow)", ErrMissing)
	}
	return nil
}

func (r *Request) templateFields() (b Body) {
	o := r.Template
	if len(o.Tools) > 0 {
		b = append(b, Field{"tools", json.RawMessage(o.Tools)})
	}
	kwargs := maps.Clone(o.Kwargs)
	if o.Thinking != chat.ThinkingAuto {
		if kwargs == nil {
			kwargs = map[string]any{}
		}
		kwargs["enable_thinking"] = o.Thinking == chat.ThinkingOn
	}
	if len(kwargs) > 0 {
		b = append(b, Field{"chat_template_kwargs", kwargs})
	}
	if o.NoGenerationPrompt {
		b = append(b, Field{"add_generation_prompt", false})
	}
	return b
}

// first are the parameters that a request always says.
var first = []string{"seed", "temperature", "top_k", "top_p", "min_p"}

func samplingFields(p, base sample.Params) (b Body) {
	llamacpp := sample.DefaultParams()
	for _, q := range []*sample.Params{&p, &base, &llamacpp} {
		if q.Samplers == nil {
			q.Samplers = sample.DefaultSamplers()
		}
	}
	defaults, bases := params(&llamacpp), params(&base)
	for i, f := range params(&p) {
		if slices.Contains(first, f.Name) || !reflect.DeepEqual(f.Value, defaults[i].Value) || !reflect.DeepEqual(f.Value, bases[i].Value) {
			b = append(b, f)
		}
	}
	if len(p.LogitBias) > 0 {
		b = append(b, Field{"logit_bias", biases(p.LogitBias)})
	}
	return b
}

// params are pointers to the parameters, by their names in the HTTP API.
func params(p *sample.Params) Body {
	return Body{{"seed", &p.Seed}, {"temperature", &p.Temperature}, {"top_k", &p.TopK}, {"top_p", &p.TopP}, {"min_p", &p.MinP},
		{"samplers", &p.Samplers}, {"typical_p", &p.TypicalP}, {"top_n_sigma", &p.TopNSigma}, {"min_keep", &p.MinKeep},
		{"dynatemp_range", &p.DynatempRange}, {"dynatemp_exponent", &p.DynatempExponent},
		{"xtc_probability", &p.XTCProbability}, {"xtc_threshold", &p.XTCThreshold},
		{"repeat_last_n", &p.RepeatLastN}, {"repeat_penalty", &p.RepeatPenalty},
		{"frequency_penalty", &p.FrequencyPenalty}, {"presence_penalty", &p.PresencePenalty},
		{"dry_multiplier", &p.DryMultiplier}, {"dry_base", &p.DryBase}, {"dry_allowed_length", &p.DryAllowedLength},
		{"dry_penalty_last_n", &p.DryPenaltyLastN}, {"dry_sequence_breakers", &p.DryBreakers},
		{"mirostat", &p.Mirostat}, {"mirostat_tau", &p.MirostatTau}, {"mirostat_eta", &p.MirostatEta},
		{"adaptive_target", &p.AdaptiveTarget}, {"adaptive_decay", &p.AdaptiveDecay}}
}

// biases are pairs of a token and what is added to its logit; false bans it.
func biases(bias map[engine.Token]float32) (out []any) {
	for _, t := range slices.Sorted(maps.Keys(bias)) {
		if b := bias[t]; math.IsInf(float64(b), -1) {
			out = append(out, []any{t, false})
		} else {
			out = append(out, []any{t, b})
		}
	}
	return out
}

func (r *Request) limitFields() (b Body) {
	add := func(wanted bool, name string, value any) {
		if wanted {
			b = append(b, Field{name, value})
		}
	}
	add(r.MaxTokens > 0, "max_tokens", r.MaxTokens)
	add(len(r.Stop) > 0, "stop", r.Stop)
	add(r.IgnoreEOG, "ignore_eos", true)
	add(r.GBNF != "", "grammar", r.GBNF)
	add(r.GBNF == "" && r.Schema != nil, "json_schema", r.Schema)
	add(r.Keep > 0, "n_keep", r.Keep)
	add(r.Fresh, "cache_prompt", false)
	add(r.Pinned, "id_slot", r.Slot)
	add(r.Unsplit, "reasoning_format", "none")
	add(r.ReasoningLimit > 0, "reasoning_budget_tokens", r.ReasoningLimit)
	add(r.ReasoningLimit < 0, "reasoning_budget_tokens", 0)
	add(r.ReasoningLimit > 0 && r.ReasoningEnd != "", "reasoning_budget_message", r.ReasoningEnd)
	if r.Probs {
		add(len(r.Messages) > 0, "logprobs", true)
		add(len(r.Messages) > 0, "top_logprobs", r.TopProbs)
		add(len(r.Messages) == 0, "n_probs", max(r.TopProbs, 1))
		add(r.ProbsDrawn, "post_sampling_probs", true)
	}
	return b
}
