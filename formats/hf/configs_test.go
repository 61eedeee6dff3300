package hf

import (
	"encoding/json"
	"fmt"
	"testing"
)

// configs are the numbers of published models' config.json, and what they must become. A key of nothing must be absent.
var configs = []struct{ name, config, want string }{
	{"Qwen1.5-MoE-A2.7B", `"architectures":["Qwen2MoeForCausalLM"],"hidden_size":2048,"intermediate_size":5632,"max_position_embeddings":8192,"moe_intermediate_size":1408,"num_attention_heads":16,"num_experts":60,"num_experts_per_tok":4,"num_hidden_layers":24,"num_key_value_heads":16,"rms_norm_eps":1e-06,"rope_theta":1000000.0,"shared_expert_intermediate_size":5632`,
		`"block_count":24,"expert_count":60,"expert_used_count":4,"expert_feed_forward_length":1408,"expert_shared_feed_forward_length":5632,"feed_forward_length":5632,"rope.freq_base":1e6`},
	{"Qwen2.5-VL-7B", `"architectures":["Qwen2_5_VLForConditionalGeneration"],"hidden_size":3584,"intermediate_size":18944,"max_position_embeddings":128000,"num_attention_heads":28,"num_hidden_layers":28,"num_key_value_heads":4,"rms_norm_eps":1e-06,"rope_theta":1000000.0,"rope_scaling":{"type":"mrope","mrope_section":[16,24,24]}`,
		`"attention.head_count_kv":4,"rope.dimension_sections":"[16 24 24 0]","rope.scaling.type":null`},
	{"Qwen3-VL-8B", `"architectures":["Qwen3VLForConditionalGeneration"],"vision_config":{"deepstack_visual_indexes":[8,16,24]},"text_config":{"head_dim":128,"hidden_size":4096,"intermediate_size":12288,"max_position_embeddings":262144,"num_attention_heads":32,"num_hidden_layers":36,"num_key_value_heads":8,"rms_norm_eps":1e-06,"rope_scaling":{"mrope_interleaved":true,"mrope_section":[24,20,20],"rope_type":"default"},"rope_theta":5000000}`,
		`"n_deepstack_layers":3,"rope.dimension_sections":"[24 20 20 0]","attention.key_length":128,"rope.freq_base":5e6`},
	{"Qwen3-Next-80B-A3B", `"architectures":["Qwen3NextForCausalLM"],"decoder_sparse_step":1,"full_attention_interval":4,"head_dim":256,"hidden_size":2048,"intermediate_size":5120,"linear_conv_kernel_dim":4,"linear_key_head_dim":128,"linear_num_key_heads":16,"linear_num_value_heads":32,"linear_value_head_dim":128,"max_position_embeddings":262144,"moe_intermediate_size":512,"norm_topk_prob":true,"num_attention_heads":16,"num_experts":512,"num_experts_per_tok":10,"num_hidden_layers":48,"num_key_value_heads":2,"partial_rotary_factor":0.25,"rms_norm_eps":1e-06,"rope_theta":10000000,"shared_expert_intermediate_size":512`,
		`"ssm.conv_kernel":4,"ssm.state_size":128,"ssm.group_count":16,"ssm.time_step_rank":32,"ssm.inner_size":4096,"full_attention_interval":4,"rope.dimension_count":64,"expert_count":512,"expert_feed_forward_length":512`},
	{"DeepSeek-V2-Lite", `"architectures":["DeepseekV2ForCausalLM"],"first_k_dense_replace":1,"hidden_size":2048,"intermediate_size":10944,"kv_lora_rank":512,"max_position_embeddings":163840,"moe_intermediate_size":1408,"n_group":1,"n_routed_experts":64,"n_shared_experts":2,"norm_topk_prob":false,"num_attention_heads":16,"num_experts_per_tok":6,"num_hidden_layers":27,"num_key_value_heads":16,"q_lora_rank":null,"qk_nope_head_dim":128,"qk_rope_head_dim":64,"rms_norm_eps":1e-06,"rope_scaling":{"beta_fast":32,"beta_slow":1,"factor":40,"mscale":0.707,"mscale_all_dim":0.707,"original_max_position_embeddings":4096,"type":"yarn"},"rope_theta":10000,"routed_scaling_factor":1.0,"scoring_func":"softmax","topk_group":1,"v_head_dim":128`,
		`"attention.head_count":16,"attention.head_count_kv":1,"attention.key_length":576,"attention.value_length":512,"attention.key_length_mla":192,"attention.value_length_mla":128,"attention.q_lora_rank":null,"attention.kv_lora_rank":512,"leading_dense_block_count":1,"expert_shared_count":2,"expert_gating_func":1,"rope.scaling.factor":40,"rope.scaling.yarn_log_multiplier":0.0707`},
	{"DeepSeek-V3", `"architectures":["DeepseekV3ForCausalLM"],"first_k_dense_replace":3,"hidden_size":7168,"intermediate_size":18432,"kv_lora_rank":512,"max_position_embeddings":163840,"moe_intermediate_size":2048,"n_group":8,"n_routed_experts":256,"n_shared_experts":1,"norm_topk_prob":true,"num_attention_heads":128,"num_experts_per_tok":8,"num_hidden_layers":61,"num_key_value_heads":128,"num_nextn_predict_layers":1,"q_lora_rank":1536,"qk_nope_head_dim":128,"qk_rope_head_dim":64,"rms_norm_eps":1e-06,"rope_scaling":{"beta_fast":32,"beta_slow":1,"factor":40,"mscale":1.0,"mscale_all_dim":1.0,"original_max_position_embeddings":4096,"type":"yarn"},"rope_theta":10000,"routed_scaling_factor":2.5,"scoring_func":"sigmoid","topk_group":4,"v_head_dim":128`,
		`"block_count":61,"attention.q_lora_rank":1536,"expert_gating_func":2,"expert_group_count":8,"expert_group_used_count":4,"expert_weights_scale":2.5,"expert_weights_norm":true,"rope.dimension_count":64,"rope.scaling.yarn_log_multiplier":0.1`},
	{"Kimi-K2", `"architectures":["DeepseekV3ForCausalLM"],"first_k_dense_replace":1,"hidden_size":7168,"intermediate_size":18432,"kv_lora_rank":512,"max_position_embeddings":131072,"moe_intermediate_size":2048,"n_group":1,"n_routed_experts":384,"n_shared_experts":1,"norm_topk_prob":true,"num_attention_heads":64,"num_experts_per_tok":8,"num_hidden_layers":61,"num_key_value_heads":64,"q_lora_rank":1536,"qk_nope_head_dim":128,"qk_rope_head_dim":64,"rms_norm_eps":1e-06,"rope_theta":50000.0,"routed_scaling_factor":2.827,"scoring_func":"sigmoid","topk_group":1,"v_head_dim":128`,
		`"expert_count":384,"leading_dense_block_count":1,"rope.freq_base":50000,"expert_weights_scale":2.827`},
	{"GLM-4-9B-0414", `"architectures":["Glm4ForCausalLM"],"head_dim":128,"hidden_size":4096,"intermediate_size":13696,"max_position_embeddings":32768,"num_attention_heads":32,"num_hidden_layers":40,"num_key_value_heads":2,"partial_rotary_factor":0.5,"rms_norm_eps":1e-05,"rope_theta":10000.0`,
		`"rope.dimension_count":64,"attention.key_length":128,"feed_forward_length":13696`},
	{"GLM-4.5-Air", `"architectures":["Glm4MoeForCausalLM"],"first_k_dense_replace":1,"head_dim":128,"hidden_size":4096,"intermediate_size":10944,"max_position_embeddings":131072,"moe_intermediate_size":1408,"n_group":1,"n_routed_experts":128,"n_shared_experts":1,"norm_topk_prob":true,"num_attention_heads":96,"num_experts_per_tok":8,"num_hidden_layers":46,"num_key_value_heads":8,"num_nextn_predict_layers":1,"partial_rotary_factor":0.5,"rms_norm_eps":1e-05,"rope_theta":1000000,"routed_scaling_factor":1.0,"topk_group":1`,
		`"block_count":46,"expert_gating_func":2,"rope.dimension_count":64,"leading_dense_block_count":1,"expert_feed_forward_length":1408`},
	{"chatglm3-6b", `"architectures":["ChatGLMModel"],"ffn_hidden_size":13696,"hidden_size":4096,"kv_channels":128,"layernorm_epsilon":1e-05,"multi_query_group_num":2,"num_attention_heads":32,"num_layers":28,"seq_length":8192`,
		`"block_count":28,"context_length":8192,"attention.head_count_kv":2,"feed_forward_length":13696,"rope.dimension_count":64,"attention.layer_norm_rms_epsilon":1e-05`},
	{"gpt-oss-20b", `"architectures":["GptOssForCausalLM"],"head_dim":64,"hidden_size":2880,"intermediate_size":2880,"max_position_embeddings":131072,"num_attention_heads":64,"num_experts_per_tok":4,"num_hidden_layers":24,"num_key_value_heads":8,"num_local_experts":32,"rms_norm_eps":1e-05,"rope_scaling":{"beta_fast":32.0,"beta_slow":1.0,"factor":32.0,"original_max_position_embeddings":4096,"rope_type":"yarn","truncate":false},"rope_theta":150000,"sliding_window":128`,
		`"attention.sliding_window":128,"expert_feed_forward_length":2880,"expert_count":32,"rope.scaling.type":"yarn","rope.scaling.original_context_length":4096,"attention.key_length":64`},
	{"Llama-4-Scout", `"architectures":["Llama4ForConditionalGeneration"],"text_config":{"head_dim":128,"hidden_size":5120,"interleave_moe_layer_step":1,"intermediate_size":8192,"intermediate_size_mlp":16384,"max_position_embeddings":10485760,"num_attention_heads":40,"num_experts_per_tok":1,"num_hidden_layers":48,"num_key_value_heads":8,"num_local_experts":16,"rms_norm_eps":1e-05,"rope_scaling":{"factor":16.0,"high_freq_factor":1.0,"low_freq_factor":1.0,"original_max_position_embeddings":8192,"rope_type":"llama3"},"rope_theta":500000.0}`,
		`"feed_forward_length":16384,"expert_feed_forward_length":8192,"interleave_moe_layer_step":1,"expert_count":16,"expert_used_count":1,"rope.dimension_count":128`},
	{"OLMo-2-7B", `"architectures":["Olmo2ForCausalLM"],"hidden_size":4096,"intermediate_size":11008,"max_position_embeddings":4096,"num_attention_heads":32,"num_hidden_layers":32,"num_key_value_heads":32,"rms_norm_eps":1e-06,"rope_theta":500000`,
		`"attention.layer_norm_rms_epsilon":1e-06,"rope.freq_base":500000,"attention.sliding_window":null`},
	{"OLMoE-1B-7B", `"architectures":["OlmoeForCausalLM"],"hidden_size":2048,"intermediate_size":1024,"max_position_embeddings":4096,"norm_topk_prob":false,"num_attention_heads":16,"num_experts":64,"num_experts_per_tok":8,"num_hidden_layers":16,"num_key_value_heads":16,"rms_norm_eps":1e-05,"rope_theta":10000.0`,
		`"expert_count":64,"expert_used_count":8,"feed_forward_length":1024`},
	{"phi-2", `"architectures":["PhiForCausalLM"],"hidden_size":2560,"intermediate_size":10240,"layer_norm_eps":1e-05,"max_position_embeddings":2048,"num_attention_heads":32,"num_hidden_layers":32,"num_key_value_heads":32,"partial_rotary_factor":0.4,"rope_theta":10000.0`,
		`"rope.dimension_count":32,"attention.layer_norm_epsilon":1e-05,"feed_forward_length":10240`},
	{"Phi-3.5-MoE", `"architectures":["PhiMoEForCausalLM"],"hidden_size":4096,"intermediate_size":6400,"max_position_embeddings":131072,"num_attention_heads":32,"num_experts_per_tok":2,"num_hidden_layers":32,"num_key_value_heads":8,"num_local_experts":16,"original_max_position_embeddings":4096,"rms_norm_eps":1e-05,"rope_theta":10000.0,"sliding_window":131072`,
		`"expert_count":16,"expert_used_count":2,"rope.dimension_count":128`},
	{"falcon-7b", `"architectures":["FalconForCausalLM"],"hidden_size":4544,"layer_norm_epsilon":1e-05,"multi_query":true,"new_decoder_architecture":false,"num_attention_heads":71,"num_hidden_layers":32,"num_kv_heads":71`,
		`"context_length":2048,"attention.head_count":71,"attention.head_count_kv":1,"feed_forward_length":18176`},
	{"falcon-40b", `"architectures":["FalconForCausalLM"],"hidden_size":8192,"layer_norm_epsilon":1e-05,"multi_query":true,"new_decoder_architecture":true,"num_attention_heads":128,"num_hidden_layers":60,"num_kv_heads":8`,
		`"attention.head_count_kv":8,"feed_forward_length":32768`},
	{"Falcon-H1-0.5B", `"architectures":["FalconH1ForCausalLM"],"head_dim":64,"hidden_size":1024,"intermediate_size":2048,"mamba_d_conv":4,"mamba_d_head":64,"mamba_d_ssm":1536,"mamba_d_state":128,"mamba_n_groups":1,"mamba_n_heads":24,"max_position_embeddings":16384,"num_attention_heads":8,"num_hidden_layers":36,"num_key_value_heads":2,"rms_norm_eps":1e-05,"rope_theta":100000000000.0`,
		`"ssm.inner_size":1536,"ssm.time_step_rank":24,"ssm.state_size":128,"ssm.group_count":1,"attention.head_count":8,"rope.freq_base":1e11`},
	{"pythia-160m", `"architectures":["GPTNeoXForCausalLM"],"hidden_size":768,"intermediate_size":3072,"layer_norm_eps":1e-05,"max_position_embeddings":2048,"num_attention_heads":12,"num_hidden_layers":12,"rotary_emb_base":10000,"rotary_pct":0.25,"use_parallel_residual":true`,
		`"rope.dimension_count":16,"use_parallel_residual":true,"attention.layer_norm_epsilon":1e-05,"attention.head_count_kv":12`},
	{"gpt2", `"architectures":["GPT2LMHeadModel"],"layer_norm_epsilon":1e-05,"n_ctx":1024,"n_embd":768,"n_head":12,"n_layer":12,"n_positions":1024`,
		`"block_count":12,"embedding_length":768,"feed_forward_length":3072,"attention.head_count":12,"context_length":1024`},
	{"starcoderbase-1b", `"architectures":["GPTBigCodeForCausalLM"],"layer_norm_epsilon":1e-05,"multi_query":true,"n_embd":2048,"n_head":16,"n_inner":8192,"n_layer":24,"n_positions":8192`,
		`"attention.head_count_kv":1,"feed_forward_length":8192`},
	{"starcoder2-3b", `"architectures":["Starcoder2ForCausalLM"],"hidden_size":3072,"intermediate_size":12288,"max_position_embeddings":16384,"norm_epsilon":1e-05,"num_attention_heads":24,"num_hidden_layers":30,"num_key_value_heads":2,"rope_theta":999999.4420358813,"sliding_window":4096`,
		`"attention.layer_norm_epsilon":1e-05,"attention.head_count_kv":2,"feed_forward_length":12288`},
	{"bloom-560m", `"architectures":["BloomForCausalLM"],"hidden_size":1024,"layer_norm_epsilon":1e-05,"n_head":16,"n_layer":24,"seq_length":2048`,
		`"context_length":2048,"feed_forward_length":4096,"attention.max_alibi_bias":8`},
	{"mpt-7b", `"architectures":["MPTForCausalLM"],"attn_config":{"alibi":true,"alibi_bias_max":8,"clip_qkv":null},"d_model":4096,"max_seq_len":2048,"n_heads":32,"n_layers":32`,
		`"context_length":2048,"feed_forward_length":16384,"attention.max_alibi_bias":8,"attention.clamp_kqv":null,"attention.head_count_kv":32`},
	{"dbrx-base", `"architectures":["DbrxForCausalLM"],"attn_config":{"clip_qkv":8,"kv_n_heads":8,"rope_theta":500000},"d_model":6144,"ffn_config":{"ffn_hidden_size":10752,"moe_num_experts":16,"moe_top_k":4},"max_seq_len":32768,"n_heads":48,"n_layers":40`,
		`"expert_count":16,"expert_used_count":4,"attention.clamp_kqv":8,"attention.head_count_kv":8,"feed_forward_length":10752,"rope.freq_base":500000`},
	{"stablelm-2-1.6b", `"architectures":["StableLmForCausalLM"],"hidden_size":2048,"intermediate_size":5632,"layer_norm_eps":1e-05,"max_position_embeddings":4096,"num_attention_heads":32,"num_hidden_layers":24,"num_key_value_heads":32,"partial_rotary_factor":0.25,"rope_theta":10000,"use_parallel_residual":false`,
		`"rope.dimension_count":16,"use_parallel_residual":false`},
	{"c4ai-command-r-v01", `"architectures":["CohereForCausalLM"],"hidden_size":8192,"intermediate_size":22528,"layer_norm_eps":1e-05,"logit_scale":0.0625,"max_position_embeddings":8192,"model_max_length":131072,"num_attention_heads":64,"num_hidden_layers":40,"num_key_value_heads":64,"rope_theta":8000000.0`,
		`"context_length":131072,"logit_scale":0.0625,"rope.scaling.type":"none"`},
	{"c4ai-command-r7b", `"architectures":["Cohere2ForCausalLM"],"head_dim":128,"hidden_size":4096,"intermediate_size":14336,"layer_norm_eps":1e-05,"logit_scale":0.25,"max_position_embeddings":8192,"num_attention_heads":32,"num_hidden_layers":32,"num_key_value_heads":8,"rope_theta":50000,"rotary_pct":1.0,"sliding_window":4096`,
		`"attention.sliding_window":4096,"rope.dimension_count":128,"logit_scale":0.25`},
	{"Minitron-4B", `"architectures":["NemotronForCausalLM"],"hidden_size":3072,"intermediate_size":9216,"max_position_embeddings":4096,"norm_eps":1e-05,"num_attention_heads":24,"num_hidden_layers":32,"num_key_value_heads":8,"partial_rotary_factor":0.5,"head_dim":128,"rope_theta":10000`,
		`"rope.dimension_count":64,"attention.layer_norm_epsilon":1e-05`},
	{"granite-3.1-8b", `"architectures":["GraniteForCausalLM"],"attention_multiplier":0.0078125,"embedding_multiplier":12.0,"hidden_size":4096,"intermediate_size":12800,"logits_scaling":16.0,"max_position_embeddings":131072,"num_attention_heads":32,"num_hidden_layers":40,"num_key_value_heads":8,"residual_multiplier":0.22,"rms_norm_eps":1e-05,"rope_theta":10000000.0`,
		`"attention.scale":0.0078125,"embedding_scale":12,"residual_scale":0.22,"logit_scale":16`},
	{"granite-4.0-h-tiny", `"architectures":["GraniteMoeHybridForCausalLM"],"attention_multiplier":0.0078125,"embedding_multiplier":12,"hidden_size":1536,"intermediate_size":512,"layer_types":["mamba","attention"],"logits_scaling":6,"mamba_d_conv":4,"mamba_d_head":64,"mamba_d_state":128,"mamba_expand":2,"mamba_n_groups":1,"mamba_n_heads":48,"max_position_embeddings":131072,"num_attention_heads":12,"num_experts_per_tok":6,"num_hidden_layers":2,"num_key_value_heads":4,"num_local_experts":64,"residual_multiplier":0.22,"rms_norm_eps":1e-05,"rope_theta":10000,"shared_intermediate_size":1024`,
		`"attention.head_count_kv":"[0 4]","ssm.inner_size":3072,"ssm.time_step_rank":48,"expert_shared_feed_forward_length":1024,"context_length":1048576,"rope.scaling.finetuned":false`},
	{"MiniCPM-2B", `"architectures":["MiniCPMForCausalLM"],"dim_model_base":256,"hidden_size":2304,"intermediate_size":5760,"max_position_embeddings":4096,"num_attention_heads":36,"num_hidden_layers":40,"num_key_value_heads":36,"rms_norm_eps":1e-05,"scale_depth":1.4,"scale_emb":12`,
		`"embedding_scale":12,"logit_scale":9,"residual_scale":0.22135943`},
	{"internlm2-7b", `"architectures":["InternLM2ForCausalLM"],"hidden_size":4096,"intermediate_size":14336,"max_position_embeddings":32768,"num_attention_heads":32,"num_hidden_layers":32,"num_key_value_heads":8,"rms_norm_eps":1e-05,"rope_scaling":{"factor":2.0,"type":"dynamic"},"rope_theta":1000000`,
		`"attention.head_count_kv":8,"rope.freq_base":1e6,"rope.scaling.type":null`},
	{"EXAONE-4.0-1.2B", `"architectures":["Exaone4ForCausalLM"],"head_dim":64,"hidden_size":2048,"intermediate_size":4096,"max_position_embeddings":65536,"num_attention_heads":32,"num_hidden_layers":30,"num_key_value_heads":8,"rms_norm_eps":1e-05,"rope_scaling":{"factor":16.0,"high_freq_factor":4.0,"low_freq_factor":1.0,"original_max_position_embeddings":8192,"rope_type":"llama3"},"rope_theta":1000000,"sliding_window":null`,
		`"attention.key_length":64,"attention.sliding_window":null`},
	{"Hunyuan-A13B", `"architectures":["HunYuanMoEV1ForCausalLM"],"head_dim":128,"hidden_size":4096,"intermediate_size":3072,"max_position_embeddings":32768,"moe_intermediate_size":[3072,3072],"moe_topk":[8,8],"num_attention_heads":32,"num_experts":64,"num_hidden_layers":2,"num_key_value_heads":8,"num_shared_expert":[1,1],"rms_norm_eps":1e-05,"rope_scaling":{"alpha":1000.0,"factor":1.0,"type":"dynamic"},"rope_theta":10000.0`,
		`"expert_count":64,"expert_used_count":8,"expert_shared_count":1,"rope.freq_base":11158840,"context_length":262144`},
	{"ERNIE-4.5-21B-A3B", `"architectures":["Ernie4_5_MoeForCausalLM"],"hidden_size":2560,"intermediate_size":12288,"max_position_embeddings":131072,"moe_intermediate_size":1536,"moe_k":6,"moe_layer_interval":1,"moe_layer_start_index":1,"moe_num_experts":64,"moe_num_shared_experts":2,"num_attention_heads":20,"num_hidden_layers":28,"num_key_value_heads":4,"rms_norm_eps":1e-05,"rope_theta":500000`,
		`"expert_count":64,"expert_used_count":6,"interleave_moe_layer_step":1,"leading_dense_block_count":1,"expert_shared_count":2,"expert_shared_feed_forward_length":3072`},
	{"LFM2-350M", `"architectures":["Lfm2ForCausalLM"],"block_auto_adjust_ff_dim":true,"block_ff_dim":6656,"block_ffn_dim_multiplier":1.0,"block_multiple_of":256,"conv_L_cache":3,"hidden_size":1024,"intermediate_size":6656,"layer_types":["conv","full_attention"],"max_position_embeddings":128000,"norm_eps":1e-05,"num_attention_heads":16,"num_hidden_layers":2,"num_key_value_heads":8,"rope_theta":1000000.0`,
		`"feed_forward_length":4608,"attention.head_count_kv":"[0 8]","shortconv.l_cache":3`},
	{"mamba-130m", `"architectures":["MambaForCausalLM"],"conv_kernel":4,"hidden_size":768,"intermediate_size":1536,"layer_norm_epsilon":1e-05,"num_hidden_layers":24,"state_size":16,"time_step_rank":48`,
		`"ssm.inner_size":1536,"ssm.state_size":16,"ssm.time_step_rank":48,"attention.head_count":0,"ssm.dt_b_c_rms":false,"context_length":1048576`},
	{"mamba2-130m", `"architectures":["Mamba2ForCausalLM"],"conv_kernel":4,"expand":2,"head_dim":64,"hidden_size":768,"layer_norm_epsilon":1e-05,"n_groups":1,"num_hidden_layers":24,"state_size":128`,
		`"ssm.inner_size":1536,"ssm.time_step_rank":24,"ssm.group_count":1`},
	{"Jamba-v0.1", `"architectures":["JambaForCausalLM"],"attn_layer_offset":1,"attn_layer_period":2,"hidden_size":4096,"intermediate_size":14336,"mamba_d_conv":4,"mamba_d_state":16,"mamba_dt_rank":256,"mamba_expand":2,"max_position_embeddings":262144,"num_attention_heads":32,"num_experts":16,"num_experts_per_tok":2,"num_hidden_layers":4,"num_key_value_heads":8,"rms_norm_eps":1e-06`,
		`"attention.head_count_kv":"[0 8 0 8]","ssm.inner_size":8192,"ssm.time_step_rank":256,"expert_count":16`},
	{"Nemotron-H-8B", `"architectures":["NemotronHForCausalLM"],"attention_head_dim":128,"conv_kernel":4,"hidden_size":4096,"hybrid_override_pattern":"M-*","intermediate_size":21504,"layer_norm_epsilon":1e-05,"mamba_head_dim":64,"mamba_num_heads":128,"max_position_embeddings":8192,"n_groups":8,"num_attention_heads":32,"num_hidden_layers":3,"num_key_value_heads":8,"ssm_state_size":128`,
		`"feed_forward_length":"[0 21504 0]","attention.head_count_kv":"[0 0 8]","ssm.group_count":8,"ssm.inner_size":8192,"attention.key_length":128`},
	{"MiniMax-M2", `"architectures":["MiniMaxM2ForCausalLM"],"head_dim":128,"hidden_size":3072,"intermediate_size":1536,"max_position_embeddings":196608,"num_attention_heads":48,"num_experts_per_tok":8,"num_hidden_layers":62,"num_key_value_heads":8,"num_local_experts":256,"rms_norm_eps":1e-06,"rope_theta":5000000,"rotary_dim":64,"scoring_func":"sigmoid"`,
		`"rope.dimension_count":64,"expert_gating_func":2,"expert_feed_forward_length":1536`},
	{"bert-base-uncased", `"architectures":["BertModel"],"hidden_size":768,"intermediate_size":3072,"layer_norm_eps":1e-12,"max_position_embeddings":512,"num_attention_heads":12,"num_hidden_layers":12`,
		`"attention.causal":false,"attention.layer_norm_epsilon":1e-12,"context_length":512,"pooling_type":null`},
	{"Llama-3.1-Nemotron-51B", `"architectures":["DeciLMForCausalLM"],"hidden_size":8192,"max_position_embeddings":131072,"num_attention_heads":64,"num_hidden_layers":4,"rms_norm_eps":1e-05,"rope_theta":500000.0,"block_configs":[{"attention":{"n_heads_in_group":8,"no_op":false,"replace_with_linear":false},"ffn":{"ffn_mult":5.25}},{"attention":{"n_heads_in_group":null,"replace_with_linear":true},"ffn":{"ffn_mult":2.625}},{"attention":{"n_heads_in_group":null,"no_op":true,"replace_with_linear":false},"ffn":{"ffn_mult":1.3125}},{"attention":{"n_heads_in_group":null},"ffn":{"ffn_mult":null}}]`,
		`"attention.head_count":"[64 64 0 0]","attention.head_count_kv":"[8 0 0 0]","feed_forward_length":"[28672 14336 7168 0]","attention.key_length":128,"rope.dimension_count":128`},
	{"xlm-roberta reranker", `"architectures":["XLMRobertaForSequenceClassification"],"hidden_size":1024,"intermediate_size":4096,"layer_norm_eps":1e-05,"max_position_embeddings":514,"num_attention_heads":16,"num_hidden_layers":24,"pad_token_id":1`,
		`"context_length":512,"pooling_type":4`},
}

// TestConfigs has a table of config.json and keys.
func TestConfigs(t *testing.T) {
	for _, c := range configs {
		var config, want object
		if err := json.Unmarshal([]byte("{"+c.config+"}"), &config); err != nil {
			t.Fatal(c.name, err)
		}
		if err := json.Unmarshal([]byte("{"+c.want+"}"), &want); err != nil {
			t.Fatal(c.name, err)
		}
		got, _, err := parameters(t, config)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
		for key, w := range want {
			g, ok := got[key]
			if x, isNumber := w.(float64); isNumber {
				w = float32(x)
				g = asFloat(g)
			}
			if (w == nil) == ok || ok && fmt.Sprint(g) != fmt.Sprint(w) {
				t.Errorf("%s: %s is %v, want %v", c.name, key, g, w)
			}
		}
	}
}

func asFloat(v any) any {
	switch x := v.(type) {
	case uint32:
		return float32(x)
	case float32:
		return x
	}
	return v
}
