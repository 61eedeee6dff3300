package mixture

import (
	"fmt"
	"strings"

	"github.com/llamakit/llamakit/formats/gguf"
	"github.com/llamakit/llamakit/formats/quant"
)

// Mixture chooses the type of each matrix of one model: the file type's own type for most, more bits where rounding hurts
// most. It counts as it goes, so tensors must come in the order of the file.
type Mixture struct {
	Arch    string // general.architecture
	options Options
	file    FileType
	h       hparams
	tied    bool // no output.weight: the embeddings are the output as well

	nV                int // attention tensors with values in all
	iV                int // of them seen so far
	iDown, iGate, iUp int
}

// Options are what the choice depends on beside the model.
type Options struct {
	Imatrix   bool        // there is an importance matrix
	Output    *quant.Type // for the output instead of the mixture's choice
	Embedding *quant.Type // for the embeddings instead of the mixture's choice
}

// New begins with a model of the given metadata and names of tensors.
func New(md *gguf.Metadata, names []string, file FileType, o Options) (*Mixture, error) {
	h, arch, err := readHparams(md)
	if err != nil {
		return nil, err
	}
	m := &Mixture{Arch: arch, options: o, file: file, h: h, tied: true}
	for _, name := range names {
		r := RoleOf(name)
		m.tied = m.tied && r != RoleOutput
		if r.likeV() {
			m.nV++
		}
	}
	return m, nil
}

// moreBits picks the first and the last eighth of the layers and every third between.
func moreBits(i, n int) bool { return i < n/8 || i >= 7*n/8 || (i-n/8)%3 == 2 }

// in reports whether the file type is one of the names.
func (m *Mixture) in(names ...string) bool {
	for _, n := range names {
		if m.file.Name == n {
			return true
		}
	}
	return false
}

// coarse are the file types below three bits, which share a rule.
func (m *Mixture) coarse() bool {
	return m.in("IQ2_XXS", "IQ2_XS", "IQ1_S", "IQ2_S", "IQ2_M", "IQ1_M")
}

// Choose returns the type for the next matrix. Its rows may not be whole blocks of it: see Fallback.
func (m *Mixture) Choose(name string, shape []int) (quant.Type, error) {
	switch r := RoleOf(name); {
	case m.Arch == "glm5-next" && preciseInGLM5(name):
		return quant.Q8_0, nil
	case r == RoleOutput || m.tied && r == RoleEmbedding:
		return m.chooseOutput(shape[0]), nil
	case m.in("MXFP4_MOE"):
		return m.chooseMXFP4(r, shape), nil
	case r == RoleEmbedding:
		return m.chooseEmbedding(), nil
	case m.coarse():
		return m.chooseCoarse(r), nil
	case r.likeV():
		return m.chooseV(), nil
	case r == roleK:
		return m.chooseK(), nil
	case r == roleQ:
		return m.chooseQ(), nil
	case r == roleDown:
		i, n, err := m.layer(m.iDown, name)
		m.iDown++
		return m.chooseDown(i, n), err
	case r == roleAttnOutput:
		return m.chooseAttnOutput(), nil
	case r == roleGate:
		i, n, err := m.layer(m.iGate, name)
		m.iGate++
		return m.chooseUpGate(i, n), err
	case r == roleUp:
		i, n, err := m.layer(m.iUp, name)
		m.iUp++
		return m.chooseUpGate(i, n), err
	}
	return m.file.Base, nil
}

// preciseInGLM5 tells the matrices that this architecture keeps at eight bits.
func preciseInGLM5(name string) bool {
	return strings.Contains(name, "attn_q_a.weight") || strings.Contains(name, "attn_q_b.weight") || strings.Contains(name, "nextn.eh_proj.weight")
}

// layer returns the layer that a feed-forward tensor belongs to and their number. Without experts it is a count: in
// models whose layers differ, only the layers that have the tensor.
func (m *Mixture) layer(count int, name string) (i, n int, err error) {
	i, n = count, m.h.layers
	if m.h.experts <= 1 {
		return i, n, nil
	}
	if i = LayerOf(name); i < 0 {
		return 0, n, fmt.Errorf("tensor %q: no layer number in its name, which a model with experts needs", name)
	}
	if i >= n {
		return 0, n, fmt.Errorf("tensor %q: layer %d of %d", name, i, n)
	}
	return i, n, nil
}

