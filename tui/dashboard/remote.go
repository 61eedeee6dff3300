package dashboard

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/llamakit/llamakit/tui/client"
)

// Remote is a running server, asked over HTTP: this project's for /status, which tells all, and one that hides that, or llama.cpp's,
// for /slots, /metrics and /props. What a server hides of these (llama.cpp does unless it is started with --metrics) is not shown.
type Remote struct {
	client *client.Client
	parts  bool          // there is no /status
	props  *client.Props // nil: not asked yet
}

// NewRemote makes a source of a client.
func NewRemote(c *client.Client) *Remote { return &Remote{client: c} }

// Name returns the address.
func (r *Remote) Name() string { return r.client.URL }

// Snapshot asks the server.
func (r *Remote) Snapshot(ctx context.Context) (*Snapshot, error) {
	if !r.parts {
		s := &Snapshot{}
		err := r.client.Call(ctx, "/status", nil, s)
		if !errors.Is(err, client.ErrMissing) {
			return s, err
		}
		r.parts = true
	}
	return r.fromParts(ctx)
}

// fromParts puts together what several endpoints tell.
func (r *Remote) fromParts(ctx context.Context) (*Snapshot, error) {
	if r.props == nil {
		p, err := r.client.Props(ctx)
		switch {
		case errors.Is(err, client.ErrMissing):
			return nil, fmt.Errorf("%s has no /props: is it a llama-server?", r.client.URL)
		case err != nil:
			return nil, err
		}
		r.props = &p
	}
	s := &Snapshot{Model: r.props.Name, Context: r.props.Context}
	for _, ask := range []func(context.Context, *Snapshot) error{r.slots, r.metrics} {
		if err := ask(ctx, s); err != nil && !errors.Is(err, client.ErrMissing) {
			return nil, err
		}
	}
	return s, nil
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
}

func (r *Remote) slots(ctx context.Context, s *Snapshot) error {
	var list []slotJSON
	if err := r.client.Call(ctx, "/slots", nil, &list); err != nil {
		return err
	}
	for _, j := range list {
		slot := Slot{ID: j.ID, Task: -1, Busy: j.Busy, Prompt: j.Prompt, Done: j.Done + j.Cached, Cached: j.Cached, Left: -1}
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
	body, err := r.client.Read(ctx, "/metrics", nil)
	if err != nil {
		return err
	}
	values := parseMetrics(string(body))
	s.Waiting = int(values["llamacpp:requests_deferred"])
	s.Counts = Counts{Prompt: values["llamacpp:prompt_tokens_total"], Cached: values["llamacpp:prompt_tokens_cached_total"],
		Generated: values["llamacpp:tokens_predicted_total"]}
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
