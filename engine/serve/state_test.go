package serve_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/llamakit/llamakit/engine/serve"
	"github.com/llamakit/llamakit/engine/serve/status"
)

// TestShownElsewhere: what a dashboard elsewhere shows is what one here does: slots, a letter a page, devices; and no text of anybody.
func TestShownElsewhere(t *testing.T) {
	s, h := start(t, serve.Options{})
	if code, body := post(t, h, "/completion", `{"prompt":"Once upon","n_predict":3,"temperature":0}`); code != 200 {
		t.Fatalf("%d %s", code, body)
	}
	code, body := ask(t, h, "GET", "/status", "")
	var got status.Server
	if err := json.Unmarshal([]byte(body), &got); err != nil || code != 200 {
		t.Fatalf("%d, %v: %s", code, err, body)
	}
	if len(got.Pages.Map) != got.Pages.Total || got.Pages.Total == 0 || !strings.Contains(got.Pages.Map, "c") {
		t.Errorf("%d pages: %q", got.Pages.Total, got.Pages.Map)
	}
	d := append(got.Devices, status.Device{})[0]
	if d.Layers == 0 || d.Weights == 0 || d.Cache == 0 || d.Compute == 0 || len(got.Slots) != len(s.State().Slots) {
		t.Errorf("%+v", got)
	}
	if strings.Contains(body, "Once") {
		t.Errorf("the prompt is shown: %s", body)
	}
	_, hidden := start(t, serve.Options{NoSlots: true})
	if code, _ := ask(t, hidden, "GET", "/status", ""); code != 501 {
		t.Errorf("with NoSlots: %d", code)
	}
}
