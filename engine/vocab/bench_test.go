package vocab

import (
	"strings"
	"testing"

	"github.com/llamakit/llamakit/bench/golden"
	"github.com/llamakit/llamakit/formats/gguf"
)

// benchText is prose, code, numbers and other scripts, 26 KB of it.
var benchText = strings.Repeat("Once there was a lynx who couldn't sleep; it counted to 12345 and wrote, \"What's that?\"\n"+
	"\tfor (int i = 0; i < n; ++i) { total += x[i] * 0.5; }\n\nнаивный текст, ein längeres Wort, 日本語の文章。 🦙\n", 125)

func BenchmarkEncode(b *testing.B) {
	for name, md := range map[string]*gguf.Metadata{"gpt2": demoVocab(b), "llama": tinySPM(), "bert": tinyBERT()} {
		v := mustNew(b, md)
		b.Run("model="+name, func(b *testing.B) { benchEncode(b, v, benchText) })
	}
	turns := strings.Repeat("<|im_start|>user\nhi<|im_end|>\n", 2000)
	v := mustNew(b, demoVocab(b))
	b.Run("model=gpt2/turns=2000", func(b *testing.B) { benchEncode(b, v, turns) })
}

// BenchmarkEncodeReal does so with vocabularies of the usual size, where memory is what takes time.
func BenchmarkEncodeReal(b *testing.B) {
	for _, name := range []string{"gpt-2", "deepseek-llm", "llama-spm", "bert-bge"} {
		v := openVocab(b, golden.Shared(b, "golden", "vocab", "ggml-vocab-"+name+".gguf"))
		b.Run("vocab="+name, func(b *testing.B) { benchEncode(b, v, benchText) })
	}
}

func benchEncode(b *testing.B, v *Vocab, text string) {
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		v.Encode(text, EncodeOptions{ParseSpecial: true})
	}
}

func BenchmarkSplit(b *testing.B) {
	for _, name := range []string{"gpt-2", "llama-bpe", "qwen2", "qwen35", "gpt-4o", "tekken", "deepseek-v3", "deepseek-llm", "falcon", "kimi-k2"} {
		p, _ := findPre(name)
		b.Run("pre="+name, func(b *testing.B) {
			b.SetBytes(int64(len(benchText)))
			var t text
			var x, y []int
			for b.Loop() {
				t.set(benchText)
				x, y = splitAll(&t, p.passes, x, y)
			}
		})
	}
}

func BenchmarkDecode(b *testing.B) {
	v := mustNew(b, demoVocab(b))
	tokens := v.Encode(benchText, EncodeOptions{})
	b.SetBytes(int64(len(benchText)))
	for b.Loop() {
		v.Decode(tokens, false)
	}
}

func BenchmarkNew(b *testing.B) {
	f, err := gguf.Open(golden.Shared(b, "golden", "vocab", "ggml-vocab-gpt-2.gguf"))
	if err != nil {
		b.Fatal(err)
	}
	defer f.Close()
	for b.Loop() {
		mustNew(b, f.Metadata)
	}
}
