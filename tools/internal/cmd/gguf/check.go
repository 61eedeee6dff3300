package gguf

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/urfave/cli/v3"

	"github.com/llamakit/llamakit/engine/arch"
	"github.com/llamakit/llamakit/engine/vocab"
	"github.com/llamakit/llamakit/formats/gguf"
	"github.com/llamakit/llamakit/tools/internal/asjson"
	"github.com/llamakit/llamakit/tools/internal/flags"
)

// checker looks for what makes a model fail later, or answer nonsense. What gguf.Open refuses (places of tensors,
// alignment, overlaps, data cut short, shards that do not belong together) ends it at once.
type checker struct {
	streams
	json bool

	f     *gguf.File
	found []finding
}

// finding is something that was noticed; an error makes the exit code 1, a note does not.
type finding struct {
	Level string `json:"level"` // "error" or "note"
	Where string `json:"where"`
	What  string `json:"what"`
}

func checkCommand() *cli.Command {
	k := &checker{}
	return &cli.Command{
		Name: "check", Usage: "look for damage; exit code 1 when there is any", ArgsUsage: "FILE",
		Description: "Looked at are the places and the alignment of tensors, names and shapes as the architecture wants them, the tokenizer (texts\n" +
			"must survive it), the chat template, and each weight: NaN, infinities, scales that cannot be, rows of zeros.",
		Flags: flags.Group("Information", flags.New("--json", "as JSON", flags.Switch(&k.json))),
		Action: func(ctx context.Context, c *cli.Command) error {
			args, err := operands(c, 1)
			if err != nil {
				return err
			}
			k.streams = streamsOf(c)
			return k.run(ctx, args[0])
		},
	}
}

func (k *checker) run(ctx context.Context, path string) (err error) {
	if k.f, err = openLocal(path, "check reads all of the weights"); err != nil {
		return err
	}
	defer k.f.Close()
	k.model()
	k.tokenizer(ctx)
	k.template()
	if err := k.weights(ctx); err != nil {
		return err
	}
	if k.json {
		err = asjson.Write(k.out, append([]finding{}, k.found...))
	} else {
		err = k.print(k.out)
	}
	if err != nil {
		return err
	}
	return k.verdict(path)
}

func (k *checker) fail(where, format string, args ...any) { k.add("error", where, format, args...) }
func (k *checker) note(where, format string, args ...any) { k.add("note", where, format, args...) }

func (k *checker) add(level, where, format string, args ...any) {
	k.found = append(k.found, finding{level, where, fmt.Sprintf(format, args...)})
}

func (k *checker) print(w io.Writer) error {
	for _, x := range k.found {
		if _, err := fmt.Fprintf(w, "%-5s  %s: %s\n", x.Level, gguf.Printable(x.Where), gguf.Printable(x.What)); err != nil {
			return err
		}
	}
	return nil
}

// verdict is an error where there is one among the findings.
func (k *checker) verdict(path string) error {
	errs := 0
	for _, x := range k.found {
		if x.Level == "error" {
			errs++
		}
	}
	switch {
	case errs == 1:
		return fmt.Errorf("%s: an error", gguf.Printable(path))
	case errs > 1:
		return fmt.Errorf("%s: %d errors", gguf.Printable(path), errs)
	}
	_, err := fmt.Fprintf(k.err, "%s: no errors (%d keys, %d tensors)\n", gguf.Printable(path), k.f.Metadata.Len(), len(k.f.Tensors))
	return err
}

// model binds the tensors as the loader does.
func (k *checker) model() {
	name, err := architecture(k.f.Metadata)
	switch {
	case err != nil:
		k.note("model", "%s is missing or no text: not a model?", "general.architecture")
		return
	case len(k.f.Tensors) == 0:
		k.note("model", "no tensors: a vocabulary only")
		return
	case !slices.Contains(arch.Names(), name):
		k.note("model", "architecture %q does not run here: names and shapes of its tensors were not looked at", name)
		return
	}
	m, err := arch.Build(k.f, arch.Options{})
	if err != nil {
		k.fail("model", "%v", err)
		return
	}
	if n := len(m.Unused); n > 0 {
		k.note("model", "%d tensors are not read by architecture %s, the first is %s", n, name, m.Unused[0])
	}
}

// template parses the chat template.
func (k *checker) template() {
	if !hasKey(k.f.Metadata, templateKey) {
		k.note("template", "none")
	} else if err := checkTemplate(k.f); err != nil {
		k.fail("template", "%v", err)
	}
}

// tokenizer reads the tokenizer, compares it with the embedding and sends texts through it.
func (k *checker) tokenizer(ctx context.Context) {
	v, err := vocab.New(k.f.Metadata)
	switch {
	case errors.Is(err, vocab.ErrNoVocab), errors.Is(err, gguf.ErrNotFound) && !hasKey(k.f.Metadata, "tokenizer.ggml.model"):
		k.note("tokenizer", "none")
		return
	case errors.Is(err, gguf.ErrUnsupported):
		k.note("tokenizer", "%v", err)
		return
	case err != nil:
		k.fail("tokenizer", "%v", err)
		return
	}
	if err := checkTokenizer(k.f); err != nil {
		k.fail("tokenizer", "%v", err)
	}
	for key, id := range k.f.Metadata.All() {
		if n, isInt := id.Int(); isInt && strings.HasPrefix(key, "tokenizer.ggml.") && strings.HasSuffix(key, "_token_id") && (n < 0 || n >= int64(v.Size())) {
			k.note("tokenizer", "key %s is %d, but there are %d tokens", key, n, v.Size())
		}
	}
	k.roundTrips(ctx, v)
}
