package mmap

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

func TestOpen(t *testing.T) {
	for _, size := range []int{0, 1, 4095, 4096, 4097, 1 << 20} {
		want := bytes.Repeat([]byte("llama"), size/5+1)[:size]
		path := filepath.Join(t.TempDir(), "data")
		if err := os.WriteFile(path, want, 0o600); err != nil {
			t.Fatal(err)
		}
		m, err := Open(path)
		if err != nil {
			t.Fatal(err)
		}
		for range 2 { // also after the system was told to forget it
			if !bytes.Equal(m.Data, want) {
				t.Errorf("%d bytes: the mapping differs from the file", size)
			}
			Release(m.Data)
			Release(m.Data[size/2:])
		}
		if err := m.Close(); err != nil || m.Data != nil {
			t.Errorf("%d bytes: Close: %v, data left: %t", size, err, m.Data != nil)
		}
		if err := m.Close(); err != nil {
			t.Errorf("second Close: %v", err)
		}
	}
}

// TestReplaced pins that a file that was renamed over the mapped one leaves the mapping as it was.
func TestReplaced(t *testing.T) {
	if os.PathSeparator != '/' {
		t.Skip("a mapped file cannot be replaced here")
	}
	dir := t.TempDir()
	path, next := filepath.Join(dir, "data"), filepath.Join(dir, "next")
	os.WriteFile(path, []byte("old"), 0o600)
	m, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	os.WriteFile(next, []byte("new bytes"), 0o600)
	if err := os.Rename(next, path); err != nil {
		t.Fatal(err)
	}
	if string(m.Data) != "old" {
		t.Errorf("the mapping reads %q", m.Data)
	}
}

func TestOpenRefuses(t *testing.T) {
	for name, path := range map[string]string{
		"absent": filepath.Join(t.TempDir(), "absent"),
		"folder": t.TempDir(),
		"device": os.DevNull,
	} {
		if m, err := Open(path); err == nil {
			m.Close()
			t.Errorf("%s: opened", name)
		}
	}
}
