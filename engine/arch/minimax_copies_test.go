package arch_test

import (
	"maps"

	"github.com/llamakit/llamakit/formats/gguf"
)

// MiniMax-M3's models choose all blocks of keys, and llama.cpp chooses only where it computes attention as one operation.
var minimaxCopies = map[string]changed{
	"minimax-m3-dense":  {file: "minimax-m3-moe", fused: true},
	"minimax-m3-blocks": {file: "minimax-m3-moe", fused: true, keys: chosenBlocks(3, 4, 1)},
	"minimax-m3-local":  {file: "minimax-m3-moe", fused: true, keys: chosenBlocks(4, 5, 3)},
	"minimax-m3-pages":  {file: "minimax-m3-moe", fused: true, tokens: 200, keys: chosenBlocks(2, 48, 0)},
	"minimax-m3-heads": {file: "minimax-m3-moe", fused: true, keys: merged(merged(chosenBlocks(2, 7, 1), heads(4, 64)), keys{
		"attention.head_count_kv": gguf.Uint32(2), "rope.dimension_count": gguf.Uint32(32)}), shapes: map[string][]int{
		"attn_k.weight": {256, 128}, "attn_v.weight": {256, 128}, "attn_k.bias": {128}, "attn_v.bias": {128}, "attn_q_norm.weight": {64},
		"attn_k_norm.weight": {64}}},
}

func init() { maps.Copy(copies, minimaxCopies) }

// chosenBlocks are keys of an indexer that chooses top blocks of size tokens, the newest local among them.
func chosenBlocks(top, size, local uint32) keys {
	return keys{"attention.indexer.top_k": gguf.Uint32(top), "attention.indexer.block_size": gguf.Uint32(size),
		"attention.indexer.local_blocks": gguf.Uint32(local)}
}
