package debug

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"

	"github.com/llamakit/llamakit/engine"
	"github.com/llamakit/llamakit/engine/sample"
)

// Sampling are the parameters of the sampler chain, in JSON under the names that the server's API has for them. Fields that
// JSON does not mention keep their value.
type Sampling sample.Params

// samplingFields is sample.Params with names for JSON.
type samplingFields struct {
	Seed             int64                    `json:"seed"`
	Samplers         []string                 `json:"samplers,omitempty"`
	Temperature      float32                  `json:"temperature"`
	DynatempRange    float32                  `json:"dynatemp_range"`
	DynatempExponent float32                  `json:"dynatemp_exponent"`
	TopK             int                      `json:"top_k"`
	TopP             float32                  `json:"top_p"`
	MinP             float32                  `json:"min_p"`
	TypicalP         float32                  `json:"typical_p"`
	TopNSigma        float32                  `json:"top_n_sigma"`
	MinKeep          int                      `json:"min_keep"`
	XTCProbability   float32                  `json:"xtc_probability"`
	XTCThreshold     float32                  `json:"xtc_threshold"`
	RepeatLastN      int                      `json:"repeat_last_n"`
	RepeatPenalty    float32                  `json:"repeat_penalty"`
	FrequencyPenalty float32                  `json:"frequency_penalty"`
	PresencePenalty  float32                  `json:"presence_penalty"`
	DryMultiplier    float32                  `json:"dry_multiplier"`
	DryBase          float32                  `json:"dry_base"`
	DryAllowedLength int                      `json:"dry_allowed_length"`
	DryPenaltyLastN  int                      `json:"dry_penalty_last_n"`
	DryBreakers      []string                 `json:"dry_sequence_breakers"`
	AdaptiveTarget   float32                  `json:"adaptive_target"`
	AdaptiveDecay    float32                  `json:"adaptive_decay"`
	Mirostat         int                      `json:"mirostat"`
	MirostatTau      float32                  `json:"mirostat_tau"`
	MirostatEta      float32                  `json:"mirostat_eta"`
	LogitBias        map[engine.Token]float32 `json:"-"`
}

// samplingJSON adds the biases, which may be infinite.
type samplingJSON struct {
	*samplingFields
	LogitBias []bias `json:"logit_bias,omitempty"`
}

// MarshalJSON implements json.Marshaler.
func (s Sampling) MarshalJSON() ([]byte, error) {
	f := samplingFields(s)
	out := samplingJSON{samplingFields: &f}
	for t, b := range s.LogitBias {
		out.LogitBias = append(out.LogitBias, bias{t, b})
	}
	slices.SortFunc(out.LogitBias, func(a, b bias) int { return int(a.token) - int(b.token) })
	return json.Marshal(out)
}

// UnmarshalJSON implements json.Unmarshaler.
func (s *Sampling) UnmarshalJSON(data []byte) error {
	f := samplingFields(*s)
	in := samplingJSON{samplingFields: &f}
	if err := json.Unmarshal(data, &in); err != nil {
		return err
	}
	if in.LogitBias != nil {
		f.LogitBias = map[engine.Token]float32{}
		for _, b := range in.LogitBias {
			f.LogitBias[b.token] = b.value
		}
	}
	*s = Sampling(f)
	return nil
}

// bias is [token, number], or [token, false] for a token that is banned.
type bias struct {
	token engine.Token
	value float32
}

func (b bias) MarshalJSON() ([]byte, error) {
	if math.IsInf(float64(b.value), -1) {
		return json.Marshal([]any{b.token, false})
	}
	return json.Marshal([]any{b.token, b.value})
}

func (b *bias) UnmarshalJSON(data []byte) error {
	var pair [2]json.RawMessage
	if err := json.Unmarshal(data, &pair); err != nil {
		return err
	}
	if err := json.Unmarshal(pair[0], &b.token); err != nil {
		return err
	}
	if string(pair[1]) == "false" {
		b.value = float32(math.Inf(-1))
		return nil
	}
	if err := json.Unmarshal(pair[1], &b.value); err != nil {
		return fmt.Errorf("logit bias of token %d: %w", b.token, err)
	}
	return nil
}
