package remote

import (
	"bytes"
	"errors"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/llamakit/llamakit/formats/gguf"
)

// TestDownload takes files of several pieces and of none, and refuses one that changes on the way.
func TestDownload(t *testing.T) {
	large := bytes.Repeat([]byte("0123456789abcdef"), piece/16+3)
	changing := 0
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/large":
			http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(large))
		case "/empty":
			http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(nil))
		case "/changing":
			changing++
			http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(large[:len(large)-changing]))
		default:
			http.NotFound(w, r)
		}
	}))
	defer s.Close()
	var out bytes.Buffer
	var last [2]int64
	if err := Download(t.Context(), s.URL+"/large", &out, func(done, size int64) { last = [2]int64{done, size} }); err != nil || !bytes.Equal(out.Bytes(), large) {
		t.Errorf("%d bytes, want %d; %v", out.Len(), len(large), err)
	}
	if want := int64(len(large)); last != [2]int64{want, want} {
		t.Errorf("progress ends with %v, want %d", last, want)
	}
	out.Reset()
	if err := Download(t.Context(), s.URL+"/empty", &out, nil); err != nil || out.Len() != 0 {
		t.Errorf("%d bytes of an empty file, %v", out.Len(), err)
	}
	for path, want := range map[string]error{"/changing": ErrChanged, "/none": gguf.ErrNotFound} {
		if err := Download(t.Context(), s.URL+path, &out, nil); !errors.Is(err, want) {
			t.Errorf("%s: error %v, want %v", path, err, want)
		}
	}
}
