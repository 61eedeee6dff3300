package bench

import (
	"slices"
	"testing"
)

// TestRowOrder: of two parameters, the one that llama-bench v0.7.0 goes through in the inner loop changes first.
func TestRowOrder(t *testing.T) {
	outer := []string{"fit_target", "fit_min_ctx", "n_gpu_layers", "n_cpu_moe", "split_mode", "load_mode", "lazy_mode", "main_gpu", "devices", "tensor_split",
		"tensor_buft_overrides", "no_host", "repack", "embeddings", "no_op_offload", "n_batch", "no_kv_offload", "n_threads", "cpu_mask", "cpu_strict", "n_depth", "poll"}
	for i, a := range outer {
		for _, b := range outer[i+1:] {
			g := Grid{Models: []string{"m"}, Prompts: []int{1}, Depths: []int{0}, Batches: []int{0}, UBatches: []int{1}, Threads: []int{0}, CacheK: []string{"f16"}, CacheV: []string{"f16"},
				FlashAttn: []int{1}, Other: map[string][]string{}}
			for _, name := range []string{a, b} {
				switch name {
				case "n_batch":
					g.Batches = []int{0, 1}
				case "n_threads":
					g.Threads = []int{0, 1}
				case "n_depth":
					g.Depths = []int{0, 1}
				default:
					g.Other[name] = []string{"0", "1"}
				}
			}
			var got []string
			for _, p := range g.Rows() {
				r := &Result{Params: p}
				got = append(got, FieldNamed(a).Text(r)+FieldNamed(b).Text(r))
			}
			if want := []string{"00", "01", "10", "11"}; !slices.Equal(got, want) {
				t.Errorf("%s, %s: %q, want %q", a, b, got, want)
			}
		}
	}
}
