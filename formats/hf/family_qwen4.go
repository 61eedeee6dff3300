package hf

import (
	"encoding/binary"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/llamakit/llamakit/formats/gguf"
	"github.com/llamakit/llamakit/formats/safetensors"
)

// qwen4Rules are Qwen 3.5's without its norms: hyper-connections of low rank stand between layers and sub-layers, full attention has an
// indexer, and some layers add embeddings of n-grams.
var qwen4Rules = rules(without(rules(linearAttention, tiled, experts, sharedExpert), "model.norm", layer+"input_layernorm", layer+"post_attention_layernorm"),
	lowRankMixer("model.hyper_connection_mixer.", "output_hc_"), lowRankMixer(layer+"attn_hyper_connection.", "blk.{}.hc_attn_"), lowRankMixer(layer+"mlp_hyper_connection.", "blk.{}.hc_ffn_"),
	lowRankMixer(layer+"nextn_hc_head.", "blk.{}.nextn.hc_head_"), names(layer, "ple.key_proj", "ple_key", "ple.value_proj", "ple_value", "ple.conv1d", "ple_conv1d"), map[string]rule{
		layer + "ple.norm_key":                    {to: "blk.{}.ple_norm_key", add: 1},
		layer + "ple.norm_query":                  {to: "blk.{}.ple_norm_query", add: 1},
		layer + "ple.norm_conv":                   {to: "blk.{}.ple_norm_conv", add: 1},
		layer + "self_attn.indexer.q_layernorm":   {to: "blk.{}.indexer.q_norm", add: 1},
		layer + "self_attn.indexer.k_layernorm":   {to: "blk.{}.indexer.k_norm", add: 1},
		layer + "self_attn.indexer.index_qk_proj": {to: "blk.{}.indexer.q_proj", rows: parts(0, indexQK), also: []rule{{to: "blk.{}.indexer.k_proj", rows: parts(1, indexQK)}}},
		"model.embed_tokens_per_layer":            {to: "per_layer_token_embd"},
	})

// lowRankMixer are the parts of one hyper-connection.
func lowRankMixer(prefix, to string) map[string]rule {
	return map[string]rule{prefix + "hc_norm": {to: to + "norm", add: 1}, prefix + "input_mix_weight_down": {to: to + "down", suffix: ".weight"},
		prefix + "input_mix_weight_up": {to: to + "up", suffix: ".weight"}, prefix + "block_inject_weight": {to: to + "inject", suffix: ".weight"}}
}

// indexQK are the heads of queries and the one of keys.
func indexQK(c *Config) []int { return []int{c.Int("indexer_n_heads"), 1} }

func init() {
	register(&Family{Arch: "qwen4exp", Classes: []string{"Qwen4ExpForCausalLM", "Qwen4ExpForConditionalGeneration"}, Mixed: true, Skip: seeing, Join: qwen4Parts,
		Ends: []string{pleMultipliers, pleOffsets, pleSizes}, Params: qwen4Params, Rules: qwen4Rules})
}

// Integers of the n-gram embeddings, which are too large for floating point.
const (
	pleMultipliers = "ple_embedding.layer_multipliers"
	pleOffsets     = "ple_embedding.ngram_heads_offsets"
	pleSizes       = "ple_embedding.ngram_heads_vocab_sizes"
)

// qwen4Parts puts the parts of the embedding of n-grams together, and those of the layer that predicts further tokens.
func qwen4Parts(p *packs) ([]*tensor, error) {
	table, err := qwen4Table(p)
	if err != nil {
		return nil, err
	}
	layers := p.config.Int(layerKeys...)
	joined, err := p.pairs("mtp.fc_embedding.weight", "mtp.fc_hidden.weight", layerName(layer+"eh_proj.weight", []int{layers}), beside)
	if err != nil {
		return nil, err
	}
	for _, name := range p.ending("") {
		if part, ok := strings.CutPrefix(name, "mtp.hyper_connection_mixer."); ok {
			joined = append(joined, renamed(layerName(layer+"nextn_hc_head."+part, []int{layers}), p.take(name)))
		}
	}
	drafts, err := qwenDrafts(p)
	return append(append(table, joined...), drafts...), err
}

var ngramShard = regexp.MustCompile(`\.ngram_embedding\.shard_(\d{1,6})\.`)

// qwen4Table is the embedding of n-grams, whose shards are counted by their names.
func qwen4Table(p *packs) ([]*tensor, error) {
	shards := map[int]*tensor{}
	for _, name := range p.ending("") {
		if m := ngramShard.FindStringSubmatch(name); m != nil {
			n, _ := strconv.Atoi(m[1])
			shards[n] = p.take(name)
		}
	}
	if want := p.config.IntOr(len(shards), "split_ngram_parts"); len(shards) > 0 && len(shards) != want {
		return nil, fmt.Errorf("the embedding of n-grams has %d parts, want %d; is a shard missing?", len(shards), want)
	}
	if len(shards) == 0 {
		return nil, nil
	}
	var rows []*tensor
	for _, n := range slices.Sorted(maps.Keys(shards)) {
		rows = append(rows, shards[n])
	}
	x, err := below("model.embed_tokens_per_layer.weight", rows)
	return []*tensor{x}, err
}

func qwen4Params(p *params) {
	qwen35Params(p)
	p.u32("hyper_connection.count", p.Int("hc_count"))
	p.u32("hyper_connection.low_rank", p.Int("hc_lowrank"))
	p.u32("attention.indexer.head_count", p.Int("indexer_n_heads"))
	p.u32("attention.indexer.key_length", p.Int("indexer_head_dim"))
	p.u32("attention.indexer.top_k", p.Int("indexer_budget"))
	ratio, kinds := p.Int("indexer_compress_ratio"), p.layerKinds("full_attention")
	for i := len(kinds) - p.drafts; i < len(kinds); i++ {
		kinds[i] = true
	}
	p.numbers("attention.compress_ratios", everyLayer(kinds, ratio, 0))
	if layers := p.ints("ple_layer_ids"); len(layers) > 0 {
		p.ngrams(layers)
	}
}

// ngrams writes the embeddings of n-grams; their layers are counted from one in config.json.
func (p *params) ngrams(layers []int) {
	for i := range layers {
		layers[i]--
	}
	p.numbers("ple.layers", layers)
	p.u32("ple.ngram_size", p.Int("ngram_size"))
	p.u32("ple.heads_per_ngram", p.Int("heads_per_ngram"))
	p.u32("ple.conv_kernel", p.Int("ple_conv_kernel_size"))
	if ends := p.ints("eos_token_id"); len(ends) > 0 {
		p.u32("ple.eos_token_id", ends[len(ends)-1])
	} else {
		p.u32("ple.eos_token_id", p.Int("eos_token_id"))
	}
	p.optional("ple.image_token_id", "image_token_id")
	if x := p.tensor(".ngram_embedding.shard_0.weight"); x != nil && len(x.Shape) == 2 {
		p.u32("embedding_length_per_layer_input", x.Shape[1])
	}
	for key, name := range map[string]string{"layer_multipliers": pleMultipliers, "head_offsets": pleOffsets, "head_vocab_sizes": pleSizes} {
		x := p.tensor(name)
		if x == nil || x.DType != safetensors.I64 {
			p.fail("the checkpoint has no integers %s", name)
			return
		}
		list := make([]gguf.Value, len(x.data)/8)
		for i := range list {
			list[i] = gguf.Uint64(binary.LittleEndian.Uint64(x.data[8*i:]))
		}
		p.set("ple."+key, gguf.ArrayOf(gguf.TypeUint64, list))
	}
}
