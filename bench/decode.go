package bench

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// record is what this package reads of a result in JSON.
type record struct {
	Commit      string    `json:"build_commit"`
	Number      int       `json:"build_number"`
	Prompt      int       `json:"n_prompt"`
	Gen         int       `json:"n_gen"`
	Depth       int       `json:"n_depth"`
	Nanoseconds []float64 `json:"samples_ns"`
	Speeds      []float64 `json:"samples_ts"`

	fields map[string]any // all of them
}

// decode reads results: a JSON array, or objects one after another.
func decode(name string, data []byte) ([]record, error) {
	var raw []json.RawMessage
	if err := json.Unmarshal(data, &raw); err != nil {
		raw = nil
		for d := json.NewDecoder(bytes.NewReader(data)); ; {
			var one json.RawMessage
			if err := d.Decode(&one); err != nil {
				if len(raw) > 0 && len(bytes.TrimSpace(data[d.InputOffset():])) == 0 {
					break
				}
				return nil, fmt.Errorf("%s: neither a JSON array nor JSON lines of llama-bench (make one with -o json): %w", name, err)
			}
			raw = append(raw, one)
		}
	}
	records := make([]record, len(raw))
	for i, one := range raw {
		r := &records[i]
		if err := json.Unmarshal(one, r); err != nil {
			return nil, fmt.Errorf("%s: result %d: %w", name, i+1, err)
		}
		if err := json.Unmarshal(one, &r.fields); err != nil {
			return nil, fmt.Errorf("%s: result %d: %w", name, i+1, err)
		}
	}
	return records, nil
}
