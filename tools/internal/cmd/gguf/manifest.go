package gguf

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/llamakit/llamakit/formats/gguf"
	"github.com/llamakit/llamakit/tools/internal/flags"
)

// readManifest reads lines of algorithm, digest and name, and turns the algorithms on that are in it.
func (h *hasher) readManifest() (map[digest]bool, error) {
	if h.manifest == "" {
		return nil, nil
	}
	file, err := os.Open(h.manifest)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return h.parseManifest(file)
}

func (h *hasher) parseManifest(r io.Reader) (map[digest]bool, error) {
	data, err := flags.ReadAll(h.manifest, r)
	if err != nil {
		return nil, err
	}
	on := map[string]*bool{"xxh64": &h.xxh64, "sha1": &h.sha1, "sha256": &h.sha256, "uuid": &h.uuid}
	wanted := map[digest]bool{}
	for i, line := range strings.Split(string(data), "\n") {
		fields := strings.Fields(line)
		if len(fields) == 0 {
			continue
		}
		if len(fields) < 3 || on[fields[0]] == nil {
			return nil, fmt.Errorf("%s: line %d: want an algorithm, a digest and a name", h.manifest, i+1)
		}
		*on[fields[0]] = true
		h.noLayer = false
		rest := strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(line), fields[0]))
		wanted[digest{fields[0], fields[1], tensorOf(strings.TrimSpace(strings.TrimPrefix(rest, fields[1])))}] = true
	}
	if len(wanted) == 0 {
		return nil, fmt.Errorf("%s: no digests in it", h.manifest)
	}
	return wanted, nil
}

// tensorOf returns the tensor of "folder/model.gguf:tensor"; empty for "folder/model.gguf".
func tensorOf(name string) string {
	if _, tensor, ok := strings.Cut(name, ".gguf:"); ok {
		return tensor
	}
	if i := strings.LastIndexByte(name, ':'); i >= 0 {
		return name[i+1:]
	}
	return ""
}

// compare says what became of each digest of the manifest, whatever the file is called there.
func (h *hasher) compare(digests []digest, wanted map[digest]bool) error {
	type place struct{ algorithm, tensor string }
	missing, bad := map[place]bool{}, 0
	for d := range wanted {
		missing[place{d.Algorithm, d.Tensor}] = true
	}
	w := bufio.NewWriter(h.out)
	for _, d := range digests {
		d.Tensor = gguf.Printable(d.Tensor) // as it was printed
		at := place{d.Algorithm, d.Tensor}
		if !missing[at] {
			continue
		}
		delete(missing, at)
		verdict, name := "ok", d.Tensor
		if !wanted[d] {
			verdict, bad = "differs", bad+1
		}
		if name == "" {
			name = "(all tensors)"
		}
		fmt.Fprintf(w, "%-8s  %-7s  %s\n", d.Algorithm, verdict, name)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	if bad+len(missing) > 0 {
		return fmt.Errorf("%d of %d digests differ from %s; %d are of tensors that the file does not have",
			bad, len(wanted)-len(missing), h.manifest, len(missing))
	}
	return nil
}
