package source

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync"

	"github.com/llamakit/llamakit/engine"
	"github.com/llamakit/llamakit/engine/sample"
)

// Server is a llama-server, this project's or llama.cpp's, or another with the chat completions API.
type Server struct {
	url, key string
	client   *http.Client
	info     Info
	bos      string // the text that prompts begin with
	mu       sync.Mutex
	pieces   map[engine.Token]Token // that were told so far
}

// Connect asks a server what it has. A server without /props is one that only chats.
func Connect(ctx context.Context, address, key string) (*Server, error) {
	if !strings.Contains(address, "://") {
		address = "http://" + address
	}
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, fmt.Errorf("%s is not an address such as http://127.0.0.1:9931", address)
	}
	s := &Server{url: strings.TrimSuffix(strings.TrimSuffix(address, "/"), "/v1"), key: key, client: &http.Client{}, pieces: map[engine.Token]Token{}}
	s.info = Info{Address: s.url, Sampling: sample.DefaultParams()}
	if err := s.properties(ctx); err != nil {
		return nil, err
	}
	return s, nil
}

// Info describes the server's model.
func (s *Server) Info() Info { return s.info }

// properties reads /props, or at least the name of the model where there is none.
func (s *Server) properties(ctx context.Context) error {
	var p struct {
		Alias    string `json:"model_alias"`
		Path     string `json:"model_path"`
		Template string `json:"chat_template"`
		BOS      string `json:"bos_token"`
		Defaults struct {
			Context int             `json:"n_ctx"`
			Params  json.RawMessage `json:"params"`
		} `json:"default_generation_settings"`
	}
	err := s.call(ctx, http.MethodGet, "/props", nil, &p)
	if errors.Is(err, ErrMissing) {
		return s.firstModel(ctx)
	}
	if err != nil {
		return err
	}
	s.bos = p.BOS
	s.info.Name = cmp.Or(base(p.Alias), base(p.Path), "a model without a name")
	s.info.Template, s.info.Context = p.Template, p.Defaults.Context
	if len(p.Defaults.Params) > 0 {
		readSampling(&s.info.Sampling, p.Defaults.Params)
	}
	return nil
}

// base is the last part of a path, which llama.cpp takes for the name of a model.
func base(path string) string { return path[strings.LastIndexAny(path, `/\`)+1:] }

func (s *Server) firstModel(ctx context.Context) error {
	var list struct {
		Data []struct{ ID string }
	}
	if err := s.call(ctx, http.MethodGet, "/v1/models", nil, &list); err != nil {
		return err
	}
	if len(list.Data) > 0 {
		s.info.Name = list.Data[0].ID
	}
	return nil
}

// readSampling takes the parameters that a server uses by default.
func readSampling(p *sample.Params, data []byte) {
	var fields map[string]json.RawMessage
	if json.Unmarshal(data, &fields) != nil {
		return
	}
	for name, to := range map[string]any{"temperature": &p.Temperature, "top_k": &p.TopK, "top_p": &p.TopP, "min_p": &p.MinP, "typical_p": &p.TypicalP,
		"top_n_sigma": &p.TopNSigma, "min_keep": &p.MinKeep, "dynatemp_range": &p.DynatempRange, "dynatemp_exponent": &p.DynatempExponent,
		"xtc_probability": &p.XTCProbability, "xtc_threshold": &p.XTCThreshold, "repeat_last_n": &p.RepeatLastN, "repeat_penalty": &p.RepeatPenalty,
		"frequency_penalty": &p.FrequencyPenalty, "presence_penalty": &p.PresencePenalty, "dry_multiplier": &p.DryMultiplier, "dry_base": &p.DryBase,
		"dry_allowed_length": &p.DryAllowedLength, "dry_penalty_last_n": &p.DryPenaltyLastN, "dry_sequence_breakers": &p.DryBreakers,
		"mirostat": &p.Mirostat, "mirostat_tau": &p.MirostatTau, "mirostat_eta": &p.MirostatEta,
		"adaptive_target": &p.AdaptiveTarget, "adaptive_decay": &p.AdaptiveDecay, "samplers": &p.Samplers} {
		if value, ok := fields[name]; ok {
			_ = json.Unmarshal(value, to) // a server that writes it otherwise is asked for llama.cpp's default
		}
	}
	if sequence, err := sample.ParseSamplers(strings.Join(p.Samplers, ";")); err == nil && len(sequence) > 0 {
		p.Samplers = sequence
	} else {
		p.Samplers = nil
	}
}

// maxAnswer bounds what is read of an answer that is not streamed, and a line of one that is.
const maxAnswer = 64 << 20

// send begins a request; the body of the answer must be closed.
func (s *Server) send(ctx context.Context, method, path string, body any) (*http.Response, error) {
	var in io.Reader
	if body != nil {
		data, err := compact(body)
		if err != nil {
			return nil, err
		}
		in = bytes.NewReader(data)
	}
	r, err := http.NewRequestWithContext(ctx, method, s.url+path, in)
	if err != nil {
		return nil, err
	}
	if body != nil {
		r.Header.Set("Content-Type", "application/json")
	}
	if s.key != "" {
		r.Header.Set("Authorization", "Bearer "+s.key)
	}
	r.Header["Idempotency-Key"] = nil // not sent: asking twice does no harm, so net/http may where a kept connection was just closed
	answer, err := s.client.Do(r)
	if err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return nil, unreached(s.url, err)
	}
	if answer.StatusCode == http.StatusOK {
		return answer, nil
	}
	defer answer.Body.Close()
	return nil, s.refusal(path, answer)
}

// unreached is the error of a request without an answer, without the method and path that net/http puts before it.
func unreached(address string, err error) error {
	if e := (*url.Error)(nil); errors.As(err, &e) {
		err = e.Err
	}
	return fmt.Errorf("no answer from %s: %w", address, err)
}

// refusal is the error of an answer that is not 200.
func (s *Server) refusal(path string, answer *http.Response) error {
	data, _ := io.ReadAll(io.LimitReader(answer.Body, 1<<20)) // what came explains as far as it can
	switch answer.StatusCode {
	case http.StatusNotFound, http.StatusNotImplemented, http.StatusMethodNotAllowed:
		return fmt.Errorf("%s%s: %w", s.url, path, ErrMissing)
	case http.StatusUnauthorized, http.StatusForbidden:
		return fmt.Errorf("%s wants an API key (--api-key)", s.url)
	}
	if text := errorText(data); text != "" {
		return fmt.Errorf("%s: %s", s.url, text)
	}
	return fmt.Errorf("%s%s answers %s", s.url, path, answer.Status)
}

// errorText is the message of an error object; "" for what is none.
func errorText(data []byte) string {
	var e struct{ Error json.RawMessage }
	if json.Unmarshal(data, &e) != nil || e.Error == nil {
		return ""
	}
	var inner struct{ Message string }
	if json.Unmarshal(e.Error, &inner) == nil && inner.Message != "" {
		return inner.Message
	}
	return string(e.Error)
}

// call posts a body, or gets without one, and decodes the answer.
func (s *Server) call(ctx context.Context, method, path string, body, to any) error {
	answer, err := s.send(ctx, method, path, body)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	data, err := io.ReadAll(io.LimitReader(answer.Body, maxAnswer))
	if err != nil {
		return fmt.Errorf("%s%s: %w", s.url, path, err)
	}
	if err := json.Unmarshal(data, to); err != nil {
		return fmt.Errorf("%s%s answers what is not JSON: %w", s.url, path, err)
	}
	return nil
}
