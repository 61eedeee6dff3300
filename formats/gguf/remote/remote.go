// Package remote reads the headers of GGUF files, and single tensors, from a web server without downloading the files:
// by HTTP range requests (RFC 9110, section 14).
//
//	f, err := remote.Open(ctx, "hf://owner/repo/model-Q4_K_M.gguf")
//
// An address is http:// or https://, or hf://owner/repo/file for a file of a repository on Hugging Face, where
// owner/repo@revision names another revision than main. The variables are those of Hugging Face's own tools: HF_ENDPOINT is
// the server instead of https://huggingface.co, and HF_TOKEN is sent to it, and to no other.
//
// A set of shards is opened from any of them. Servers must answer range requests; one that sends the whole file instead
// is an error, as is a file that changes while it is read. Whatever a server sends, a header takes no more than 256 MiB,
// and a request no more than a minute.
package remote

import (
	"context"
	"fmt"
	"net/url"
	"os"
	"strings"

	"github.com/llamakit/llamakit/formats/gguf"
)

// Is reports whether path is an address that Open understands rather than the name of a file.
func Is(path string) bool {
	scheme, _, ok := strings.Cut(path, "://")
	return ok && (scheme == "http" || scheme == "https" || scheme == "hf")
}

// Open reads the header of the file at an address, and those of its other shards. The context ends reading, also that of
// tensors later. Errors begin with the address, without user and query.
func Open(ctx context.Context, address string) (*gguf.File, error) {
	hub, err := endpoint()
	if err != nil {
		return nil, err
	}
	whole, err := resolve(address, hub)
	if err != nil {
		return nil, err
	}
	c := newClient(ctx, hub, os.Getenv("HF_TOKEN"))
	return gguf.OpenFrom(plain(address), func(name string) (gguf.Source, error) {
		u, err := resolve(name, hub)
		if err != nil {
			return nil, err
		}
		u.User, u.RawQuery = whole.User, whole.RawQuery
		return c.open(name, u)
	})
}

// OpenAny opens an address, or the file of that name.
func OpenAny(ctx context.Context, path string) (*gguf.File, error) {
	if Is(path) {
		return Open(ctx, path)
	}
	return gguf.Open(path)
}

// plain is an address without what may be secret. It names the file, and the other shards after it.
func plain(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.Scheme == "hf" {
		return address
	}
	u.User, u.RawQuery, u.Fragment = nil, "", ""
	return u.String()
}

// resolve makes an HTTP address of one that Is accepts.
func resolve(address string, hub *url.URL) (*url.URL, error) {
	if path, ok := strings.CutPrefix(address, "hf://"); ok {
		return resolveHub(path, hub)
	}
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || strings.HasSuffix(u.Path, "/") || u.Path == "" {
		return nil, fmt.Errorf("%s: not the address of a file, such as https://host/folder/model.gguf", gguf.Printable(plain(address)))
	}
	return u, nil
}

// resolveHub makes the address of owner/repo[@revision]/file.
func resolveHub(path string, hub *url.URL) (*url.URL, error) {
	parts := strings.Split(path, "/")
	for i, part := range parts {
		if part == "" || part == "." || part == ".." {
			parts = nil
			break
		}
		parts[i] = url.PathEscape(part)
	}
	if len(parts) < 3 {
		return nil, fmt.Errorf("hf://%s: want hf://owner/repo/file.gguf, or hf://owner/repo@revision/file.gguf", gguf.Printable(path))
	}
	repo, revision, ok := strings.Cut(parts[1], "@")
	if !ok || revision == "" {
		revision = "main"
	}
	return hub.JoinPath(append([]string{parts[0], repo, "resolve", revision}, parts[2:]...)...), nil
}

// endpoint is the server of hf:// addresses.
func endpoint() (*url.URL, error) {
	text := os.Getenv("HF_ENDPOINT")
	if text == "" {
		text = "https://huggingface.co"
	}
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return nil, fmt.Errorf("HF_ENDPOINT (environment): %q is not an address such as https://huggingface.co", text)
	}
	return u, nil
}
