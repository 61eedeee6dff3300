package dashboard

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strings"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/llamakit/llamakit/tui/cells"
	"github.com/llamakit/llamakit/tui/client"
	"github.com/llamakit/llamakit/tui/internal/goldenfile"
)

const (
	propsJSON = `{"model_alias":"demo","default_generation_settings":{"n_ctx":2048},"total_slots":3}`
	slotsJSON = `[{"id":0,"is_processing":true,"id_task":7,"n_prompt_tokens":100,"n_prompt_tokens_processed":20,"n_prompt_tokens_cache":30,
 "next_token":[{"n_decoded":0,"n_remain":64}]},
 {"id":1,"is_processing":true,"id_task":5,"n_prompt_tokens":40,"n_prompt_tokens_processed":40,"n_prompt_tokens_cache":0,
 "next_token":[{"n_decoded":12,"n_remain":-1}]},
 {"id":2,"is_processing":false}]`
	metricsText = `# HELP llamacpp:prompt_tokens_total x
# TYPE llamacpp:prompt_tokens_total counter
llamacpp:prompt_tokens_total 600
llamacpp:prompt_tokens_cached_total 200
llamacpp:tokens_predicted_total 90
llamacpp:requests_deferred 4
llamacpp:kv_cache_pages 64
llamacpp:kv_cache_pages_free 40
llamacpp:kv_cache_pages_cached 16
llamacpp:kv_cache_pages_shared 3
llamacpp:queue_seconds_bucket{le="1"} 3
`
)

func server(t *testing.T, answers map[string]string) *Remote {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer secret" {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		body, ok := answers[r.URL.Path]
		if !ok {
			w.WriteHeader(http.StatusNotImplemented)
			return
		}
		fmt.Fprint(w, body)
	}))
	t.Cleanup(s.Close)
	return remote(t, s.URL, "secret")
}

func remote(t *testing.T, address, key string) *Remote {
	t.Helper()
	c, err := client.New(address, key)
	if err != nil {
		t.Fatal(err)
	}
	return NewRemote(c)
}

func TestRemote(t *testing.T) {
	r := server(t, map[string]string{"/props": propsJSON, "/slots": slotsJSON, "/metrics": metricsText})
	s, err := r.Snapshot(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	if s.Model != "demo" || s.Context != 2048 || s.Waiting != 4 || s.Pages != (Pages{Total: 64, Used: 8, Shared: 3, Cached: 16}) || s.Counts != (Counts{Prompt: 600, Cached: 200, Generated: 90}) {
		t.Errorf("%+v", s)
	}
	if want := (Slot{ID: 0, Task: 7, Busy: true, Prompt: 100, Done: 50, Cached: 30, Left: 64}); len(s.Slots) != 3 || s.Slots[0] != want {
		t.Errorf("%+v, want three, the first %+v", s.Slots, want)
	}
}

// TestRemoteState: a server that tells all at once is asked nothing else.
func TestRemoteState(t *testing.T) {
	want := story()[10]
	data, err := json.Marshal(want)
	if err != nil {
		t.Fatal(err)
	}
	got, err := server(t, map[string]string{"/status": string(data)}).Snapshot(context.Background())
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, %v, want %+v", got, err, want)
	}
}

// A server without slots and metrics shows its model still; one without properties, a wrong key or nobody there is an error.
func TestRemoteFaults(t *testing.T) {
	r := server(t, map[string]string{"/props": propsJSON})
	if s, err := r.Snapshot(context.Background()); err != nil || s.Model != "demo" || len(s.Slots) != 0 {
		t.Errorf("%+v, %v", s, err)
	}
	for name, c := range map[string]struct {
		remote *Remote
		want   string
	}{
		"no properties": {server(t, nil), "is it a llama-server"},
		"no key":        {remote(t, r.Name(), ""), "--api-key"},
		"nobody":        {remote(t, "http://127.0.0.1:1", ""), "refused"},
		"broken":        {server(t, map[string]string{"/props": propsJSON, "/slots": "{"}), "/slots"},
	} {
		if _, err := c.remote.Snapshot(context.Background()); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q in it", name, err, c.want)
		}
	}
}

