package hf

import (
	"encoding/json"
	"math"
	"testing"
)

// TestHostileConfigs reads the published configurations with each number replaced by one that no model has, and each text and
// list by something else. There must be keys or an error, and no panic.
func TestHostileConfigs(t *testing.T) {
	for _, c := range configs {
		var config object
		if err := json.Unmarshal([]byte("{"+c.config+"}"), &config); err != nil {
			t.Fatal(err)
		}
		for key, old := range config {
			if key == "architectures" {
				continue
			}
			for _, v := range []any{0, -1, math.MaxInt32, 1e300, "x", list{1, "x", nil}, object{}, nil} {
				config[key] = v
				_, _, _ = parameters(t, config)
			}
			config[key] = old
		}
	}
}
