package quantize

import (
	"strings"

	"github.com/llamakit/llamakit/formats/mixture"
)

// group names the part of the model that a tensor belongs to, for totals.
func group(name string, dims int) string {
	switch r := mixture.RoleOf(name); {
	case r == mixture.RoleOutput:
		return "output"
	case r == mixture.RoleEmbedding:
		return "embeddings"
	case strings.Contains(name, "_exps") || strings.Contains(name, "ffn_gate_inp"):
		return "experts"
	case dims < 2 || strings.Contains(name, "norm"):
		return "norms and biases"
	case strings.Contains(name, "ffn_"):
		return "ffn"
	case strings.Contains(name, "attn"):
		return "attention"
	case strings.Contains(name, "ssm") || strings.Contains(name, "time_mix") || strings.Contains(name, "shortconv"):
		return "recurrent"
	}
	return "other"
}
