package source

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"sync"

	"github.com/llamakit/llamakit/engine"
	"github.com/llamakit/llamakit/engine/sample"
	"github.com/llamakit/llamakit/tui/client"
)

// Server is a llama-server, this project's or llama.cpp's, or another with the chat completions API.
type Server struct {
	client *client.Client
	info   Info
	bos    string // the text that prompts begin with
	mu     sync.Mutex
	pieces map[engine.Token]Token // that were told so far
}

// Connect asks a server what it has. A server without /props is one that only chats.
func Connect(ctx context.Context, address, key string) (*Server, error) {
	c, err := client.New(address, key)
	if err != nil {
		return nil, err
	}
	s := &Server{client: c, info: Info{Address: c.URL, Sampling: sample.DefaultParams()}, pieces: map[engine.Token]Token{}}
	if err := s.properties(ctx); err != nil {
		return nil, err
	}
	return s, nil
}

// Info describes the server's model.
func (s *Server) Info() Info { return s.info }

// properties reads /props, or at least the name of the model where there is none.
func (s *Server) properties(ctx context.Context) error {
	p, err := s.client.Props(ctx)
	switch {
	case errors.Is(err, ErrMissing):
		return s.firstModel(ctx)
	case err != nil:
		return err
	}
	s.bos, s.info.Name, s.info.Template, s.info.Context = p.BOS, p.Name, p.Template, p.Context
	if len(p.Params) > 0 {
		readSampling(&s.info.Sampling, p.Params)
	}
	return nil
}

func (s *Server) firstModel(ctx context.Context) error {
	var list struct {
		Data []struct{ ID string }
	}
	if err := s.client.Call(ctx, "/v1/models", nil, &list); err != nil {
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
	for _, f := range params(p) {
		if value, ok := fields[f.Name]; ok && f.Name != "seed" {
			_ = json.Unmarshal(value, f.Value) // a server that writes it otherwise is asked for llama.cpp's default
		}
	}
	if sequence, err := sample.ParseSamplers(strings.Join(p.Samplers, ";")); err == nil && len(sequence) > 0 {
		p.Samplers = sequence
	} else {
		p.Samplers = nil
	}
}
