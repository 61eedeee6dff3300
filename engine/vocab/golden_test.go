package vocab

import (
	"bufio"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/llamakit/llamakit/bench/golden"
	"github.com/llamakit/llamakit/formats/gguf"
)

// TestGolden compares with llama.cpp's tokens for awkward texts, in every vocabulary of the reference data.
func TestGolden(t *testing.T) {
	f, err := os.Open(golden.Shared(t, "golden", "vocab", "tokens.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	vocabs := map[string]*Vocab{}
	rows := 0
	for s := bufio.NewScanner(f); s.Scan(); rows++ {
		var row struct {
			Vocab, Text    string
			Plain, Special []Token
		}
		if err := json.Unmarshal(s.Bytes(), &row); err != nil {
			t.Fatal(err)
		}
		v := vocabs[row.Vocab]
		if v == nil {
			v = openVocab(t, golden.Shared(t, "golden", "vocab", row.Vocab))
			vocabs[row.Vocab] = v
		}
		if got := v.Encode(row.Text, EncodeOptions{}); !slices.Equal(got, row.Plain) {
			t.Errorf("%s: Encode(%q) = %v, want %v", row.Vocab, row.Text, got, row.Plain)
		}
		if got := v.Encode(row.Text, EncodeOptions{ParseSpecial: true}); !slices.Equal(got, row.Special) {
			t.Errorf("%s: Encode(%q, ParseSpecial) = %v, want %v", row.Vocab, row.Text, got, row.Special)
		}
	}
	if rows < 1000 || len(vocabs) < 12 {
		t.Errorf("%d rows of %d vocabularies, want 1,000 of 12", rows, len(vocabs))
	}
}

func openVocab(t testing.TB, path string) *Vocab {
	t.Helper()
	f, err := gguf.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	v, err := New(f.Metadata)
	if err != nil {
		t.Fatalf("%s: %v", filepath.Base(path), err)
	}
	return v
}
