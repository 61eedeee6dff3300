package vocab

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/llamakit/llamakit/bench/golden"
	"github.com/llamakit/llamakit/formats/gguf"
)

// TestPeerVocabularies compares with llama.cpp itself on random texts, in every vocabulary of the reference data.
//
//	LLAMAKIT_PEER_TEXTS=3000 go test ./engine/vocab -run TestPeer
func TestPeerVocabularies(t *testing.T) {
	p := newPeer(t)
	files, _ := filepath.Glob(filepath.Join(golden.Shared(t, "golden", "vocab"), "*.gguf"))
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			f, err := gguf.Open(file)
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			p.compare(t, f.Metadata)
		})
	}
}

// TestPeerOwn does so in our own vocabularies.
func TestPeerOwn(t *testing.T) {
	p := newPeer(t)
	for name, md := range recordings {
		if name != "spm" { // see TestUserDefinedRuns
			t.Run(name, func(t *testing.T) { p.compare(t, md(t)) })
		}
	}
}

// TestPeerPreTokenizers does so for every name of tokenizer.ggml.pre, with the vocabulary in which any two bytes are a token,
// so that every cut shows.
func TestPeerPreTokenizers(t *testing.T) {
	p := newPeer(t)
	for _, pre := range preTokenizers {
		for i, name := range strings.Fields(pre.names) {
			if name == "whitespace" || i > 0 && testing.Short() {
				continue // llama.cpp aborts when "whitespace" meets a blank with this model
			}
			t.Run(name, func(t *testing.T) {
				p.compare(t, pairVocab(name))
			})
		}
	}
}

// TestPeerVariants does so for settings that the files of the reference data do not have.
func TestPeerVariants(t *testing.T) {
	p := newPeer(t)
	for name, test := range map[string]struct {
		file string
		set  map[string]gguf.Value
	}{
		"nfc spm":        {"llama-spm", map[string]gguf.Value{"tokenizer.ggml.normalizer.nfc": gguf.Bool(true)}},
		"nfc bert":       {"bert-bge", map[string]gguf.Value{"tokenizer.ggml.normalizer.nfc": gguf.Bool(true)}},
		"no prefix":      {"llama-spm", map[string]gguf.Value{"tokenizer.ggml.add_space_prefix": gguf.Bool(false)}},
		"prefix bpe":     {"gpt-2", map[string]gguf.Value{"tokenizer.ggml.add_space_prefix": gguf.Bool(true)}},
		"extra spaces":   {"llama-spm", map[string]gguf.Value{"tokenizer.ggml.remove_extra_whitespaces": gguf.Bool(true)}},
		"cased bert":     {"bert-bge", map[string]gguf.Value{"tokenizer.ggml.normalizer.lowercase": gguf.Bool(false)}},
		"accents bert":   {"bert-bge", map[string]gguf.Value{"tokenizer.ggml.normalizer.strip_accents": gguf.Bool(false)}},
		"cased no marks": {"bert-bge", map[string]gguf.Value{"tokenizer.ggml.normalizer.lowercase": gguf.Bool(false), "tokenizer.ggml.normalizer.strip_accents": gguf.Bool(true)}},
		"phi-3":          {"phi-3", map[string]gguf.Value{"general.name": gguf.String("My Phi3 model")}},
		"modern-bert":    {"bert-bge", map[string]gguf.Value{"general.name": gguf.String("modern-bert")}},
		"lstrip":         {"refact", map[string]gguf.Value{"tokenizer.ggml.pre": gguf.String("jina-v2-code")}},
		"gemma4":         {"gpt-2", map[string]gguf.Value{"tokenizer.ggml.model": gguf.String("gemma4")}},
		"whitespace":     {"gpt-2", map[string]gguf.Value{"tokenizer.ggml.model": gguf.String("whitespace"), "tokenizer.ggml.pre": gguf.String("whitespace")}},
		"whitespace low": {"gpt-2", map[string]gguf.Value{"tokenizer.ggml.model": gguf.String("whitespace")}},
		"hybriddna":      {"gpt-2", map[string]gguf.Value{"tokenizer.ggml.model": gguf.String("hybriddna")}},
	} {
		t.Run(name, func(t *testing.T) {
			f, err := gguf.Open(golden.Shared(t, "golden", "vocab", "ggml-vocab-"+test.file+".gguf"))
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			md := f.Metadata.Clone()
			for k, v := range test.set {
				md.Set(k, v)
			}
			p.compare(t, md)
		})
	}
}

