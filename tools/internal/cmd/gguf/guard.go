package gguf

import (
	"fmt"
	"slices"

	"github.com/llamakit/llamakit/engine/arch"
	"github.com/llamakit/llamakit/engine/chat"
	"github.com/llamakit/llamakit/engine/vocab"
	"github.com/llamakit/llamakit/formats/gguf"
	"github.com/llamakit/llamakit/tui/inspect/probe"
)

// guard refuses what turns a model that works into one that does not. What did not work before, as in a file that is no
// model or of an architecture that is not known here, is not looked at.
func (e *edit) guard() error {
	if e.force {
		return nil
	}
	if e.shard == 0 {
		for _, part := range []struct {
			name  string
			check func(f *gguf.File) error
		}{{"the model", checkModel}, {"the tokenizer", checkTokenizer}, {"the chat template", checkTemplate}} {
			after := *e.f
			after.Metadata = e.md
			if err := part.check(&after); err != nil && part.check(e.f) == nil {
				return fmt.Errorf("%s could not be used afterwards: %w (--force does it nevertheless)", part.name, err)
			}
		}
	}
	return e.guardNames()
}

// guardNames refuses to rename a tensor that the model reads.
func (e *edit) guardNames() error {
	for i := range e.f.Tensors {
		name := e.f.Tensors[i].Name
		if name == e.names[i] {
			continue
		}
		if m, err := arch.Build(e.f, arch.Options{}); err == nil && !slices.Contains(m.Unused, name) {
			return fmt.Errorf("the model reads tensor %s under this name (--force renames it nevertheless)", gguf.Printable(name))
		}
	}
	return nil
}

func hasKey(md *gguf.Metadata, key string) bool {
	_, ok := md.Get(key)
	return ok
}

// checkModel builds the forward pass. Other architectures than those that run here only need a name.
func checkModel(f *gguf.File) error {
	name, err := architecture(f.Metadata)
	if err != nil || !slices.Contains(arch.Names(), name) {
		return err
	}
	_, err = arch.Build(f, arch.Options{})
	return err
}

// architecture returns the name that all keys of a model depend on.
func architecture(md *gguf.Metadata) (string, error) {
	r := md.Reader("general")
	name := r.Str("architecture")
	return name, r.Err()
}

// checkTokenizer reads the tokenizer and compares what must have one entry a token.
func checkTokenizer(f *gguf.File) error {
	v, err := vocab.New(f.Metadata)
	if err != nil {
		return err
	}
	for _, key := range []string{"tokenizer.ggml.scores", "tokenizer.ggml.token_type"} {
		if each, ok := f.Metadata.Get(key); ok && each.Len() != v.Size() {
			return fmt.Errorf("%d tokens, but key %s has %d entries", v.Size(), key, each.Len())
		}
	}
	if t, ok := f.Tensor("token_embd.weight"); ok && len(t.Shape) == 2 && t.Dim(1) < v.Size() {
		return fmt.Errorf("%d tokens, but token_embd.weight has only %d rows", v.Size(), t.Dim(1))
	}
	return nil
}

// checkTemplate parses the template; a file without one is fine.
func checkTemplate(f *gguf.File) error {
	v, ok := f.Metadata.Get(templateKey)
	if !ok {
		return nil
	}
	text, isText := v.Str()
	if !isText {
		return fmt.Errorf("key %s is %s, not str", templateKey, probe.TypeText(v))
	}
	_, err := chat.Parse(text)
	return err
}