func (m *Mixture) chooseOutput(columns int) quant.Type {
	switch base := m.file.Base; {
	case m.options.Output != nil:
		return *m.options.Output
	case m.in("MXFP4_MOE"), m.Arch == "falcon", columns%base.BlockSize() != 0:
		return quant.Q8_0
	case m.coarse(), m.in("IQ3_XXS"):
		return quant.Q5_K
	case base != quant.Q8_0:
		return quant.Q6_K
	}
	return quant.Q8_0
}

// chooseMXFP4 goes by the shape: experts are three-dimensional. (So are MLA's projections in one architecture.)
func (m *Mixture) chooseMXFP4(r Role, shape []int) quant.Type {
	expert := r == roleUp || r == roleGate || r == roleDown
	if dim(shape, 2) > 1 && (m.Arch != "bailingmoe3" || expert) {
		return quant.MXFP4
	}
	return quant.Q8_0
}

func (m *Mixture) chooseEmbedding() quant.Type {
	switch {
	case m.options.Embedding != nil:
		return *m.options.Embedding
	case m.in("IQ2_XXS", "IQ2_XS", "IQ1_S", "IQ1_M"):
		return quant.Q2_K
	case m.in("IQ2_S", "IQ2_M", "IQ3_XXS"):
		return quant.IQ3_S
	case m.in("TQ1_0", "TQ2_0", "Q2_0"):
		return quant.Q4_K
	}
	return m.file.Base
}

// chooseCoarse is the rule of the types below three bits.
func (m *Mixture) chooseCoarse(r Role) quant.Type {
	finer := quant.Q2_K
	if m.in("IQ2_S", "IQ2_M") {
		finer = quant.IQ3_S
	}
	switch {
	case r.likeV():
		m.iV++
		if m.h.gqa >= 4 || m.h.experts >= 4 {
			return quant.Q4_K
		}
		return finer
	case m.h.experts == 8 && r == roleK:
		return quant.Q4_K
	case r == roleDown:
		m.iDown++
		if m.iDown-1 < m.h.layers/8 {
			return finer
		}
	case r == roleAttnOutput && m.h.experts == 8:
		return quant.Q5_K
	case r == roleAttnOutput && m.in("IQ1_S", "IQ1_M"):
		return quant.IQ2_XXS
	case r == roleAttnOutput && m.in("IQ2_S", "IQ2_M"):
		return quant.IQ3_S
	}
	return m.file.Base
}

func (m *Mixture) chooseV() quant.Type {
	t := m.valueType()
	m.iV++
	if m.h.is70B && (t == quant.Q3_K || t == quant.Q4_K) {
		t = quant.Q5_K // the tensor is small beside attn_q there
	}
	if m.h.experts == 8 {
		t = quant.Q8_0 // attention is a small part of such a model
	}
	return t
}

func (m *Mixture) valueType() quant.Type {
	shared := m.h.gqa >= 4
	switch {
	case m.in("Q2_K") && !shared:
		return quant.Q3_K
	case m.in("Q2_K", "Q2_K_S", "IQ3_XXS", "IQ3_XS", "IQ3_S") && shared, m.in("IQ3_M"):
		return quant.Q4_K
	case m.in("IQ3_XXS") && !m.options.Imatrix:
		return quant.IQ3_S
	case m.in("IQ3_XXS"):
		return quant.IQ3_XXS
	case m.in("Q3_K_M") && m.iV >= 2:
		return quant.Q4_K
	case m.in("Q3_K_M", "Q3_K_L"), m.in("IQ4_NL", "IQ4_XS") && shared, m.in("Q4_K_S") && m.iV < 4:
		return quant.Q5_K
	case m.in("Q4_K_M", "Q5_K_M") && moreBits(m.iV, m.nV):
		return quant.Q6_K
	}
	return m.file.Base
}

func (m *Mixture) chooseK() quant.Type {
	if m.h.experts == 8 {
		return quant.Q8_0
	}
	return m.chooseQ()
}

func (m *Mixture) chooseQ() quant.Type {
	switch {
	case m.in("IQ3_XS"):
		return quant.IQ3_XXS
	case m.in("IQ3_XXS"):
		return quant.IQ2_S
	}
	return m.file.Base
}

