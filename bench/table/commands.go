package main

import (
	"fmt"
	"slices"
	"strings"
)

// file is a model: a shape of bench/model, a type, and the number of layers where it is not the shape's.
type file struct {
	shape, typ string
	layers     int
}

func (f file) name() string {
	if f.layers > 0 {
		return fmt.Sprintf("%s-%d-%s.gguf", f.shape, f.layers, f.typ)
	}
	return f.shape + "-" + f.typ + ".gguf"
}

// target is a row of the table: which result of a command, and how many times as fast (or how small) it is to be.
type target struct {
	name       string
	result     string // as results name it: pp512, tg128 @ d8192, 8 sequences
	least, aim float64
}

// command is a call of llama-bench that makes one row or several.
type command struct {
	file    file
	args    []string
	avx2    bool
	process bool // the process as a whole is measured: time and memory
	targets []target
}

func (c *command) title() string {
	var names []string
	for _, t := range c.targets {
		names = append(names, t.name)
	}
	return strings.Join(names, "; ")
}

const dense = "qwen3-0.6b"

// commands are the rows that the project has set itself as targets.
func commands() (list []command) {
	for _, t := range []struct {
		typ                          string
		ppLeast, ppAim, tgLeast, aim float64
	}{
		{"q4_k_m", 3, 4, 1.6, 1.85}, {"q8_0", 5, 7, 1.4, 1.6}, {"f16", 2, 2.8, 1.3, 1.42}, {"bf16", 2, 2.8, 1.2, 1.6},
		{"q4_0", 2.5, 4, 1.2, 1.6}, {"q5_k_m", 2.5, 4, 1.2, 1.6}, {"q6_k", 2.5, 4, 1.2, 1.6}, {"iq4_xs", 2.5, 4, 1.2, 1.6}, {"mxfp4", 2.5, 4, 1.2, 1.6},
	} {
		upper := strings.ToUpper(t.typ)
		list = append(list, command{file: file{dense, t.typ, 0}, args: []string{"-p", "512", "-n", "128"}, targets: []target{
			{"prefill pp512, " + upper, "pp512", t.ppLeast, t.ppAim}, {"decode tg128, " + upper, "tg128", t.tgLeast, t.aim}}})
	}
	q4 := file{dense, "q4_k_m", 0}
	list = append(list,
		command{file: q4, args: []string{"-p", "512", "-n", "32", "-d", "8192"}, targets: []target{
			{"prefill 512 at depth 8,192, f16 KV", "pp512 @ d8192", 3, 5}, {"decode at depth 8,192, f16 KV", "tg32 @ d8192", 3, 5}}},
		command{file: q4, args: []string{"-p", "0", "-n", "32", "-d", "8192", "-ctk", "q8_0", "-ctv", "q8_0", "-fa", "on"}, targets: []target{
			{"decode at depth 8,192, q8_0 KV", "tg32 @ d8192", 3, 5}}},
		command{file: q4, args: []string{"--batched", "-npp", "128", "-ntg", "32", "-npl", "8,4,2"}, targets: []target{
			{"8 sequences decoding together", "8 sequences", 3, 4.5}, {"4 sequences decoding together", "4 sequences", 2.5, 3.5},
			{"2 sequences decoding together", "2 sequences", 2, 2.2}}},
		command{file: q4, avx2: true, args: []string{"-p", "512", "-n", "128"}, targets: []target{
			{"AVX2 only, prefill pp512", "pp512", 1.3, 2}, {"AVX2 only, decode tg128", "tg128", 1.3, 2}}},
		command{file: q4, process: true, args: []string{"-p", "0", "-n", "1", "-r", "1", "--no-warmup"}, targets: []target{
			{"load to first token", "seconds", 1.5, 3}}},
		command{file: q4, process: true, args: []string{"-p", "512", "-n", "128", "-r", "1"}, targets: []target{
			{"peak memory beyond weights and KV", "memory", 1, 2}}},
		command{file: file{"qwen3-30b-a3b", "q4_k_m", 12}, args: []string{"-p", "512", "-n", "64"}, targets: []target{
			{"experts (30B-A3B, 12 layers), pp512", "pp512", 1.5, 3}, {"experts (30B-A3B, 12 layers), tg64", "tg64", 1.2, 1.6}}})
	return list
}

// short replaces the numbers of a test by ones that take seconds.
func (c *command) short() {
	replace := map[string]string{"512": "16", "128": "4", "64": "3", "32": "2", "8192": "40"}
	c.args = slices.Clone(c.args)
	for i, a := range c.args {
		if n, ok := replace[a]; ok {
			c.args[i] = n
		}
	}
	c.targets = slices.Clone(c.targets)
	for i := range c.targets {
		t := &c.targets[i]
		kind, depth, deep := strings.Cut(t.result, " @ d")
		if strings.HasPrefix(kind, "pp") || strings.HasPrefix(kind, "tg") {
			t.result = kind[:2] + replace[kind[2:]]
			if deep {
				t.result += " @ d" + replace[depth]
			}
		}
	}
}

// text is the command as a person types it.
func (c *command) text(o *options) string {
	text := "llama-bench -m " + c.file.name() + " " + strings.Join(c.args, " ")
	peer := o.peer
	if c.avx2 {
		text, peer = "LLAMA_CPU=avx2 "+text, o.peerAVX2
	}
	if c.process {
		return text + ", beside the peer's, as processes"
	}
	return fmt.Sprintf("%s -t 2 -r %d --vs '%s %s'", text, o.repetitions, peer, c.tool())
}

// tool is the peer's program.
func (c *command) tool() string {
	if c.args[0] == "--batched" {
		return "llama-batched-bench"
	}
	return "llama-bench"
}
