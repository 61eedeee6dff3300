package vocab

import (
	"encoding/json"
	"flag"
	"hash/crc32"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/llamakit/llamakit/bench/golden"
	"github.com/llamakit/llamakit/formats/gguf"
)

// The files of testdata hold llama.cpp v0.7.0's tokens. They are made by
//
//	LLAMAKIT_PEER_TEXTS=1 go test ./engine/vocab -run TestRecord -update
var update = flag.Bool("update", false, "record llama.cpp's answers in testdata")

// recordedCase is a text with its tokens, special tokens in it not parsed and parsed.
type recordedCase struct {
	Text           string
	Plain, Special []Token
}

// recordings are the vocabularies of our own, each with a file of cases.
var recordings = map[string]func(testing.TB) *gguf.Metadata{
	"demo": demoVocab,
	"spm":  func(testing.TB) *gguf.Metadata { return tinySPM() },
	"bert": func(testing.TB) *gguf.Metadata { return tinyBERT() },

	"t5":         func(testing.TB) *gguf.Metadata { return tinyT5(true, true) },
	"t5-spaces":  func(testing.TB) *gguf.Metadata { return tinyT5(true, false) },
	"t5-nothing": func(testing.TB) *gguf.Metadata { return tinyT5(false, false) },
	"rwkv":       func(testing.TB) *gguf.Metadata { return tinyRWKV() },
	"plamo2":     func(testing.TB) *gguf.Metadata { return tinyPLaMo() },
}

func TestRecorded(t *testing.T) {
	for name, md := range recordings {
		v := mustNew(t, md(t))
		for _, c := range readJSON[[]recordedCase](t, name+".json") {
			if got := v.Encode(c.Text, EncodeOptions{}); !slices.Equal(got, c.Plain) {
				t.Errorf("%s: %s", name, difference(v, c.Text, got, c.Plain))
			}
			if got := v.Encode(c.Text, EncodeOptions{ParseSpecial: true}); !slices.Equal(got, c.Special) {
				t.Errorf("%s: ParseSpecial: %s", name, difference(v, c.Text, got, c.Special))
			}
		}
	}
}

// splitRecording has, for each pre-tokenizer, the checksum of the tokens of each text in the vocabulary of all pairs of bytes.
type splitRecording struct {
	Texts []string
	Sums  map[string][]uint32
}

func TestRecordedSplits(t *testing.T) {
	rec := readJSON[splitRecording](t, "splits.json")
	for _, p := range preTokenizers {
		name, _, _ := strings.Cut(p.names, " ")
		if name == "whitespace" {
			continue // llama.cpp aborts; see TestPeerPreTokenizers
		}
		if len(rec.Sums[name]) != len(rec.Texts) {
			t.Errorf("%s: %d sums for %d texts", name, len(rec.Sums[name]), len(rec.Texts))
			continue
		}
		v := mustNew(t, pairVocab(name))
		for i, text := range rec.Texts {
			if got := v.Encode(text, EncodeOptions{}); tokenSum(got) != rec.Sums[name][i] {
				t.Errorf("%s: Encode(%q) = %v, not what llama.cpp has", name, text, got)
			}
		}
	}
}

func tokenSum(tokens []Token) uint32 {
	var b []byte
	for _, t := range tokens {
		b = append(b, byte(t), byte(t>>8), byte(t>>16))
	}
	return crc32.ChecksumIEEE(b)
}

func readJSON[T any](t *testing.T, name string) (v T) {
	t.Helper()
	data, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, &v); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return v
}

func TestRecord(t *testing.T) {
	if !*update {
		t.Skip("-update is not set: nothing is recorded")
	}
	p := newPeer(t)
	for name, md := range recordings {
		p.record(t, name, md(t))
	}
	rec := splitRecording{Sums: map[string][]uint32{}}
	r := rand.New(rand.NewPCG(5, 6))
	for len(rec.Texts) < 150 {
		if s := randomText(r, 12, nil); utf8.ValidString(s) {
			rec.Texts = append(rec.Texts, s)
		}
	}
	for _, pre := range preTokenizers {
		name, _, _ := strings.Cut(pre.names, " ")
		if name == "whitespace" {
			continue
		}
		p.write(t, pairVocab(name))
		for _, tokens := range p.tokens(t, rec.Texts, false) {
			rec.Sums[name] = append(rec.Sums[name], tokenSum(tokens))
		}
	}
	writeJSON(t, "splits.json", rec)
}

// record writes the cases of a vocabulary: the prompts of the demo model, and random texts.
func (p *peer) record(t *testing.T, name string, md *gguf.Metadata) {
	t.Helper()
	v := mustNew(t, md)
	p.write(t, md)
	texts := []string{"", " ", "\n", "hello world"}
	if name == "demo" {
		texts = append(texts, demoPrompts(t)...)
	}
	r := rand.New(rand.NewPCG(7, 8))
	for len(texts) < 150 {
		s := randomText(r, 12, spellingsOf(v, r))
		if utf8.ValidString(s) && !strings.Contains(s, "\t\t\t") { // see TestUserDefinedRuns
			texts = append(texts, s)
		}
	}
	cases := make([]recordedCase, len(texts))
	for i, plain := range p.tokens(t, texts, false) {
		cases[i] = recordedCase{Text: texts[i], Plain: plain}
	}
	for i, special := range p.tokens(t, texts, true) {
		cases[i].Special = special
	}
	writeJSON(t, name+".json", cases)
}

func demoPrompts(t *testing.T) (texts []string) {
	data, err := os.ReadFile(golden.Shared(t, "models", "demo", "golden.json"))
	if err != nil {
		t.Fatal(err)
	}
	var g struct {
		Models map[string]struct {
			Prompts []struct{ Prompt, Text string }
		}
	}
	if err := json.Unmarshal(data, &g); err != nil {
		t.Fatal(err)
	}
	for _, p := range g.Models["demo"].Prompts {
		texts = append(texts, p.Prompt, p.Text)
	}
	return texts
}

// writeJSON writes v, a list one element a line.
func writeJSON(t *testing.T, name string, v any) {
	t.Helper()
	data, err := json.Marshal(v)
	if cases, ok := v.([]recordedCase); ok {
		lines := make([]string, len(cases))
		for i, c := range cases {
			line, _ := json.Marshal(c)
			lines[i] = string(line)
		}
		data = []byte("[\n" + strings.Join(lines, ",\n") + "\n]")
	}
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile("testdata/"+name, append(data, '\n'), 0o644); err != nil {
		t.Fatal(err)
	}
}
