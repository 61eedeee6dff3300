package vocab

import (
	"slices"
	"strings"
)

// preTokenizer is what a value of tokenizer.ggml.pre stands for: the passes that split text into words, and the defaults that
// llama.cpp attaches to the name.
type preTokenizer struct {
	names        string // separated by blanks
	passes       []splitter
	ignoreMerges bool // a word that is a token is not merged from its parts
	addBOS       bool
	forceBOS     bool // also when the file says otherwise
	addSEP       bool
	noBOS        bool // no beginning-of-text token unless the file names one
	spaceMarks   bool // spaces become U+2581 and stay part of the words, as in SentencePiece
	rawBytes     bool // tokens are spelled in UTF-8 and missing bytes as <0xNN>, instead of in GPT-2's byte alphabet
	wholeBreaks  bool // a word of line feeds that is a token is not merged
}

// The passes that several tokenizers share. Each element is one published pattern.
var (
	gpt2Passes     = []splitter{cut(gpt2Words)}
	llama3Passes   = []splitter{words{digits: 3}.splitter()}
	qwen2Passes    = []splitter{words{digits: 1}.splitter()}
	deepseekPasses = []splitter{upToN(number, 3), runsOf(hanKana), cut(deepseekWords)}
)

// preTokenizers has every name that llama.cpp v0.7.0 knows.
var preTokenizers = []preTokenizer{
	{names: "default", passes: []splitter{operators(false), cut(gpt2Words), upToN(number, 0), cut(threeDigits)}},
	{names: "gpt-2 phi-2 gigachat mellum a.x-4.0 exaone4 modern-bert jina-es jina-de jina-v2-es jina-v2-de " +
		"mpt olmo jais trillion granite-docling", passes: gpt2Passes},
	{names: "jina-v1-en jina-v2-code roberta-bpe", passes: gpt2Passes, addSEP: true},
	{names: "starcoder refact command-r smollm codeshell exaone minerva-7b mellum2",
		passes: []splitter{upToN(number, 1), cut(gpt2Words)}},
	{names: "falcon", passes: []splitter{operators(true), cut(gpt2Words), cut(threeDigits)}},

	{names: "llama3 llama-v3 llama-bpe falcon3 falcon-h1 pixtral midm-2.0 lfm2 jina-v5-nano",
		passes: llama3Passes, ignoreMerges: true, addBOS: true},
	{names: "dbrx smaug-bpe", passes: llama3Passes},
	{names: "chatglm-bpe glm4 glm5", passes: llama3Passes, noBOS: true},
	{names: "jais-2", passes: []splitter{words{digits: 3, blanks: cascade}.splitter()}},
	{names: "minicpm5", passes: []splitter{upToN(number, 3), words{}.splitter()}, ignoreMerges: true},
	{names: "k2-horizon", passes: []splitter{words{digits: 3, letters: k2Letters, longS: true}.splitter()}},

	{names: "qwen2 deepseek-r1-qwen kormo f2llmv2 megrez stablelm2 hunyuan solar-open grok-2", passes: qwen2Passes},
	{names: "bailingmoe bailingmoe2 llada-moe", passes: qwen2Passes}, // its \s*[\r\n] takes what \s*[\r\n]+ does
	{names: "qwen35", passes: []splitter{words{digits: 1, letters: lettersAndMarks, marks: true}.splitter()}},
	{names: "laguna", passes: []splitter{lines, qwen2Passes[0]}},
	{names: "seed-coder", passes: []splitter{words{digits: 1, tail: nothing}.splitter()}},
	{names: "ufakzeka", passes: []splitter{words{digits: 1, noContractions: true}.splitter()}},
	{names: "exaone-moe", passes: []splitter{words{digits: 1, letters: phrase, tail: oneLineBreakOrSlash}.splitter()}},

	{names: "gpt-4o llama4 kanana2 talkie minimax-m2",
		passes: []splitter{cased{letters: letter, contractions: true, digits: 3}.splitter()}},
	{names: "tekken", passes: []splitter{cased{letters: letter, digits: 1}.splitter()}, ignoreMerges: true, addBOS: true},
	{names: "granite-embed-multi-97m", ignoreMerges: true,
		passes: []splitter{cased{letters: letter | mark, contractions: true, digits: 3}.splitter()}},
	{names: "tiny_aya cohere2moe",
		passes: []splitter{groupsFromRight, cased{letters: letter | mark, anyCase: true, contractions: true, digits: 3}.splitter()}},
	{names: "youtu", ignoreMerges: true,
		passes: []splitter{cut(youtuScripts), cased{letters: letter | mark, anyCase: true, contractions: true, digits: 1}.splitter()}},

	{names: "deepseek-v3 hunyuan-dense joyai-llm hy_v4", passes: deepseekPasses},
	{names: "spark2_5", passes: []splitter{upToN(number, 3), runsOf(hanKana), cut(sparkWords), upToN(number, 1)}},
	{names: "afmoe", passes: []splitter{groupsFromRight, runsOf(afmoeScripts), cut(deepseekWords)}},
	{names: "deepseek-llm", passes: []splitter{cut(oneLineBreak), afterBlank(within(deepseekLatin)), afterBlank(within(deepseekPunct)),
		trailingBlanks, runsOf(deepseekCJK), upToN(number, 0)}},
	{names: "deepseek-coder", passes: []splitter{cut(oneLineBreak), afterBlank(ofClass(letter)), afterBlank(ofClass(punct)),
		runsOf(deepseekCJK), upToN(number, 1)}},
	{names: "kimi-k2", passes: []splitter{cut(kimiWords)}},

	{names: "bloom poro-chat gpt3-finnish", passes: []splitter{cut(sentence)}},
	{names: "viking", passes: []splitter{cut(sentence), upToN(number, 1)}},
	{names: "chameleon", addBOS: true, passes: []splitter{cut(sentinels), cut(imageTokens), cut(indents),
		upToN(number, 1), cut(onePunct), cut(gpt2Words)}},
	{names: "superbpe", passes: []splitter{upToN(number, 0), beforeThrees}},

	{names: "gemma4 granite-embed-multi-311m mmbert", passes: []splitter{lines},
		spaceMarks: true, rawBytes: true, wholeBreaks: true, forceBOS: true},
	{names: "sarvam-moe", passes: []splitter{lines}, spaceMarks: true, rawBytes: true},
	{names: "whitespace", passes: []splitter{upToN(anyClass&^space, 0)}, rawBytes: true},
}

// findPre returns the pre-tokenizer of that name; a file without one gets "default".
func findPre(name string) (*preTokenizer, bool) {
	if name == "" {
		name = "default"
	}
	for i := range preTokenizers {
		if slices.Contains(strings.Fields(preTokenizers[i].names), name) {
			return &preTokenizers[i], true
		}
	}
	return nil, false
}
