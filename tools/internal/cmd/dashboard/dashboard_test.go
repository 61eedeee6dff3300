package dashboard

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

func TestPrint(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/props":
			fmt.Fprint(w, `{"model_alias":"demo\u001b[2J"}`)
		case "/slots":
			fmt.Fprint(w, `[{"id":0,"is_processing":true,"n_prompt_tokens":5,"n_prompt_tokens_processed":5,"next_token":[{"n_decoded":2}]}]`)
		default:
			w.WriteHeader(http.StatusNotImplemented)
		}
	}))
	defer server.Close()
	exec := func(args ...string) (string, error) {
		var out bytes.Buffer
		c := Command("dashboard")
		c.Writer = &out
		err := c.Run(context.Background(), append([]string{"dashboard"}, args...))
		return out.String(), err
	}
	out, err := exec("--url", strings.TrimPrefix(server.URL, "http://"))
	if err != nil || !strings.Contains(out, "slot 0\tbusy\tprompt 5 of 5\tcached 0\tanswer 2\n") || !strings.Contains(out, "demo␛[2J: 0 waiting") {
		t.Errorf("%q, %v", out, err)
	}
	out, err = exec("--url", server.URL, "--json")
	if err != nil || !json.Valid([]byte(out)) || !strings.Contains(out, `"answer": 2`) || strings.Contains(out, "\x1b") {
		t.Errorf("%q, %v", out, err)
	}
	for _, bad := range []string{"http://", "http://127.0.0.1:1"} {
		if out, err := exec("--url", bad); err == nil {
			t.Errorf("%s: %q and no error", bad, out)
		}
	}
}
