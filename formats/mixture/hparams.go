package mixture

import (
	"fmt"

	"github.com/llamakit/llamakit/formats/gguf"
)

// hparams are the hyper-parameters that the choice of types depends on.
type hparams struct {
	layers  int // all, those of multi-token prediction too
	experts int
	gqa     int  // query heads that share one of keys and values in the first layer; 0 without attention there
	is70B   bool // one of the models whose attn_v is an eighth of attn_q
}

func readHparams(md *gguf.Metadata) (h hparams, arch string, err error) {
	v, _ := md.Get("general.architecture")
	arch, ok := v.Str()
	if !ok {
		return h, "", fmt.Errorf("key general.architecture is missing; this is no model")
	}
	h.layers = first(md, arch+".block_count", 0)
	h.experts = first(md, arch+".expert_count", 0)
	heads := first(md, arch+".attention.head_count", 0)
	headsKV := first(md, arch+".attention.head_count_kv", heads)
	if headsKV > 0 {
		h.gqa = heads / headsKV
	}
	h.is70B = seventy(arch, h.layers, heads, headsKV)
	return h, arch, nil
}

// first returns an integer, or the first of an array of them.
func first(md *gguf.Metadata, key string, def int) int {
	v, ok := md.Get(key)
	if !ok {
		return def
	}
	if n, ok := v.Int(); ok {
		return int(n)
	}
	if all, ok := v.IntSlice(); ok && len(all) > 0 {
		return int(all[0])
	}
	return def
}

// seventy tells the models that llama.cpp calls 70B.
func seventy(arch string, layers, heads, headsKV int) bool {
	switch arch {
	case "llama":
		return layers == 80 && heads != headsKV
	case "deci", "qwen2":
		return layers == 80
	case "jais2":
		return layers == 68
	}
	return false
}
