// Package kvsize estimates the memory of a model's keys and values from the header of its file.
package kvsize

import "github.com/llamakit/llamakit/formats/gguf"

// maxLayers is more than any model has.
const maxLayers = 4096

// PerToken returns the bytes of keys and values of one token in f16; 0 where the keys do not say. It counts as the
// simplest reading of the keys has it: sliding windows and recurrent layers need less, and of MLA the compressed keys
// count.
func PerToken(md *gguf.Metadata) int64 {
	v, _ := md.Get("general.architecture")
	arch, _ := v.Str()
	key := func(name string) (gguf.Value, bool) { return md.Get(arch + "." + name) }
	layers, heads := first(key("block_count")), first(key("attention.head_count"))
	if layers <= 0 || layers > maxLayers {
		return 0
	}
	if _, compressed := key("attention.key_length_mla"); compressed {
		return 2 * layers * (first(key("attention.kv_lora_rank")) + first(key("rope.dimension_count")))
	}
	head := int64(0)
	if heads > 0 {
		head = first(key("embedding_length")) / heads
	}
	width := or(first(key("attention.key_length")), head) + or(first(key("attention.value_length")), head)
	return 2 * width * headsKV(layers, heads, key)
}

// headsKV is the number of heads of keys in all layers.
func headsKV(layers, heads int64, key func(string) (gguf.Value, bool)) (sum int64) {
	v, ok := key("attention.head_count_kv")
	if !ok {
		v, ok = key("attention.head_count")
	}
	if each, isArray := v.IntSlice(); ok && isArray {
		for i, n := range each {
			if int64(i) < layers {
				sum += n
			}
		}
		return sum
	}
	return layers * or(first(v, ok), heads)
}

// first returns an integer, or the first of an array of them; 0 when there is none.
func first(v gguf.Value, ok bool) int64 {
	if n, isInt := v.Int(); ok && isInt {
		return n
	}
	if ok && v.Len() > 0 {
		n, _ := v.Index(0).Int()
		return n
	}
	return 0
}

func or(n, otherwise int64) int64 {
	if n != 0 {
		return n
	}
	return otherwise
}
