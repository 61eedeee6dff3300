package serve

import (
	"crypto/sha256"
	"crypto/subtle"
	"net"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"
)

// guarded lets a request through that comes from where it may, and has a key where one is needed.
func (s *Server) guarded(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Server", "llamakit")
		origin := r.Header.Get("Origin")
		switch {
		case !s.hostAllowed(r.Host):
			s.writeError(w, r, fail(http.StatusForbidden, "the host name of this request is not one of this server"))
		case origin != "" && !s.originAllowed(origin, r.Host):
			s.writeError(w, r, fail(http.StatusForbidden, "pages of this origin may not ask here: see --cors-origins"))
		case r.Method == http.MethodOptions:
			s.allowOrigin(w, r, origin)
			w.WriteHeader(http.StatusOK)
		case !s.keyed(r) && !s.public(r):
			s.allowOrigin(w, r, origin)
			s.writeError(w, r, fail(http.StatusUnauthorized, "Invalid API Key"))
		default:
			s.allowOrigin(w, r, origin)
			next.ServeHTTP(w, r)
		}
	})
}

// hostAllowed keeps out pages that had a name of theirs pointed at this machine (DNS rebinding): without a key, only
// addresses and names of this machine will do.
func (s *Server) hostAllowed(hostport string) bool {
	host, _, err := net.SplitHostPort(hostport)
	if err != nil {
		host = hostport
	}
	host = strings.ToLower(strings.Trim(host, "[]"))
	if len(s.keys) > 0 || host == "" || isLoopback(host) || net.ParseIP(host) != nil || slices.Contains(s.options.Hosts, host) {
		return true
	}
	name, err := os.Hostname()
	name, host = strings.ToLower(name), strings.TrimSuffix(host, ".local")
	return err == nil && strings.TrimSuffix(name, ".local") == host
}

// originAllowed says whether a page may ask: one of this server, or one that the options name.
func (s *Server) originAllowed(origin, host string) bool {
	u, err := url.Parse(origin)
	if err == nil && u.Host != "" && u.Host == host {
		return true
	}
	for _, allowed := range s.options.Origins {
		switch {
		case allowed == "*", strings.TrimSuffix(allowed, "/") == origin:
			return true
		case allowed == "localhost" && err == nil && u.Hostname() != "" && isLoopback(u.Hostname()):
			return true
		}
	}
	return false
}

// allowOrigin tells a browser what the page may do.
func (s *Server) allowOrigin(w http.ResponseWriter, r *http.Request, origin string) {
	if origin == "" {
		return
	}
	h := w.Header()
	h.Add("Vary", "Origin")
	if slices.Contains(s.options.Origins, "*") {
		origin = "*" // which a browser never combines with credentials
	} else if s.options.Credentials {
		h.Set("Access-Control-Allow-Credentials", "true")
	}
	h.Set("Access-Control-Allow-Origin", origin)
	if r.Method == http.MethodOptions {
		h.Set("Access-Control-Allow-Methods", s.options.Methods)
		headers := s.options.Headers
		if headers == "" {
			headers = r.Header.Get("Access-Control-Request-Headers")
		}
		h.Set("Access-Control-Allow-Headers", headers)
		h.Set("Access-Control-Max-Age", "600")
	}
}

// public reports whether a path needs no key: that the server lives is no secret, nor is the page, which asks for the key.
func (s *Server) public(r *http.Request) bool {
	path := strings.TrimPrefix(r.URL.Path, s.options.Prefix)
	switch {
	case path == "/health" || path == "/v1/health":
		return true
	case r.Method != http.MethodGet && r.Method != http.MethodHead:
		return false
	}
	_, page := s.pageFile(path)
	return page
}

// keySum is the hash of a key: comparing hashes takes the same time whatever their keys have in common.
type keySum [sha256.Size]byte

func keySums(keys []string) []keySum {
	sums := make([]keySum, len(keys))
	for i, key := range keys {
		sums[i] = sha256.Sum256([]byte(key))
	}
	return sums
}

// keyed reports whether a request has one of the keys, or needs none. Authorization comes with or without "Bearer";
// X-Api-Key is Anthropic's.
func (s *Server) keyed(r *http.Request) bool {
	if len(s.keys) == 0 {
		return true
	}
	given := r.Header.Get("X-Api-Key")
	if auth := r.Header.Get("Authorization"); auth != "" {
		given = strings.TrimPrefix(auth, "Bearer ")
	}
	sum, found := sha256.Sum256([]byte(given)), 0
	for _, key := range s.keys {
		found |= subtle.ConstantTimeCompare(sum[:], key[:])
	}
	return found == 1
}
