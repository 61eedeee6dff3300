package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"time"
)

// server is one of the two, and while it runs where.
type server struct {
	name    string
	command []string
	model   string
	url     string
	client  *http.Client
	process *exec.Cmd
	exited  chan error
	said    bytes.Buffer
}

// patience is how long a server may take to load its model.
const patience = 3 * time.Minute

// start runs the server with slots that hold so many tokens each, and waits until it answers.
func (s *server) start(ctx context.Context, slots, tokens, threads int) error {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	port := l.Addr().(*net.TCPAddr).Port
	l.Close()
	s.url = fmt.Sprintf("http://127.0.0.1:%d", port)
	s.client = &http.Client{Transport: &http.Transport{DisableKeepAlives: true}} // some servers close idle connections early
	args := append(s.command[1:len(s.command):len(s.command)], "-m", s.model, "--host", "127.0.0.1", "--port", fmt.Sprint(port),
		"-np", fmt.Sprint(slots), "-c", fmt.Sprint(slots*tokens), "-t", fmt.Sprint(threads))
	s.said.Reset()
	s.process = exec.CommandContext(ctx, s.command[0], args...)
	s.process.Stdout, s.process.Stderr = &s.said, &s.said
	s.process.WaitDelay = 10 * time.Second
	if err := s.process.Start(); err != nil {
		return err
	}
	s.exited = make(chan error, 1)
	go func() { s.exited <- s.process.Wait() }()
	return s.ready(ctx)
}

// ready waits until the model is loaded.
func (s *server) ready(ctx context.Context) error {
	for begin := time.Now(); time.Since(begin) < patience; {
		if res, err := s.do(ctx, "GET", "/health", nil); err == nil {
			return res.Body.Close()
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case err := <-s.exited:
			s.exited <- err
			return fmt.Errorf("the server ended (%v):\n%s", err, tail(s.said.String()))
		case <-time.After(50 * time.Millisecond):
		}
	}
	return fmt.Errorf("the server does not answer after %v", patience)
}

// tail is the end of what a program said.
func tail(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return strings.Join(lines[max(0, len(lines)-10):], "\n")
}

// stop ends the server.
func (s *server) stop() {
	if s.process.Process.Signal(os.Interrupt) != nil {
		_ = s.process.Process.Kill()
	}
	select {
	case <-s.exited:
	case <-time.After(20 * time.Second):
		_ = s.process.Process.Kill()
		<-s.exited
	}
}

// vocabulary is the number of the model's tokens.
func (s *server) vocabulary(ctx context.Context) (int, error) {
	res, err := s.do(ctx, "GET", "/v1/models", nil)
	if err != nil {
		return 0, err
	}
	defer res.Body.Close()
	var list struct {
		Data []struct {
			Meta struct {
				Vocabulary int `json:"n_vocab"`
			} `json:"meta"`
		} `json:"data"`
	}
	if err := json.NewDecoder(res.Body).Decode(&list); err != nil {
		return 0, err
	}
	if len(list.Data) == 0 || list.Data[0].Meta.Vocabulary < 8 {
		return 0, fmt.Errorf("/v1/models does not tell how many tokens there are")
	}
	return list.Data[0].Meta.Vocabulary, nil
}
