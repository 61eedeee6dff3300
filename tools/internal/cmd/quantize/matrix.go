package quantize

import (
	"fmt"
	"slices"
	"strings"

	"github.com/llamakit/llamakit/formats/gguf"
	"github.com/llamakit/llamakit/formats/imatrix"
	"github.com/llamakit/llamakit/formats/mixture"
	"github.com/llamakit/llamakit/formats/quant"
)

// openMatrix reads an importance matrix and keeps the entries that the user wants.
func openMatrix(path string, include, exclude []string) (*imatrix.Matrix, error) {
	if path == "" {
		return nil, nil
	}
	m, err := imatrix.Open(path)
	if err != nil {
		return nil, err
	}
	in := func(parts []string) func(string) bool {
		return func(name string) bool {
			return slices.ContainsFunc(parts, func(part string) bool { return strings.Contains(name, part) })
		}
	}
	if len(include) > 0 {
		m.Keep(in(include))
	}
	if len(exclude) > 0 {
		excluded := in(exclude)
		m.Keep(func(name string) bool { return !excluded(name) })
	}
	if len(m.Entries) == 0 {
		return nil, nil
	}
	return m, nil
}

// setMatrixKeys records the matrix in the new file as llama.cpp does.
func setMatrixKeys(md *gguf.Metadata, path string, m *imatrix.Matrix) {
	cut := func(s string) string { return s[:min(len(s), 127)] }
	md.Set("quantize.imatrix.file", gguf.String(cut(path)))
	if len(m.Datasets) > 0 {
		md.Set("quantize.imatrix.dataset", gguf.String(cut(m.Datasets[0])))
	}
	md.Set("quantize.imatrix.entries_count", gguf.Uint32(uint32(len(m.Entries))))
	if m.Chunks > 0 {
		md.Set("quantize.imatrix.chunks_count", gguf.Uint32(uint32(m.Chunks)))
	}
}

// bindMatrix gives every tensor that changes its importance, and finds those that need some and have none.
func (p *plan) bindMatrix() error {
	for i := range p.tensors {
		t := &p.tensors[i]
		if !t.changes() {
			continue
		}
		if p.matrix != nil {
			if err := p.bind(t); err != nil {
				return err
			}
		}
		t.lacking = t.importance == nil && p.needsImportance(t)
	}
	return p.checkNames()
}

// bind looks for the tensor's entry. Layers keep their old number there.
func (p *plan) bind(t *planned) error {
	e, ok := p.matrix.Entries[t.in.Name]
	if !ok {
		if t.to.BlockSize() > 1 && t.to != quant.Q8_0 {
			p.note("the importance matrix has no entry for %s", t.in.Name)
		}
		return nil
	}
	means, want := e.Means(), t.in.Dim(0)*t.in.Dim(2)
	if len(means) != want {
		if mixture.RoleOf(t.name) == mixture.RoleEmbedding {
			return nil // a matrix made with the embeddings as output counts other columns
		}
		return fmt.Errorf("tensor %q: the importance matrix has %d columns, the tensor %d (it was made for another model)", t.in.Name, len(means), want)
	}
	if slices.Max(means) == 0 {
		p.note("the importance of %s is all zero; its columns count the same", t.in.Name)
		for i := range means {
			means[i] = 1
		}
	}
	t.importance = means
	return nil
}

// checkNames tells entries that belong to no tensor, and refuses a matrix of which that is all.
func (p *plan) checkNames() error {
	if p.matrix == nil {
		return nil
	}
	var strange []string
	for _, name := range p.matrix.Names() {
		if _, ok := p.model.Tensor(name); !ok {
			strange = append(strange, name)
		}
	}
	switch {
	case len(strange) == len(p.matrix.Entries):
		return fmt.Errorf("none of the %d entries of the importance matrix belongs to a tensor of the model, the first is %s (it was made for another model)", len(strange), strange[0])
	case len(strange) > 0:
		p.note("%d entries of the importance matrix belong to no tensor of the model, the first is %s (made for another model?)", len(strange), strange[0])
	}
	if p.matrix.Progress != nil {
		p.note("the importance matrix is not finished: it holds %d chunks", p.matrix.Chunks)
	}
	return nil
}

func (p *plan) note(format string, args ...any) {
	p.notes = append(p.notes, fmt.Sprintf(format, args...))
}

// needsImportance tells the types that give garbage without.
func (p *plan) needsImportance(t *planned) bool {
	if r := mixture.RoleOf(t.name); r == mixture.RoleEmbedding || r == mixture.RoleOutput {
		return t.to.NeedsImportance()
	}
	switch t.to {
	case quant.IQ3_XXS, quant.IQ2_XXS, quant.IQ2_XS, quant.IQ2_S, quant.IQ1_M, quant.IQ1_S:
		return true
	case quant.Q2_K:
		return p.settings.file.Name == "Q2_K_S"
	}
	return false
}

// checkImportance refuses a plan that would write garbage.
func (p *plan) checkImportance() error {
	for i := range p.tensors {
		if t := &p.tensors[i]; t.lacking {
			hint := "make one with llama-imatrix and give it with --imatrix"
			if p.matrix != nil {
				hint = "the matrix given has no entry for it"
			}
			return fmt.Errorf("this quantization requires an importance matrix! tensor %q becomes %s: %s", t.name, t.to, hint)
		}
	}
	return nil
}
