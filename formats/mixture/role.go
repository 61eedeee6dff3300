package mixture

import (
	"slices"
	"strings"
)

// Role is what a tensor does in the model, as far as the choice of its type depends on it.
type Role int

const (
	roleOther Role = iota
	RoleEmbedding
	roleQ
	roleK
	roleV
	roleQKV
	roleKVB // MLA's second projection of the compressed keys and values
	roleAttnOutput
	roleUp
	roleGate
	roleDown
	RoleOutput
)

// RoleOf goes by the name.
func RoleOf(name string) Role {
	switch name {
	case "output.weight":
		return RoleOutput
	case "token_embd.weight", "per_layer_token_embd.weight":
		return RoleEmbedding
	}
	for _, r := range []struct {
		part string
		role Role
	}{
		{"attn_qkv.weight", roleQKV}, {"attn_kv_b.weight", roleKVB}, {"attn_v.weight", roleV}, {"attn_k.weight", roleK},
		{"attn_q.weight", roleQ}, {"attn_output.weight", roleAttnOutput},
		{"ffn_up", roleUp}, {"ffn_gate", roleGate}, {"ffn_down", roleDown},
	} {
		if strings.Contains(name, r.part) {
			return r.role
		}
	}
	return roleOther
}

// likeV reports whether the values of attention are among the tensor's rows; they suffer most from rounding.
func (r Role) likeV() bool { return r == roleV || r == roleQKV || r == roleKVB }

// keepParts are parts of names of matrices that stay as they are: small ones, or ones that the model cannot bear to have
// rounded.
var keepParts = []string{
	"_norm.weight",
	"ffn_gate_inp.weight", "ffn_gate_tid2eid.weight", // choice of experts
	"altup", "laurel", "per_layer_model_proj", // Gemma 3n
	"ssm_conv1d", "shortconv.conv.weight", // short convolutions
	"indexer.k_proj.weight", "indexer.q_proj.weight", // sparse attention's index
	"time_mix_first.weight", "time_mix_w0.weight", "time_mix_w1.weight", "time_mix_w2.weight", // RWKV
	"time_mix_v0.weight", "time_mix_v1.weight", "time_mix_v2.weight",
	"time_mix_a0.weight", "time_mix_a1.weight", "time_mix_a2.weight",
	"time_mix_g1.weight", "time_mix_g2.weight",
	"time_mix_decay_w1.weight", "time_mix_decay_w2.weight", "time_mix_lerp_fused.weight",
	"attn_rel_b.weight",                                                                                   // relative positions of T5
	".position_embd", "sam.pos_embd", "sam.neck.", "sam.net_", ".rel_pos", ".patch_embd", ".patch_merger", // vision
	"a.rvq.codebook", "mm.a.code_embd", // audio
}

// keepInArch are further ones of single architectures.
var keepInArch = map[string][]string{
	"glm5-next": {
		"hc_", "indexer.", "indexer_compressor_ape", "indexer_compressor_gate", // hyper-connections, sparse attention's index
		"ssm_beta", "ssm_f_a.weight", "ssm_f_b.weight", "ssm_g_a.weight", "ssm_g_b.weight",
		"attn_kv_a_mqa.weight", "attn_k_b.weight", "attn_v_b.weight",
	},
}

// IsMatrix reports whether a tensor of an architecture, with so many dimensions, is one of those that are quantised at all.
func IsMatrix(arch, name string, dims int) bool {
	if dims < 2 || !strings.HasSuffix(name, "weight") || name == "position_embd.weight" || name == "token_types.weight" {
		return false
	}
	for _, part := range slices.Concat(keepParts, keepInArch[arch]) {
		if strings.Contains(name, part) {
			return false
		}
	}
	return true
}
