package dashboard

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
)

// Remote is a running server, asked over HTTP for /slots, /metrics and /props. A server that hides one of them (llama.cpp does
// unless it is started with --metrics) is shown without what it would tell.
type Remote struct {
	URL    string // for example http://127.0.0.1:9931
	Key    string // its API key; empty: none
	Client *http.Client

	model   string
	context int
}

// Name returns the address.
func (r *Remote) Name() string { return r.URL }

// Snapshot asks the server.
func (r *Remote) Snapshot(ctx context.Context) (*Snapshot, error) {
	if r.model == "" {
		if err := r.properties(ctx); err != nil {
			return nil, err
		}
	}
	s := &Snapshot{Model: r.model, Context: r.context}
	if err := r.slots(ctx, s); err != nil {
		return nil, err
	}
	return s, r.metrics(ctx, s)
}

// maxAnswer bounds what is read of a server's answer.
const maxAnswer = 16 << 20

// get reads one endpoint. found is false where the server does not offer it.
func (r *Remote) get(ctx context.Context, path string) (body []byte, found bool, err error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, strings.TrimSuffix(r.URL, "/")+path, nil)
	if err != nil {
		return nil, false, err
	}
	if r.Key != "" {
		request.Header.Set("Authorization", "Bearer "+r.Key)
	}
	client := r.Client
	if client == nil {
		client = http.DefaultClient
	}
	answer, err := client.Do(request)
	if err != nil {
		return nil, false, err
	}
	defer answer.Body.Close()
	body, err = io.ReadAll(io.LimitReader(answer.Body, maxAnswer))
	switch {
	case err != nil:
		return nil, false, fmt.Errorf("%s: %w", path, err)
	case answer.StatusCode == http.StatusOK:
		return body, true, nil
	case answer.StatusCode == http.StatusNotFound, answer.StatusCode == http.StatusNotImplemented:
		return nil, false, nil
	case answer.StatusCode == http.StatusUnauthorized, answer.StatusCode == http.StatusForbidden:
		return nil, false, fmt.Errorf("%s wants an API key (--api-key)", r.URL)
	case answer.StatusCode == http.StatusServiceUnavailable:
		return nil, false, fmt.Errorf("%s is loading its model", r.URL)
	}
	return nil, false, fmt.Errorf("%s%s answers %s", r.URL, path, answer.Status)
}

func (r *Remote) properties(ctx context.Context) error {
	body, found, err := r.get(ctx, "/props")
	if err != nil {
		return err
	}
	if !found {
		return fmt.Errorf("%s has no /props: is it a llama-server?", r.URL)
	}
	var p struct {
		Alias    string `json:"model_alias"`
		Path     string `json:"model_path"`
		Defaults struct {
			Context int `json:"n_ctx"`
		} `json:"default_generation_settings"`
	}
	if err := json.Unmarshal(body, &p); err != nil {
		return fmt.Errorf("/props: %w", err)
	}
	r.model, r.context = p.Alias, p.Defaults.Context
	if r.model == "" {
		r.model = p.Path[strings.LastIndexByte(p.Path, '/')+1:]
	}
	if r.model == "" {
		r.model = "a model without a name"
	}
	return nil
}

// slotJSON is one entry of /slots.
type slotJSON struct {
	ID     int  `json:"id"`
	Busy   bool `json:"is_processing"`
	Task   *int `json:"id_task"`
	Prompt int  `json:"n_prompt_tokens"`
	Done   int  `json:"n_prompt_tokens_processed"`
	Cached int  `json:"n_prompt_tokens_cache"`
	Next   []struct {
		Decoded int  `json:"n_decoded"`
		Left    *int `json:"n_remain"`
	} `json:"next_token"`
	Stopped string `json:"stop_reason"`
}

func (r *Remote) slots(ctx context.Context, s *Snapshot) error {
	body, found, err := r.get(ctx, "/slots")
	if err != nil || !found {
		return err
	}
	var list []slotJSON
	if err := json.Unmarshal(body, &list); err != nil {
		return fmt.Errorf("/slots: %w", err)
	}
	for _, j := range list {
		slot := Slot{ID: j.ID, Task: -1, Busy: j.Busy, Prompt: j.Prompt, Done: j.Done + j.Cached, Cached: j.Cached, Left: -1, Stopped: j.Stopped}
		if j.Task != nil {
			slot.Task = *j.Task
		}
		if len(j.Next) > 0 {
			slot.Answer = j.Next[0].Decoded
			if j.Next[0].Left != nil {
				slot.Left = *j.Next[0].Left
			}
		}
		s.Slots = append(s.Slots, slot)
	}
	return nil
}

// metrics reads the numbers that Prometheus would.
func (r *Remote) metrics(ctx context.Context, s *Snapshot) error {
	body, found, err := r.get(ctx, "/metrics")
	if err != nil || !found {
		return err
	}
	values := parseMetrics(string(body))
	s.Waiting = int(values["llamacpp:requests_deferred"])
	s.Counts = Counts{values["llamacpp:prompt_tokens_total"], values["llamacpp:prompt_tokens_cached_total"], values["llamacpp:tokens_predicted_total"]}
	total, cached := int(values["llamacpp:kv_cache_pages"]), int(values["llamacpp:kv_cache_pages_cached"])
	s.Pages = Pages{Total: total, Cached: cached, Used: total - cached - int(values["llamacpp:kv_cache_pages_free"]),
		Shared: int(values["llamacpp:kv_cache_pages_shared"])}
	return nil
}

// parseMetrics reads the series without labels of Prometheus' text format. Lines that are none are passed over.
func parseMetrics(text string) map[string]float64 {
	values := map[string]float64{}
	for lines := bufio.NewScanner(strings.NewReader(text)); lines.Scan(); {
		name, number, ok := strings.Cut(lines.Text(), " ")
		if !ok || strings.ContainsAny(name, "#{") {
			continue
		}
		if v, err := strconv.ParseFloat(strings.TrimSpace(number), 64); err == nil && v >= 0 {
			values[name] = v
		}
	}
	return values
}
