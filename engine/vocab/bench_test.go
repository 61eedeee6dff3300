package vocab

import (
	"fmt"
	"strings"
	"testing"
)

func BenchmarkQuick(b *testing.B) {
	base := strings.Repeat("The quick brown fox's 12345 jumps over\n\tthe lazy dog; naïve café 日本語 привет мир. for (int i = 0; i < n; ++i) { x[i] += y; }\n", 200)
	for _, name := range []string{"gpt-2", "llama-spm", "bert-bge", "deepseek-llm", "falcon", "starcoder"} {
		v := openVocab(b, "/work/shared/golden/vocab/ggml-vocab-"+name+".gguf")
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(base)))
			for b.Loop() {
				v.Encode(base, EncodeOptions{ParseSpecial: true})
			}
		})
	}
	for _, pre := range []string{"gpt-2", "llama-bpe", "qwen2", "gpt-4o", "deepseek-v3"} {
		p, _ := findPre(pre)
		b.Run("split/"+pre, func(b *testing.B) {
			b.SetBytes(int64(len(base)))
			var t text
			var x, y []int
			for b.Loop() {
				t.set(base)
				x, y = splitAll(&t, p.passes, x, y)
			}
		})
	}
	for _, name := range []string{"gpt-2", "llama-spm", "deepseek-llm"} {
		b.Run("load/"+name, func(b *testing.B) {
			for b.Loop() {
				openVocab(b, "/work/shared/golden/vocab/ggml-vocab-"+name+".gguf")
			}
		})
	}
	for _, n := range []int{50000, 100000, 200000} {
		for _, name := range []string{"gpt-2", "llama-spm", "bert-bge"} {
			v := openVocab(b, "/work/shared/golden/vocab/ggml-vocab-"+name+".gguf")
			b.Run(fmt.Sprintf("a/%s/%d", name, n), func(b *testing.B) {
				s := strings.Repeat("a", n)
				for b.Loop() {
					v.Encode(s, EncodeOptions{})
				}
			})
		}
	}
}
