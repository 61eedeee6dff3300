package hf

import (
	"fmt"
	"slices"
	"testing"
)

// TestEncoder converts a RoBERTa-like folder: names of the checkpoint with a prefix, positions that padding takes, a tokenizer of
// word pieces, and the pooling that Sentence Transformers' files name.
func TestEncoder(t *testing.T) {
	const width, ff, tokens = 8, 16, 5
	w := (&weights{}).add("roberta.embeddings.word_embeddings.weight", tokens, width).add("roberta.embeddings.token_type_embeddings.weight", 1, width).
		add("roberta.embeddings.LayerNorm.weight", width).add("roberta.embeddings.LayerNorm.bias", width).add("roberta.pooler.dense.weight", width, width).
		put("roberta.embeddings.position_embeddings.weight", counting(6*width), 6, width).add("lm_head.dense.weight", width, width)
	at := "roberta.encoder.layer.0."
	for _, n := range []string{"attention.self.query", "attention.self.key", "attention.self.value", "attention.output.dense"} {
		w.add(at+n+".weight", width, width).add(at+n+".bias", width)
	}
	w.add(at+"intermediate.dense.weight", ff, width).add(at+"output.dense.weight", width, ff).add(at+"attention.output.LayerNorm.gamma", width).
		add(at+"attention.output.LayerNorm.beta", width).add(at+"output.LayerNorm.weight", width).add(at+"output.LayerNorm.bias", width)
	config := object{"architectures": list{"RobertaModel"}, "num_hidden_layers": 1, "hidden_size": width, "intermediate_size": ff, "num_attention_heads": 2,
		"max_position_embeddings": 6, "pad_token_id": 1, "layer_norm_eps": 1e-5, "vocab_size": tokens}
	tokenizer := object{"model": object{"type": "WordPiece", "vocab": object{"[CLS]": 0, "[PAD]": 1, "[SEP]": 2, "a": 3, "##b": 4}},
		"normalizer": object{"type": "BertNormalizer", "lowercase": false}, "added_tokens": list{object{"id": 0, "content": "[CLS]", "special": true},
			object{"id": 1, "content": "[PAD]", "special": true}, object{"id": 2, "content": "[SEP]", "special": true}}}
	dir := writeFiles(t, files{"config.json": config, "tokenizer.json": tokenizer, "model.safetensors": w,
		"modules.json": list{object{"path": "", "type": "sentence_transformers.models.Transformer"}, object{"path": "1_Pooling", "type": "sentence_transformers.models.Pooling"}}})
	got := convertFolder(t, dir, Options{Type: OutF32})
	keepModel(t, got, "bert.gguf")
	x, ok := got.Tensor("position_embd.weight")
	if !ok || fmt.Sprint(x.Shape) != "[8 4]" || floats(got, x.Name)[0] != 2*width {
		t.Errorf("positions %v, from %v", x, floats(got, x.Name)[:2])
	}
	for _, name := range []string{"token_types.weight", "token_embd_norm.bias", "blk.0.attn_output_norm.weight", "blk.0.attn_output_norm.bias", "blk.0.ffn_down.weight"} {
		if _, ok := got.Tensor(name); !ok {
			t.Errorf("tensor %s is missing", name)
		}
	}
	list, _ := got.Metadata.Get("tokenizer.ggml.tokens")
	if texts, _ := list.StrSlice(); !slices.Equal(texts, []string{"[CLS]", "[PAD]", "[SEP]", "▁a", "b"}) {
		t.Errorf("tokens %q", texts)
	}
	for key, want := range map[string]string{"tokenizer.ggml.model": "bert", "tokenizer.ggml.normalizer.lowercase": "false", "bert.context_length": "4", "tokenizer.ggml.bos_token_id": "0", "tokenizer.ggml.eos_token_id": "2", "bert.attention.causal": "false"} {
		if v, _ := got.Metadata.Get(key); fmt.Sprint(v.Any()) != want {
			t.Errorf("%s is %v, want %s", key, v.Any(), want)
		}
	}
}

func counting(n int) []float32 {
	out := make([]float32, n)
	for i := range out {
		out[i] = float32(i)
	}
	return out
}
