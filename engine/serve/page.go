package serve

import (
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path"

	"github.com/llamakit/llamakit/engine/serve/web"
)

// page are the files for browsers. Those of a folder cannot lead out of it.
func (o *Options) page() (fs.FS, error) {
	switch {
	case o.NoPage:
		return nil, nil
	case o.PagePath == "":
		return web.Files, nil
	}
	root, err := os.OpenRoot(o.PagePath)
	if err != nil {
		return nil, fmt.Errorf("the folder for browsers: %w", err)
	}
	return root.FS(), nil
}

// pagePolicy lets the page load its own files and ask its own server, and nothing else; no other page may frame it.
// (https://www.w3.org/TR/CSP3/)
const pagePolicy = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; " +
	"base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// file shows a browser the page and its parts.
func (s *Server) file(w http.ResponseWriter, r *http.Request) {
	name, ok := s.pageFile(r.URL.Path)
	if !ok {
		s.notFound(w, r)
		return
	}
	h := w.Header()
	if s.options.PagePath == "" {
		h.Set("Content-Security-Policy", pagePolicy)
	}
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cache-Control", "no-cache")
	http.ServeFileFS(w, r, s.page, name)
}

// pageFile is the file that a path without the prefix names.
func (s *Server) pageFile(url string) (name string, ok bool) {
	if s.page == nil {
		return "", false
	}
	if name = path.Clean("/" + url)[1:]; name == "" {
		name = "index.html"
	}
	info, err := fs.Stat(s.page, name)
	return name, err == nil && info.Mode().IsRegular()
}
