package convert

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/schollz/progressbar/v3"

	"github.com/llamakit/llamakit/formats/gguf"
	"github.com/llamakit/llamakit/formats/gguf/remote"
	"github.com/llamakit/llamakit/formats/hf"
	"github.com/llamakit/llamakit/tools/internal/progress"
	"github.com/llamakit/llamakit/tools/internal/run"
)

const indexFile = "model.safetensors.index.json"

// fetch downloads the repository owner/name[@revision] into a folder of its name below dir.
func (o *options) fetch(ctx context.Context, repo, dir string) (string, error) {
	owner, name, ok := strings.Cut(repo, "/")
	name, _, _ = strings.Cut(name, "@")
	if !ok || strings.ContainsAny(repo, `:\`) || strings.Trim(owner, ".") == "" || strings.Trim(name, ".") == "" || strings.Count(repo, "/") != 1 {
		return "", run.Usagef("--remote: %q is no repository, such as owner/name or owner/name@revision", repo)
	}
	d := &download{o: o, repo: "hf://" + repo + "/", dir: filepath.Join(dir, name)}
	if err := os.Mkdir(d.dir, 0o755); err != nil {
		return "", err
	}
	if err := d.optional(ctx, append([]string{"config.json"}, hf.SmallFiles...)...); err != nil {
		return "", err
	}
	if o.vocabOnly {
		return d.dir, nil
	}
	return d.dir, d.weights(ctx)
}

// download is one on the way.
type download struct {
	o         *options
	repo, dir string
}

// file downloads one file.
func (d *download) file(ctx context.Context, name string) error {
	target := filepath.Join(d.dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(target), 0o755); err != nil {
		return err
	}
	f, err := os.Create(target)
	if err != nil {
		return err
	}
	var bar *progressbar.ProgressBar
	err = remote.Download(ctx, d.repo+name, f, func(done, size int64) {
		if bar == nil {
			bar = progress.Bytes(d.o.stderr, size, "downloading "+name)
		}
		_ = bar.Set64(done)
	})
	if bar != nil {
		_ = bar.Clear()
	}
	if err := errors.Join(err, f.Close()); err != nil {
		_ = os.Remove(target)
		return err
	}
	return nil
}

// optional downloads those of the files that there are.
func (d *download) optional(ctx context.Context, names ...string) error {
	for _, name := range names {
		if err := d.file(ctx, name); err != nil && !errors.Is(err, gguf.ErrNotFound) {
			return err
		}
	}
	return nil
}

// weights downloads the files that the index names, or the only one.
func (d *download) weights(ctx context.Context) error {
	if err := d.optional(ctx, indexFile); err != nil {
		return err
	}
	data, err := os.ReadFile(filepath.Join(d.dir, indexFile))
	if err != nil {
		return d.file(ctx, "model.safetensors")
	}
	var index struct {
		Files map[string]string `json:"weight_map"`
	}
	if err := json.Unmarshal(data, &index); err != nil {
		return fmt.Errorf("%s%s: %w", d.repo, indexFile, err)
	}
	names := map[string]bool{}
	for _, name := range index.Files {
		if name != path.Base(name) || strings.ContainsAny(name, `\:`) || !strings.HasSuffix(name, ".safetensors") {
			return fmt.Errorf("%s%s: %q is not the name of a .safetensors file", d.repo, indexFile, name)
		}
		names[name] = true
	}
	for _, name := range slices.Sorted(maps.Keys(names)) {
		if err := d.file(ctx, name); err != nil {
			return err
		}
	}
	return nil
}
