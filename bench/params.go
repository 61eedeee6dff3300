package bench

import "fmt"

// Params say what one row measures: Prompt tokens computed, or Gen tokens after one another, or both, with Depth tokens in the
// cache before them.
type Params struct {
	Model     string // GGUF file
	Prompt    int
	Gen       int
	Depth     int
	Batch     int // tokens handed over at a time
	UBatch    int // rows computed in one step at most
	Threads   int // 0: one a physical core
	CacheK    string
	CacheV    string
	FlashAttn int               // 1 on, 0 off, -1 auto: attention is always fused here, but off forbids quantised values
	Other     map[string]string // fields of llama.cpp for devices: reported as they were given
}

// Test is the row's name as llama.cpp prints it: pp512, tg128, pp512+tg128, with the depth.
func (p *Params) Test() string {
	name := ""
	switch {
	case p.Prompt > 0 && p.Gen > 0:
		name = fmt.Sprintf("pp%d+tg%d", p.Prompt, p.Gen)
	case p.Gen > 0:
		name = fmt.Sprintf("tg%d", p.Gen)
	default:
		name = fmt.Sprintf("pp%d", p.Prompt)
	}
	if p.Depth > 0 {
		name += fmt.Sprintf(" @ d%d", p.Depth)
	}
	return name
}

// tokens is what one repetition computes.
func (p *Params) tokens() int { return p.Prompt + p.Gen }

// context is the room that a sequence needs.
func (p *Params) context() int { return p.Depth + p.Prompt + p.Gen + 1 }

// check finds contradictions that no single flag shows.
func (p *Params) check() error {
	if p.FlashAttn == 0 && p.CacheV != "f16" && p.CacheV != "f32" && p.CacheV != "bf16" {
		return fmt.Errorf("a cache of values in %s needs flash attention; give -fa on", p.CacheV)
	}
	return nil
}

// Grid is a list of values for each parameter. Its rows are all combinations, in the order in which llama.cpp goes through them.
type Grid struct {
	Models        []string
	Prompts, Gens []int
	Pairs         [][2]int // prompt and answer in one test
	Depths        []int
	Batches       []int
	UBatches      []int
	Threads       []int
	CacheK        []string
	CacheV        []string
	FlashAttn     []int
	Other         map[string][]string // by field, those that Fields lists as echoed
}

// Rows lists the combinations that have something to compute.
func (g *Grid) Rows() []Params {
	rows := []Params{{Other: map[string]string{}}}
	rows = expand(rows, g.Models, func(p *Params, v string) { p.Model = v })
	echo := func(names ...string) {
		for _, name := range names {
			if list := g.Other[name]; len(list) > 0 {
				rows = expand(rows, list, func(p *Params, v string) { p.Other = with(p.Other, name, v) })
			}
		}
	}
	echo("fit_target", "fit_min_ctx", "n_gpu_layers", "n_cpu_moe", "split_mode", "load_mode", "lazy_mode", "main_gpu", "devices",
		"tensor_split", "tensor_buft_overrides", "no_host", "repack", "embeddings", "no_op_offload")
	rows = expand(rows, g.Batches, func(p *Params, v int) { p.Batch = v })
	rows = expand(rows, g.UBatches, func(p *Params, v int) { p.UBatch = v })
	rows = expand(rows, g.CacheK, func(p *Params, v string) { p.CacheK = v })
	rows = expand(rows, g.CacheV, func(p *Params, v string) { p.CacheV = v })
	echo("no_kv_offload")
	rows = expand(rows, g.FlashAttn, func(p *Params, v int) { p.FlashAttn = v })
	rows = expand(rows, g.Threads, func(p *Params, v int) { p.Threads = v })
	echo("cpu_mask", "cpu_strict")
	rows = expand(rows, g.Depths, func(p *Params, v int) { p.Depth = v })
	echo("poll")
	return expand(rows, g.tests(), func(p *Params, v [2]int) { p.Prompt, p.Gen = v[0], v[1] })
}

// tests are the lengths of prompt and answer.
func (g *Grid) tests() (list [][2]int) {
	for _, n := range g.Prompts {
		list = append(list, [2]int{n, 0})
	}
	for _, n := range g.Gens {
		list = append(list, [2]int{0, n})
	}
	list = append(list, g.Pairs...)
	kept := list[:0]
	for _, t := range list {
		if t[0]+t[1] > 0 {
			kept = append(kept, t)
		}
	}
	return kept
}

// expand replaces each row by one for each value.
func expand[T any](rows []Params, values []T, set func(*Params, T)) []Params {
	var out []Params
	for _, row := range rows {
		for _, v := range values {
			p := row
			set(&p, v)
			out = append(out, p)
		}
	}
	return out
}

func with(m map[string]string, key, value string) map[string]string {
	out := map[string]string{key: value}
	for k, v := range m {
		if k != key {
			out[k] = v
		}
	}
	return out
}

// attention is the text of FlashAttn.
func attention(flash int) string { return [...]string{"auto", "off", "on"}[flash+1] }
