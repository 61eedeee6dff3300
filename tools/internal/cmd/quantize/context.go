package quantize

import "github.com/llamakit/llamakit/formats/gguf"

// kvBytes estimates the memory of keys and values in f16 for a context, from the header alone. Sliding windows and
// recurrent layers need less; MLA's compressed keys are counted as what is stored.
func kvBytes(md *gguf.Metadata, context int) int64 {
	h, err := readHparams(md)
	if err != nil {
		return 0
	}
	heads := first(md, h.arch+".attention.head_count", 0)
	perHead := 0
	if heads > 0 {
		perHead = first(md, h.arch+".embedding_length", 0) / heads
	}
	k := first(md, h.arch+".attention.key_length", perHead)
	v := first(md, h.arch+".attention.value_length", perHead)
	if rank := first(md, h.arch+".attention.kv_lora_rank", 0); rank > 0 {
		return int64(context) * int64(h.layers) * int64(rank+first(md, h.arch+".rope.dimension_count", 0)) * 2
	}
	total := int64(0)
	for i := range h.layers {
		total += int64(headsKV(md, h.arch, i, heads)) * int64(k+v) * 2 * int64(context)
	}
	return total
}

// headsKV returns a layer's number of heads of keys and values.
func headsKV(md *gguf.Metadata, arch string, layer, heads int) int {
	v, ok := md.Get(arch + ".attention.head_count_kv")
	if all, isArray := v.IntSlice(); ok && isArray {
		if layer < len(all) {
			return int(all[layer])
		}
		return 0
	}
	return first(md, arch+".attention.head_count_kv", heads)
}
