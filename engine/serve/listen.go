package serve

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
	"time"
)

// Listen opens the addresses of the options.
func (s *Server) Listen() ([]net.Listener, error) {
	var certificate *tls.Config
	if s.options.CertFile != "" {
		pair, err := tls.LoadX509KeyPair(s.options.CertFile, s.options.KeyFile)
		if err != nil {
			return nil, fmt.Errorf("certificate %s with key %s: %w", s.options.CertFile, s.options.KeyFile, err)
		}
		certificate = &tls.Config{Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS12}
	}
	var all []net.Listener
	for _, host := range s.options.Hosts {
		l, err := listen(host, s.options.Port)
		if err != nil {
			for _, open := range all {
				open.Close()
			}
			return nil, err
		}
		if certificate != nil {
			l = tls.NewListener(l, certificate)
		}
		all = append(all, l)
	}
	return all, nil
}

func listen(host string, port int) (net.Listener, error) {
	if isSocket(host) {
		return listenSocket(host)
	}
	return net.Listen("tcp", net.JoinHostPort(strings.Trim(host, "[]"), strconv.Itoa(port)))
}

// listenSocket opens a Unix socket for this user alone. A socket that a server left behind is replaced, another file never.
func listenSocket(path string) (net.Listener, error) {
	if info, err := os.Stat(path); err == nil && info.Mode()&os.ModeSocket != 0 {
		if c, err := net.Dial("unix", path); err == nil {
			c.Close()
			return nil, fmt.Errorf("%s: a server listens there already", path)
		}
		os.Remove(path)
	}
	l, err := net.Listen("unix", path)
	if err == nil {
		err = os.Chmod(path, 0o600)
	}
	return l, err
}

// URL is where a listener is reached.
func (s *Server) URL(l net.Listener) string {
	scheme := "http"
	if s.options.CertFile != "" {
		scheme = "https"
	}
	if l.Addr().Network() == "unix" {
		return scheme + "+unix://" + l.Addr().String() + s.options.Prefix
	}
	return scheme + "://" + l.Addr().String() + s.options.Prefix
}

// Serve answers on listeners until ctx ends. Then nothing new is begun, open answers have the grace period to finish, and
// those that have not are told so and end.
func (s *Server) Serve(ctx context.Context, listeners ...net.Listener) error {
	server := &http.Server{Handler: s, ReadHeaderTimeout: headerWait, IdleTimeout: 2 * time.Minute, MaxHeaderBytes: 64 << 10}
	failed := make(chan error, len(listeners))
	for _, l := range listeners {
		go func() { failed <- server.Serve(l) }()
	}
	select {
	case err := <-failed:
		server.Close()
		s.cut(errStopping)
		return err
	case <-ctx.Done():
	}
	return s.drain(server)
}

// cutWait is how long answers that were cut have to say so.
const cutWait = 2 * time.Second

func (s *Server) drain(server *http.Server) error {
	s.draining.Store(true)
	timer := time.AfterFunc(s.options.Grace, func() { s.cut(errStopping) })
	defer timer.Stop()
	ctx, cancel := context.WithTimeout(context.Background(), s.options.Grace+cutWait)
	defer cancel()
	err := server.Shutdown(ctx)
	s.cut(errStopping)
	if errors.Is(err, context.DeadlineExceeded) {
		return server.Close()
	}
	return err
}