// remotely is a story as somebody elsewhere sees it.
func remotely(t *testing.T, list []*Snapshot) *View {
	t.Helper()
	v := New(&scripted{})
	for i, s := range list {
		data, err := json.Marshal(s)
		if err != nil {
			t.Fatal(err)
		}
		got, err := server(t, map[string]string{"/status": string(data)}).Snapshot(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		v.Update(snapshotMsg{snapshot: got, at: start.Add(time.Duration(i) * time.Second)})
	}
	return v
}

// TestRemoteScreens: a server elsewhere shows all that one in this process does, and llama.cpp's what it tells.
func TestRemoteScreens(t *testing.T) {
	peer, err := server(t, map[string]string{"/props": propsJSON, "/slots": slotsJSON}).Snapshot(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, size := range [][2]int{{80, 24}, {140, 40}} {
		name := fmt.Sprintf("%dx%d.txt", size[0], size[1])
		goldenfile.Check(t, "remote-"+name, remotely(t, story()).Render(size[0], size[1])+"\n")
		goldenfile.Check(t, "peer-"+name, told([]*Snapshot{peer}).Render(size[0], size[1])+"\n")
	}
}

// FuzzStatus: whatever a server says, the screen is whole.
func FuzzStatus(f *testing.F) {
	for _, s := range story() {
		data, _ := json.Marshal(s)
		f.Add(string(data))
	}
	f.Add(`{"pages":{"total":1,"used":-9,"shared":1e18,"map":"\u001b[2J??"},"devices":[{"name":"\u001b]0;x\u0007"}],"slots":[{"id":-1,"busy":true,"done":-5}]}`)
	f.Add(`{"slots":[{"task":1,"busy":true},{}]}`)
	f.Fuzz(func(t *testing.T, text string) {
		s := &Snapshot{}
		if json.Unmarshal([]byte(text), s) != nil {
			return
		}
		lines := strings.Split(told([]*Snapshot{s, s}).Render(80, 24), "\n")
		for _, line := range lines {
			if cells.Width(line) > 80 || strings.Contains(line, "\x1b]") || strings.Contains(line, "\x1b[2J") {
				t.Errorf("%q: the line %q", text, line)
			}
		}
		if len(lines) != 24 {
			t.Errorf("%q: %d lines", text, len(lines))
		}
	})
}

// scripted gives one snapshot after another.
type scripted []*Snapshot

func (scripted) Name() string { return "http://127.0.0.1:9931" }

func (s *scripted) Snapshot(context.Context) (*Snapshot, error) {
	if len(*s) == 0 {
		return nil, errors.New("connection refused")
	}
	first := (*s)[0]
	*s = (*s)[1:]
	return first, nil
}

var start = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

func slot(id, task, prompt, done, cached, answer int) Slot {
	return Slot{ID: id, Task: task, Busy: true, Prompt: prompt, Done: done, Cached: cached, Answer: answer, Left: 100, Who: "192.0.2.7"}
}

// story is ten seconds of a server with four slots.
func story() (list []*Snapshot) {
	for i := range 11 {
		used, cached := 10+2*i, 20
		s := &Snapshot{Model: "demo", Context: 2048, Waiting: i / 4, Pages: Pages{Total: 64, Used: used, Shared: 4, Cached: cached,
			Map: "ssss" + strings.Repeat("u", used-4) + strings.Repeat("c", cached) + strings.Repeat(".", 64-used-cached)},
			Devices: []Device{{Name: "CPU", Layers: 4, Weights: 5 << 20, Cache: 3 << 20, Compute: 1 << 20}},
			Counts:  Counts{Prompt: float64(200 * i), Cached: float64(50 * i), Generated: float64(30 * i)}}
		s.Slots = []Slot{slot(0, 3, 400, min(400, 100*i), 64, max(0, 20*(i-4))), slot(1, 4, 100, 100, 0, 10*i), {ID: 2, Task: -1}, {ID: 3, Task: 2}}
		if i > 7 { // the second one ended
			s.Slots[1].Busy, s.Slots[1].Stopped = false, "eos"
		}
		list = append(list, s)
	}
	return list
}

func told(list []*Snapshot) *View {
	v := New(&scripted{})
	for i, s := range list {
		v.Update(snapshotMsg{snapshot: s, at: start.Add(time.Duration(i) * time.Second)})
	}
	return v
}

func TestHistory(t *testing.T) {
	v := told(story())
	h := &v.history
	if len(h.speeds) != 5 || h.speeds[2] != (Speeds{200, 30}) {
		t.Errorf("speeds %v, want five of 200 and 30", h.speeds)
	}
	if speed, took := h.speed(0); speed != 20 || took != 10*time.Second {
		t.Errorf("slot 0: %g tokens/s for %v, want 20 for 10s", speed, took)
	}
	want := Ended{Task: 4, Prompt: 100, Answer: 80, Speed: 10, Took: 8 * time.Second, Stopped: "eos"}
	if len(h.ended) != 1 || h.ended[0] != want {
		t.Errorf("ended %+v, want %+v", h.ended, want)
	}
	// Another request has the slot before anybody saw it idle; the server counts from 0 again.
	next := &Snapshot{Model: "demo", Slots: []Slot{slot(0, 9, 10, 10, 0, 0)}}
	v.Update(snapshotMsg{snapshot: next, at: start.Add(11 * time.Second)})
	if len(h.ended) != 2 || h.ended[0].Task != 3 || h.ended[0].Answer != 120 {
		t.Errorf("ended %+v, want task 3 with 120 tokens first", h.ended)
	}
}

// TestMove: a request that left its slot, and has another one now, did not end.
func TestMove(t *testing.T) {
	in := func(id int) *Snapshot {
		s := &Snapshot{Slots: []Slot{{ID: 0}, {ID: 1}}}
		s.Slots[id] = slot(id, 7, 10, 10, 0, 5)
		return s
	}
	if h := told([]*Snapshot{in(0), in(1)}).history; len(h.ended) != 0 || h.slots[1] == nil {
		t.Errorf("ended: %+v", h.ended)
	}
}

func TestScreens(t *testing.T) {
	v := told(story())
	for _, size := range [][2]int{{40, 12}, {80, 24}, {140, 40}} {
		name := fmt.Sprintf("dashboard-%dx%d.txt", size[0], size[1])
		screen := v.Render(size[0], size[1])
		for i, line := range strings.Split(screen, "\n") {
			if cells.Width(line) > size[0] {
				t.Errorf("%s: line %d is %d cells wide", name, i, cells.Width(line))
			}
		}
		goldenfile.Check(t, name, screen+"\n")
	}
}

func TestKeys(t *testing.T) {
	v := told(story())
	press := func(name string) {
		v.Update(tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune(name)})
	}
	press("b")
	if screen := v.Render(80, 24); strings.Contains(screen, "idle") || !strings.Contains(screen, "\n›   0 ") || !strings.Contains(v.Status(), "busy") {
		t.Errorf("idle slots are shown, or nothing is chosen:\n%s", screen)
	}
	press("p")
	before := v.history.at
	v.Update(snapshotMsg{snapshot: story()[0], at: start.Add(time.Minute)})
	if v.history.at != before || !strings.Contains(v.Status(), "paused") {
		t.Errorf("a paused display goes on: %v, %q", v.history.at, v.Status())
	}
	press("p")
	v.Update(v.Update(tickMsg{})())
	if !strings.Contains(v.Status(), "refused") {
		t.Errorf("status %q, want why there is no answer", v.Status())
	}
}

func TestManySlots(t *testing.T) {
	s := &Snapshot{Model: "m"}
	for i := range 64 {
		s.Slots = append(s.Slots, slot(i, i, 10, 10, 0, 5))
	}
	v := told([]*Snapshot{s})
	v.list.Cursor = 1000
	if screen := v.Render(80, 24); len(strings.Split(screen, "\n")) != 24 || !strings.Contains(screen, "of 64 slots") || !strings.Contains(screen, "\n›  63  ") {
		t.Errorf("the last slots are not there:\n%s", screen)
	}
}

// inspected is a source in the process of the server.
type inspected struct {
	scripted
	cancelled []int
}

func (*inspected) Look(slot int) (prompt, answer string) {
	return "what is\x1b[2J GGUF?", fmt.Sprintf("a file, says slot %d", slot)
}

func (s *inspected) Cancel(slot int) bool {
	s.cancelled = append(s.cancelled, slot)
	return true
}

func TestInspect(t *testing.T) {
	source := &inspected{}
	v := New(source)
	v.Update(snapshotMsg{snapshot: story()[3], at: start})
	for _, key := range []tea.KeyType{tea.KeyDown, tea.KeyEnter} {
		v.Update(tea.KeyMsg{Type: key})
	}
	if screen := v.Render(80, 24); !strings.Contains(screen, "says slot 1") || strings.Contains(screen, "\x1b[2J") {
		t.Errorf("not slot 1, or with its control codes:\n%q", screen)
	}
	v.Update(tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune("x")})
	if len(source.cancelled) != 1 || source.cancelled[0] != 1 {
		t.Errorf("cancelled %v, want slot 1", source.cancelled)
	}
	v.Update(tea.KeyMsg{Type: tea.KeyEsc})
	if screen := v.Render(80, 24); !strings.Contains(screen, "KV ") {
		t.Errorf("the look is not closed:\n%s", screen)
	}
}

func TestPageMap(t *testing.T) {
	for _, c := range []struct {
		pages         string
		width, height int
		want          string
	}{
		{"ssuc..", 4, 2, "██▓▒ ··"}, {"ssuc..", 10, 1, "██▓▒··"}, {"ssuucc..", 2, 2, "█▓ ▒·"}, {"suuu....", 2, 1, "▓·"}, {"", 5, 5, ""}, {"us", 0, 1, ""},
	} {
		if got := strings.Join(pageMap(c.pages, c.width, c.height), " "); got != c.want {
			t.Errorf("%q in %dx%d: %q, want %q", c.pages, c.width, c.height, got, c.want)
		}
	}
}