func (m *Mixture) chooseDown(i, n int) quant.Type {
	falcon, early := m.Arch == "falcon", i < n/8
	switch {
	case m.in("Q2_K"):
		return quant.Q3_K
	case m.in("Q2_K_S") && early, m.in("IQ3_XXS") && !m.options.Imatrix && early:
		return quant.Q4_K
	case m.in("IQ3_XXS") && !m.options.Imatrix:
		return quant.Q3_K
	case m.in("Q3_K_M") && i < n/16:
		return quant.Q5_K
	case m.in("Q3_K_M") && (!falcon || moreBits(i, n)):
		return quant.Q4_K
	case m.in("IQ3_M") && (early || m.h.experts == 8 && moreBits(i, n)):
		return quant.Q4_K
	case m.in("Q3_K_L") && falcon:
		return quant.Q4_K
	case m.in("Q3_K_L"):
		return quant.Q5_K
	case m.in("Q4_K_M") && falcon:
		return m.falconDown(i, n)
	case m.in("Q4_K_M", "Q5_K_M") && moreBits(i, n):
		return quant.Q6_K
	case early && m.in("IQ4_NL", "IQ4_XS") && !m.options.Imatrix, early && m.in("Q4_K_S") && !falcon:
		return quant.Q5_K
	case early && m.in("Q4_0") && m.options.Imatrix:
		return quant.Q4_1
	case early && m.in("Q5_0") && m.options.Imatrix:
		return quant.Q5_1
	}
	return m.file.Base
}

func (m *Mixture) falconDown(i, n int) quant.Type {
	switch {
	case i < n/16:
		return quant.Q6_K
	case moreBits(i, n):
		return quant.Q5_K
	}
	return quant.Q4_K
}

func (m *Mixture) chooseAttnOutput() quant.Type {
	switch {
	case m.Arch == "falcon":
		if m.in("Q3_K_L") {
			return quant.Q4_K
		}
	case m.h.experts == 8:
		if m.in("Q2_K", "IQ3_XS", "IQ3_XXS", "Q3_K_S", "Q3_K_M", "IQ4_NL", "Q4_K_S", "Q4_K_M", "IQ3_S", "IQ3_M", "IQ4_XS") {
			return quant.Q5_K
		}
	case m.in("Q2_K"):
		return quant.Q3_K
	case m.in("IQ3_XXS"):
		return quant.IQ3_S
	case m.in("Q3_K_M", "IQ3_M"):
		return quant.Q4_K
	case m.in("Q3_K_L"):
		return quant.Q5_K
	}
	return m.file.Base
}

func (m *Mixture) chooseUpGate(i, n int) quant.Type {
	if m.in("IQ3_XS") && i >= n/8 && i < 7*n/8 {
		return quant.IQ3_XXS
	}
	return m.file.Base
}

// Fallback returns the type to use instead of t where rows of that many columns are no whole blocks of t.
func Fallback(t quant.Type, columns int) (quant.Type, error) {
	if columns%t.BlockSize() == 0 {
		return t, nil
	}
	next := quant.F16
	switch t {
	case quant.IQ1_S, quant.IQ1_M, quant.IQ2_XXS, quant.IQ2_XS, quant.IQ2_S, quant.IQ3_XXS, quant.IQ3_S, quant.IQ4_XS:
		next = quant.IQ4_NL
	case quant.Q2_0, quant.Q2_K, quant.Q3_K, quant.TQ1_0, quant.TQ2_0:
		next = quant.Q4_0
	case quant.Q4_K:
		next = quant.Q5_0
	case quant.Q5_K:
		next = quant.Q5_1
	case quant.Q6_K:
		next = quant.Q8_0
	case quant.Q4_0, quant.Q4_1, quant.Q5_0, quant.Q5_1, quant.Q8_0, quant.IQ4_NL, quant.MXFP4, quant.NVFP4:
	default:
		return t, fmt.Errorf("rows of %d are not whole blocks of %d, which %s needs, and no other type stands in for it", columns, t.BlockSize(), t)
	}
	if columns%next.BlockSize() != 0 {
		next = quant.F16
	}
	return next, nil
}

// dim returns the length of dimension i, 1 where there is none.
func dim(shape []int, i int) int {
	if i < len(shape) {
		return shape[i]
	}
	return 1
}
