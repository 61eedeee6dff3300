package serve

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"runtime/debug"
	"strings"
	"sync/atomic"
	"time"

	"github.com/llamakit/llamakit/engine"
)

// Server answers requests with one model. It is an http.Handler.
type Server struct {
	options  Options
	handler  http.Handler
	begun    time.Time
	ledger   ledger
	metrics  metrics
	model    atomic.Pointer[engine.Model]
	draining atomic.Bool
	base     context.Context // of all generation; ends when the server stops
	cut      context.CancelCauseFunc
	keys     []keySum
	grammars grammars
	page     fs.FS // files for browsers; nil: none
}

// errStopping ends the answers that are not done when the server stops.
var errStopping = errors.New("the server stops")

// New makes a server without a model, which answers 503 until Load has one.
func New(o Options) (*Server, error) {
	o.resolve()
	if err := o.check(); err != nil {
		return nil, err
	}
	s := &Server{options: o, begun: time.Now(), keys: keySums(o.Keys)}
	s.base, s.cut = context.WithCancelCause(context.Background())
	s.metrics.init()
	page, err := o.page()
	if err != nil {
		return nil, err
	}
	s.page = page
	s.handler = s.logged(s.guarded(s.routes()))
	return s, nil
}

// Load opens the model; requests are answered from then on. The caller closes the model after the server has stopped.
func (s *Server) Load(open func() (*engine.Model, error)) error {
	m, err := open()
	if err != nil {
		return err
	}
	if s.options.GBNF != "" {
		if s.options.Grammar, err = s.grammars.gbnf(s.options.GBNF, m.Vocab()); err != nil {
			return errors.Join(fmt.Errorf("the grammar of all answers: %w", err), m.Close())
		}
	}
	s.ledger.open(m.Sequences(), s.options.Queue)
	s.model.Store(m)
	return nil
}

// Model is the model, or nil while it is loading.
func (s *Server) Model() *engine.Model { return s.model.Load() }

func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.handler.ServeHTTP(w, r) }

// endpoint is a handler that may fail; its error is answered in the shape of the API, if nothing was answered yet.
type endpoint func(w http.ResponseWriter, r *http.Request, m *engine.Model) error

// with calls an endpoint once the model is there, and unless the server stops.
func (s *Server) with(e endpoint) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		m := s.model.Load()
		switch {
		case s.draining.Load():
			s.writeError(w, r, errStopping)
		case m == nil:
			s.writeError(w, r, fail(http.StatusServiceUnavailable, "Loading model"))
		default:
			if err := e(w, r, m); err != nil {
				s.writeError(w, r, err)
			}
		}
	}
}

// routes are the paths. A path with a wrong method is not found, as in llama.cpp.
func (s *Server) routes() http.Handler {
	mux := http.NewServeMux()
	handle := func(method string, e endpoint, paths ...string) {
		for _, path := range paths {
			mux.HandleFunc(method+" "+path, s.with(e))
		}
	}
	mux.HandleFunc("GET /health", s.health)
	mux.HandleFunc("GET /v1/health", s.health)
	handle("GET", s.models, "/models", "/v1/models")
	handle("GET", s.oneModel, "/v1/models/{model...}")
	handle("GET", s.props, "/props")
	handle("POST", s.changeProps, "/props")
	handle("GET", s.slots, "/slots")
	handle("GET", s.showState, "/state")
	handle("POST", s.slotAction, "/slots/{id}")
	handle("GET", s.showMetrics, "/metrics")

	handle("POST", s.completion, "/completion", "/completions")
	handle("POST", s.infill, "/infill")
	handle("POST", s.openaiCompletion, "/v1/completions")
	handle("POST", s.renderCompletion, "/v1/completions/render")
	handle("POST", s.chat, "/chat/completions", "/v1/chat/completions")
	handle("POST", s.renderChat, "/v1/chat/completions/render")
	handle("POST", s.countChat, "/chat/completions/input_tokens", "/v1/chat/completions/input_tokens")
	handle("POST", s.responses, "/responses", "/v1/responses")
	handle("POST", s.countResponse, "/responses/input_tokens", "/v1/responses/input_tokens")
	handle("POST", s.messages, "/v1/messages")
	handle("POST", s.countMessages, "/v1/messages/count_tokens")

	handle("POST", s.embedding, "/embedding", "/embeddings")
	handle("POST", s.openaiEmbeddings, "/v1/embeddings")
	handle("POST", s.rerank, "/rerank", "/reranking", "/v1/rerank", "/v1/reranking")
	handle("POST", s.tokenize, "/tokenize")
	handle("POST", s.detokenize, "/detokenize")
	handle("POST", s.applyTemplate, "/apply-template")
	handle("GET", s.adapters, "/lora-adapters")
	handle("POST", s.setAdapters, "/lora-adapters")
	mux.HandleFunc("GET /", s.file)
	mux.HandleFunc("/", s.notFound)
	return s.unprefixed(s.recovered(mux))
}

// unprefixed takes the prefix off paths; what is without it is not found.
func (s *Server) unprefixed(next http.Handler) http.Handler {
	if s.options.Prefix == "" {
		return next
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.URL.Path == s.options.Prefix:
			http.Redirect(w, r, s.options.Prefix+"/", http.StatusPermanentRedirect)
		case strings.HasPrefix(r.URL.Path, s.options.Prefix+"/"):
			http.StripPrefix(s.options.Prefix, next).ServeHTTP(w, r)
		default:
			s.notFound(w, r)
		}
	})
}

func (s *Server) notFound(w http.ResponseWriter, r *http.Request) {
	s.writeError(w, r, fail(http.StatusNotFound, "File Not Found"))
}

// recovered answers 500 where a handler panics: one request's bug is no other's.
func (s *Server) recovered(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer func() {
			if p := recover(); p != nil {
				if e := entryOf(r); e != nil {
					e.Stack = string(debug.Stack())
				}
				s.writeError(w, r, fail(http.StatusInternalServerError, "internal error: %v", p))
			}
		}()
		next.ServeHTTP(w, r)
	})
}