// peer runs llama.cpp on files in its own folder.
type peer struct {
	run, dir string // dir is mounted as /models/<base>
	texts    int
	seed     uint64
}

func newPeer(t *testing.T) *peer {
	n, err := strconv.Atoi(os.Getenv("LLAMAKIT_PEER_TEXTS"))
	if err != nil {
		t.Skip("LLAMAKIT_PEER_TEXTS is not set: no comparison with llama.cpp")
	}
	seed, _ := strconv.ParseUint(os.Getenv("LLAMAKIT_PEER_SEED"), 10, 64)
	dir, err := os.MkdirTemp(golden.Peer(t), "vocab-test-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return &peer{golden.Shared(t, "peer", "run"), dir, n, seed}
}

// tokens returns llama.cpp's tokens of each text.
func (p *peer) tokens(t *testing.T, texts []string, special bool) [][]Token {
	t.Helper()
	if err := os.WriteFile(filepath.Join(p.dir, "texts"), []byte(strings.Join(texts, "\x00")+"\x00"), 0o644); err != nil {
		t.Fatal(err)
	}
	inside := path.Join("/models", filepath.Base(p.dir))
	flag := map[bool]string{false: "0", true: "1"}[special]
	cmd := exec.Command(p.run, "golden", inside+"/v.gguf", "tokens", inside+"/texts", flag)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("llama.cpp: %v\n%s", err, stderr.String())
	}
	var rows [][]Token
	for line := range strings.Lines(string(out)) {
		row := []Token{}
		for _, f := range strings.Fields(line) {
			n, err := strconv.Atoi(f)
			if err != nil {
				t.Fatal(err)
			}
			row = append(row, Token(n))
		}
		rows = append(rows, row)
	}
	if len(rows) != len(texts) {
		t.Fatalf("llama.cpp printed %d lines for %d texts", len(rows), len(texts))
	}
	return rows
}

// write makes md the file that tokens reads.
func (p *peer) write(t *testing.T, md *gguf.Metadata) {
	t.Helper()
	w, err := gguf.Create(filepath.Join(p.dir, "v.gguf"), md, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Commit(); err != nil {
		t.Fatal(err)
	}
}

// compare encodes random texts here and there.
func (p *peer) compare(t *testing.T, md *gguf.Metadata) {
	t.Helper()
	v, err := New(md)
	if err != nil {
		t.Fatal(err)
	}
	p.write(t, md)
	r := rand.New(rand.NewPCG(p.seed, uint64(len(md.Keys()))))
	texts := make([]string, p.texts)
	for i := range texts {
		texts[i] = randomText(r, 20, spellingsOf(v, r))
	}
	for _, special := range []bool{false, true} {
		bad := 0
		for i, want := range p.tokens(t, texts, special) {
			if got := v.Encode(texts[i], EncodeOptions{ParseSpecial: special}); !slices.Equal(got, want) && bad < 5 {
				bad++
				t.Errorf("special=%v: %s", special, difference(v, texts[i], got, want))
			}
		}
	}
}

// spellingsOf returns entries of the vocabulary, among them what it treats specially.
func spellingsOf(v *Vocab, r *rand.Rand) []string {
	var s []string
	for range 5 {
		s = append(s, strings.ReplaceAll(v.words[r.IntN(len(v.words))].text, "\x00", ""))
	}
	for range min(5, len(v.marked.list)) {
		s = append(s, strings.ReplaceAll(v.marked.list[r.IntN(len(v.marked.list))].text, "\x00", ""))
	}
	return s
}

func difference(v *Vocab, text string, got, want []Token) string {
	i := 0
	for i < len(got) && i < len(want) && got[i] == want[i] {
		i++
	}
	show := func(tokens []Token) string {
		var b strings.Builder
		for _, t := range tokens[i:min(len(tokens), i+8)] {
			fmt.Fprintf(&b, " %d%q", t, v.Text(t))
		}
		return b.String()
	}
	return fmt.Sprintf("Encode(%q): after %q:\n\tgot %s\n\twant%s", text, v.Decode(got[:i], true), show(got), show(want))
}
