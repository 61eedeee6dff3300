// Package golden finds the reference data that tests compare with.
//
// The data is too large or not ours to keep in this repository: recorded answers of llama.cpp, public vocabularies and
// chat templates, and random models that llama.cpp's own test writes. Tests that use it skip when it is absent; every
// such test has a smaller sibling on the data in testdata.
package golden

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"
)

// Shared returns the path of a file or folder in the reference folder: $LLAMAKIT_SHARED, or `shared` beside the
// checkout. The test is skipped when it is not there.
func Shared(t testing.TB, elem ...string) string {
	t.Helper()
	root := os.Getenv("LLAMAKIT_SHARED")
	if root == "" {
		_, file, _, _ := runtime.Caller(0)
		root = filepath.Join(filepath.Dir(file), "..", "..", "..", "shared")
	}
	return existing(t, filepath.Join(append([]string{root}, elem...)...))
}

// Peer returns the path of a file or folder in the model folder of the reference llama.cpp: $PEER_DIR/models, or
// llama-peer/models in the user's cache folder. The test is skipped when it is not there.
func Peer(t testing.TB, elem ...string) string {
	t.Helper()
	root := os.Getenv("PEER_DIR")
	if root == "" {
		cache, err := os.UserCacheDir()
		if err != nil {
			t.Skipf("no cache folder: %v", err)
		}
		root = filepath.Join(cache, "llama-peer")
	}
	return existing(t, filepath.Join(append([]string{root, "models"}, elem...)...))
}

func existing(t testing.TB, path string) string {
	t.Helper()
	if _, err := os.Stat(path); err != nil {
		t.Skipf("reference data is absent: %s", filepath.Base(path))
	}
	return path
}
