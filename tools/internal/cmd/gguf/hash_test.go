package gguf

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// tinyDigests is what llama.cpp v0.7.0's `llama-gguf-hash --all --uuid` prints of the file tiny.
const tinyDigests = `xxh64     c6b5d45f06894866  FILE:token_embd.weight
sha1      2613304e943cf39fd3687cac1493e81877a327ea  FILE:token_embd.weight
sha256    e2c0a71510b5394df7773b63fb5f54372b84c3564e67811bde7d665be227976d  FILE:token_embd.weight
xxh64     d54ee2016191db32  FILE:output_norm.weight
sha1      b01abf7d0dfaf0ca12f8d2260c98f8c9b9d7bff9  FILE:output_norm.weight
sha256    80b8fd6d60fa85fd14a38b5295cb92abd80dfec5ca406c9f969609a79d36809d  FILE:output_norm.weight
xxh64     6e66abc946583f29  FILE
sha1      2012fbad6e1c870dd3655406eef808baf50e6c3e  FILE
sha256    755c90db6e0878b397881ce9dc30b6cc850625ffba91b9f81063f0e244c3aac3  FILE
uuid      bc6f2efc-ac95-5ce9-a66b-5f020fff7644  FILE
`

func TestHash(t *testing.T) {
	want := strings.ReplaceAll(tinyDigests, "FILE", tiny)
	if got := exec(t, "hash", "--all", "--uuid", tiny); got.out != want || got.code != 0 {
		t.Errorf("%s%s", got.out, got.err)
	}
	if got := exec(t, "hash", "--no-layer", tiny); got.out != "xxh64     6e66abc946583f29  "+tiny+"\n" {
		t.Errorf("%s%s", got.out, got.err)
	}
	if got := exec(t, "hash", "--uuid", "--no-layer", "--json", tiny); !strings.Contains(got.out, `"digest": "bc6f2efc-ac95-5ce9-a66b-5f020fff7644"`) {
		t.Errorf("%s%s", got.out, got.err)
	}
}

// TestManifest checks files against what was printed of another under another name.
func TestManifest(t *testing.T) {
	dir := t.TempDir()
	for _, c := range []struct {
		name, manifest string
		file           string
		code           int
		want           string
	}{
		{"same", tinyDigests, tiny, 0, "uuid      ok       (all tensors)"},
		{"changed", strings.Replace(tinyDigests, "c6b5", "c6b6", 1), tiny, 1, "xxh64     differs  token_embd.weight"},
		{"other model", tinyDigests, demo, 1, "differs"},
		{"tensor missing", "xxh64  1  m.gguf:none\n", tiny, 1, "1 are of tensors that the file does not have"},
		{"empty", "\n", tiny, 1, "no digests in it"},
		{"no manifest", "<html>\n", tiny, 1, "line 1: want an algorithm"},
	} {
		path := filepath.Join(dir, "manifest")
		if err := os.WriteFile(path, []byte(c.manifest), 0o600); err != nil {
			t.Fatal(err)
		}
		got := exec(t, "hash", "--check", path, c.file)
		if got.code != c.code || !strings.Contains(got.out+got.err, c.want) {
			t.Errorf("%s: code %d\n%s%s", c.name, got.code, got.out, got.err)
		}
	}
}
